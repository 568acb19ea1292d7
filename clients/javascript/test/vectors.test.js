// The package agrees with the golden vectors of the extension, in test/golden of its repository.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { Filter, InvalidImage } from '../src/index.js'
import { hash, hashAny } from '../src/hash.js'
import { LOOKUP } from '../src/values.js'
import { fromHex, hex, hexOfPair } from './bytes.js'
import { read } from './sql_values.js'

const golden = process.env.CUCKOO_FILTER_GOLDEN ?? new URL('../../../test/golden', import.meta.url).pathname
const vectors = JSON.parse(readFileSync(`${golden}/vectors.json`, 'utf8'))

/** The value of an expression such as 'apple'::text, 42::smallint, or true. */
function valueOf(kind, sql) {
  return read[kind](sql.replace(/::[a-z"() 0-9]+$/, '').replace(/^\((.*)\)$/, '$1').replace(/^'(.*)'$/, '$1'))
}

test('values', () => {
  let tested = 0

  for (const vector of vectors.values) {
    assert.equal(hexOfPair(hash(fromHex(vector.canonical_bytes))), vector.hash)
    if (!Object.hasOwn(read, vector.kind)) continue
    assert.equal(hex(LOOKUP[vector.kind](valueOf(vector.kind, vector.sql))), vector.canonical_bytes, vector.sql)
    tested++
  }
  assert.ok(tested >= 30, `${tested} values tested`)
  assert.deepEqual(Object.keys(read).sort(), Object.keys(LOOKUP).sort())
})

test('hashes', () => {
  assert.ok(vectors.hashes.length > 20)
  for (const vector of vectors.hashes) {
    assert.equal(hexOfPair(hash(fromHex(vector.canonical_bytes))), vector.hash)
  }
})

test('hashes of 8 bytes', () => {
  const bytes = new Uint8Array(8)
  const words = new BigUint64Array(bytes.buffer)

  for (let i = 0n; i < 1000n; i++) {
    words[0] = i * 0x123456789abcdef1n
    assert.deepEqual(hash(bytes), hashAny(bytes))
  }
})

for (const vector of vectors.images) {
  test(`image ${vector.name}`, () => {
    const image = fromHex(vector.image)
    const filter = new Filter(vector.text)

    assert.equal(hex(filter.toBytes()), vector.image)
    assert.equal(filter.toText(), vector.text)
    const lines = vector.text.replace(/.{60}/g, '$&\n')
    for (const form of [image, Buffer.from(image), image.buffer, `\\x${vector.image}`, lines]) {
      assert.equal(hex(new Filter(form).toBytes()), vector.image)
    }
    assert.equal(filter.type, vector.type)
    assert.equal(filter.kind, vector.kind)
    assert.equal(filter.rate, vector.requested_fpr)
    assert.equal(filter.grows, (vector.flags & 2) === 0)
    assert.equal(filter.capacity, vector.layers.reduce((sum, layer) => sum + layer.capacity, 0))
    assert.ok(vector.answers.length > 2)
    for (const answer of vector.answers) {
      assert.equal(filter.containsHash(answer.filter_hash), answer.contains, answer.sql)
      assert.equal(filter.containsHash(BigInt(`0x${answer.hash}`)), answer.contains, answer.sql)
      const kind = filter.kind === 'none' ? 'integer' : filter.kind
      if (!Object.hasOwn(read, kind)) continue
      const value = valueOf(kind, answer.sql)
      assert.equal(filter.contains(value), answer.contains, answer.sql)
      assert.deepEqual(filter.containsMany([value, value]), [answer.contains, answer.contains], answer.sql)
      if (vector.type === 'cuckoofilter') assert.equal(filter.count(value), answer.count, answer.sql)
    }
  })
}

test('invalid images', () => {
  assert.ok(vectors.invalid.length > 60)
  for (const vector of vectors.invalid) {
    assert.throws(() => new Filter(fromHex(vector.image)), error => {
      assert.ok(error instanceof InvalidImage, String(error.stack))
      assert.equal(error.rule, vector.rule, `${vector.name}: ${vector.reason}`)
      return true
    })
  }
})

test('valid images', () => {
  assert.ok(vectors.valid.length > 20)
  for (const vector of vectors.valid) new Filter(fromHex(vector.image))
})

test('texts', () => {
  assert.ok(vectors.texts.length > 30)
  for (const { text, valid } of vectors.texts) {
    if (valid) new Filter(text)
    else assert.throws(() => new Filter(text), InvalidImage, JSON.stringify(text))
  }
})
