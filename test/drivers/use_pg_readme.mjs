// The lines of the package's own page: a module, since they import what those of docs/applications.md import.
import pg from 'pg'

const client = new pg.Client()
await client.connect()
await client.query("CREATE TABLE filters AS SELECT bf_add(bf_create(100000, of => 'text'), 'user42@example.com') AS known")

// Lines of the documentation: pg readme

const { rows: [row] } = await client.query(`
  SELECT ARRAY[known @> 'd@e.f', known @> 'user42@example.com', (bf_info(known)).layers = 1]::text AS merged,
    (SELECT bf_agg(key, 100000) FROM unnest('{a@b.c,d@e.f,g@h.i}'::text[]) AS key) AS expected FROM filters`)
await client.end()
export const { merged, expected } = row
export const built = builder.toText()
