// Serves the page, and the filter that it downloads, to this machine:
//
//   psql -AtXc "SELECT bf_agg(name) FROM users" > filter.txt
//   node demo/serve.js filter.txt [port]
//
// Without a file, the filter has a few names.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { BloomFilterBuilder } from '../src/index.js'

const top = fileURLToPath(new URL('..', import.meta.url))
const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8' }

function example() {
  const builder = new BloomFilterBuilder({ capacity: 1000, rate: 0.001, kind: 'text' })

  builder.addAll(['ann', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi', 'ivan', 'judy', 'mallory', 'trent'])
  return builder.toText()
}

/** The file for a path of the page or of the package, or null. */
function fileOf(path) {
  if (path === '/') return join(top, 'demo', 'index.html')
  if (path === '/page.js') return join(top, 'demo', 'page.js')
  if (path === '/hash-wasm.js') {
    return join(dirname(createRequire(import.meta.url).resolve('hash-wasm')), 'index.esm.min.js')
  }
  return /^\/src\/[a-z0-9_]+\.js$/.test(path) ? join(top, path) : null
}

/** A server, not listening yet, of the page and a filter in its text form. */
export function createDemo(filter = example()) {
  return createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost')
    const file = fileOf(pathname)

    if (pathname === '/filter') {
      response.writeHead(200, { 'Content-Type': 'text/plain' }).end(filter)
    } else if (file) {
      response.writeHead(200, { 'Content-Type': types[extname(file)] }).end(await readFile(file))
    } else {
      response.writeHead(404).end()
    }
  })
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [path, port = '8000'] = process.argv.slice(2)
  const server = createDemo(path && await readFile(path, 'utf8'))

  server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`))
}
