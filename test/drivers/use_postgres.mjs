// postgres.js, "postgres" of npm.
import { pipeline } from 'node:stream/promises'
import postgres from 'postgres'
import { askCases, compare, finish } from './applications.mjs'

// It does not accept a folder as PGHOST.
const options = { path: `${process.env.PGHOST}/.s.PGSQL.${process.env.PGPORT}` }
const sql = postgres(options)
const other = postgres(options)

// Lines of the documentation: postgres

compare(known, true, 'the value is known')
compare(image.subarray(0, 4).toString(), 'ckfl', 'the bytes are those of an image')

async function ask(query, parameters) {
  const rows = await sql.unsafe(query, parameters).values()
  return rows[0][0]
}

compare(await ask('SELECT count(*) FROM news_copy JOIN news USING (name, readers)', []), '2', 'COPY copied')
await askCases('postgres', ask)
await sql.end()
await other.end({ timeout: 0 })
finish()
