// The package gives the answers and builds the images of the server. The environment variable CUCKOO_FILTER_CASES names
// a file that test/clients/cases.sql of the repository made.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { BloomFilterBuilder, Filter } from '../src/index.js'
import { chooseGeometry } from '../src/bloom_sizing.js'
import { LOOKUP } from '../src/values.js'
import { read } from './sql_values.js'

const path = process.env.CUCKOO_FILTER_CASES
const skip = path ? false : 'CUCKOO_FILTER_CASES is not set'
const cases = path ? JSON.parse(readFileSync(path, 'utf8')) : {}

function supported(list) {
  return list.filter(({ kind }) => Object.hasOwn(read, kind))
}

test('answers', { skip }, () => {
  let answers = 0

  for (const { kind, values, filters } of supported(cases.readings)) {
    const probes = values.map(read[kind])
    filters.forEach((expected, number) => {
      const filter = new Filter(expected.image)
      const contained = Array.from(expected.contains, digit => digit === '1')
      const what = `${kind}, filter ${number}`

      assert.equal(filter.kind, kind)
      assert.ok(contained.slice(0, expected.members).every(Boolean), what)
      assert.deepEqual(probes.map(value => filter.contains(value)), contained, what)
      assert.deepEqual(filter.containsMany(probes), contained, what)
      if (filter.type === 'cuckoofilter') {
        assert.deepEqual(probes.map(value => filter.count(value)), expected.counts.split(' ').map(Number), what)
      }
      answers += probes.length
    })
  }
  assert.ok(answers > 100000, `${answers} answers`)
})

// The recipe's function folds as the server's does, which toLowerCase() does only for ASCII.
test('case', { skip }, () => {
  const { js, names, ...images } = cases.folding
  const recipe = new Function(`${js}; return folded`)()
  const folded = new Filter(images.filter)
  const lower = new Filter(images.lower)

  for (const [name, byServer, lowerByServer] of names) {
    assert.equal(recipe(name), byServer)
    assert.ok(folded.contains(byServer))
    if (/^[\x00-\x7f]*$/.test(name)) assert.equal(name.toLowerCase(), lowerByServer)
    if (name === 'ΟΔΟΣ' || name === 'İ') {
      assert.notEqual(name.toLowerCase(), lowerByServer)
      assert.ok(!lower.contains(name.toLowerCase()))
    }
  }
  assert.ok(names.length > 130)
})

test('numbers are BigInts', { skip }, () => {
  let numbers = 0

  for (const { kind, values, filters } of cases.readings) {
    if (kind !== 'integer' && kind !== 'numeric') continue
    const safe = values.map((text, i) => [Number(text), i]).filter(([number]) => Number.isSafeInteger(number))
    for (const { image, contains } of filters) {
      const filter = new Filter(image)
      for (const [number, i] of safe) {
        if (kind === 'numeric' && BigInt(number) !== BigInt(values[i].replace(/\..*/, ''))) continue
        assert.equal(filter.contains(number), contains[i] === '1', `${kind} ${values[i]}`)
        assert.equal(filter.contains(BigInt(number)), contains[i] === '1', `${kind} ${values[i]}`)
        numbers++
      }
    }
  }
  assert.ok(numbers > 10000, `${numbers} numbers`)
})

test('builders', { skip }, () => {
  let built = 0

  for (const { kind, values, filters } of supported(cases.buildings)) {
    filters.forEach((expected, number) => {
      const { capacity, rate, grows, template, image } = expected
      const members = values.slice(0, expected.count).map(read[kind])
      const what = `${kind}, filter ${number}`

      assert.equal(expected.added ?? image, image, what)
      const builder = new BloomFilterBuilder({ capacity, rate, kind, grows })
      assert.equal(builder.toText(), template, what)
      builder.addAll(members)
      assert.equal(builder.toText(), image, what)
      const other = new BloomFilterBuilder({ template: Buffer.from(template, 'base64') })
      other.addAll(members.reverse())
      other.addAll(members)
      assert.deepEqual(other.toBytes(), Uint8Array.from(Buffer.from(image, 'base64')), what)
      built++
    })
  }
  assert.ok(built > 200, `${built} filters built`)
})

test('geometries', { skip }, () => {
  assert.ok(cases.geometries.length > 100)
  for (const expected of cases.geometries) {
    const { count, size, width } = chooseGeometry(expected.capacity, expected.rate)
    // The size of the value in SQL: 4 bytes, a header, a descriptor, and the blocks.
    assert.equal(4 + 24 + 24 + count * size / 8, expected.bytes, JSON.stringify(expected))
    if (expected.layer) assert.deepEqual([count, size, width], expected.layer, JSON.stringify(expected))
  }
})

test('every kind has cases', { skip }, () => {
  for (const list of [cases.readings, cases.buildings]) {
    assert.deepEqual([...new Set(supported(list).map(({ kind }) => kind))].sort(), Object.keys(LOOKUP).sort())
  }
})
