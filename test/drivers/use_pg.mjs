// node-postgres, "pg" of npm.
import pg from 'pg'
import { askCases, compare, finish } from './applications.mjs'

const client = new pg.Client()
const other = new pg.Client()
await client.connect()
await other.connect()

// Lines of the documentation: pg

compare(known, true, 'the value is known')
compare(image.subarray(0, 4).toString(), 'ckfl', 'the bytes are those of an image')

// Lines of the documentation: pg copy

// Lines of the documentation: pg client

compare(String(answers), 'true,true,false', 'the client reads the text of a filter')
compare(new Filter(image).contains('ann'), true, 'it reads the bytes of a filter')
const { rows: [built] } = await client.query({ text: `SELECT bf_contains(readers, 'carol'), readers = bf_agg(key, 10000)
  FROM news, unnest('{carol,dave}'::text[]) AS key WHERE name = 'dogs' GROUP BY readers`, rowMode: 'array' })
compare(String(built), 'true,true', 'the filter that it built is that of the aggregate')

async function ask(query, parameters) {
  const { rows } = await client.query({ text: query, values: parameters, rowMode: 'array' })
  return rows[0][0]
}

compare(await ask('SELECT count(*) FROM news_copy JOIN news USING (name, readers)', []), '2', 'COPY copied')
await askCases('pg', ask)

const readme = await import('./use_pg_readme.mjs')
compare(readme.merged, '{t,t,t}', 'the filter that the client built merges into the stored one')
compare(readme.built, readme.expected, 'it is that of the aggregate')

// A Buffer is sent in binary format, without a type.
const refusal = await ask("SELECT bf_contains(readers, $1) FROM news WHERE name = 'cats'", [Buffer.from('ann')]).catch((error) => error.message)
compare(refusal, 'an untyped value cannot be read in binary format', 'a Buffer without a type is refused')
await client.end()
await other.end()
finish()
