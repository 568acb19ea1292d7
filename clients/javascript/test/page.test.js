// The page of the demo, in a browser: it downloads a filter, and then answers without the server.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createDemo } from '../demo/serve.js'
import { BloomFilterBuilder, Filter } from '../src/index.js'
import { Browser, chromium } from './browser.js'

const skip = chromium ? false : 'Chromium is not installed'

/** Calls visit(page, requests) with the page of a demo that serves this filter, and the paths requested so far. */
async function withPage(filter, visit) {
  const server = createDemo(filter).listen(0, '127.0.0.1')
  const browser = new Browser()
  const requests = []

  server.on('request', ({ url }) => requests.push(url))
  try {
    await once(server, 'listening')
    const page = await browser.open(`http://127.0.0.1:${server.address().port}/`)
    for (let tries = 0; tries < 1200; tries++) {
      const about = await page.evaluate("document.querySelector('#about')?.textContent")
      if (about && !about.startsWith('Downloading')) break
      await setTimeout(100)
    }
    await visit(page, requests)
  } finally {
    // First, because a server that listens keeps the test from ending.
    server.close()
    server.closeAllConnections()
    await browser.close()
  }
}

/** Types the text, and compares the answer after every character with that of the filter. Returns the answers. */
async function typeAndCompare(page, text, contains) {
  const answers = []

  await page.evaluate("document.querySelector('#key').value = ''")
  for (let length = 1; length <= text.length; length++) {
    await page.type(text[length - 1])
    const typed = text.slice(0, length)
    const expected = contains(typed)
    const [className, answer] = await page.evaluate(
      "[document.querySelector('#answer').className, document.querySelector('#answer').textContent]")

    assert.equal(className, expected ? 'yes' : 'no', typed)
    assert.ok(answer.startsWith(`${typed} is`), answer)
    answers.push(expected)
  }
  return answers
}

test('names', { skip }, async () => {
  const builder = new BloomFilterBuilder({ capacity: 10000, kind: 'text' })
  for (let i = 0; i < 9000; i++) builder.add(`user${i}`)
  builder.addAll(['ann', 'naïve'])
  const filter = new Filter(builder.toText())

  await withPage(builder.toText(), async (page, requests) => {
    const about = await page.evaluate("document.querySelector('#about').textContent")
    assert.match(about, /^A bloomfilter of text with room for 10,000 values/)
    const downloads = [...requests]
    assert.ok(downloads.includes('/filter') && downloads.length > 5, String(downloads))
    assert.deepEqual(await typeAndCompare(page, 'anna', key => filter.contains(key)), [false, false, true, false])
    assert.ok((await typeAndCompare(page, 'naïve', key => filter.contains(key))).at(-1))
    assert.ok((await typeAndCompare(page, 'user8999', key => filter.contains(key))).at(-1))
    assert.deepEqual(requests, downloads)
    assert.ok(!requests.includes('/favicon.ico'), String(requests))
  })
})

test('numbers, in a cuckoo filter', { skip }, async () => {
  const golden = process.env.CUCKOO_FILTER_GOLDEN ?? new URL('../../../test/golden', import.meta.url).pathname
  const { images } = JSON.parse(readFileSync(`${golden}/vectors.json`, 'utf8'))
  const { text } = images.find(({ name }) => name === 'cuckoo_integers')
  const filter = new Filter(text)

  await withPage(text, async page => {
    const answers = await typeAndCompare(page, '1000', key => filter.contains(BigInt(key)))
    assert.deepEqual(answers, [true, true, false, false])
    await page.type('x')
    assert.match(await page.evaluate("document.querySelector('#answer').textContent"), /Cannot convert/)
  })
})

test('a damaged filter', { skip }, async () => {
  const text = new BloomFilterBuilder({ capacity: 10, kind: 'text' }).toText()

  await withPage(text.slice(0, -4), async page => {
    assert.match(await page.evaluate("document.querySelector('#about').textContent"), /^InvalidImage: /)
    assert.equal(await page.evaluate("document.querySelector('#key').disabled"), true)
  })
})
