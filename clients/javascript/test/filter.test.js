// What the package accepts and refuses.
import assert from 'node:assert/strict'
import test from 'node:test'
import { inspect } from 'node:util'
import { BloomFilterBuilder, CapacityError, Filter, InvalidImage, KindError } from '../src/index.js'
import { LOOKUP, OTHER_NAMES } from '../src/values.js'
import { hex } from './bytes.js'

const id = '00112233-4455-6677-8899-aabbccddeeff'
const accepted = {
  integer: [0, -5, 2 ** 53 - 1, 2n ** 63n - 1n, -(2n ** 63n)],
  numeric: [7, 8n, '1.50', 'NaN', '-Infinity', '1e30', 2n ** 200n],
  text: ['', 'naïve', '😀', 'x'.repeat(5000)],
  character: ['a  '],
  enum: ['ok'],
  bytea: [new Uint8Array(), Buffer.from('a')],
  uuid: [id],
  boolean: [true],
  date: ['2000-01-01', '0044-03-15 BC', '5874897-12-31', 'infinity', '-infinity', '2024-02-29']
}
const refused = {
  integer: ['1', true, null, undefined, new Date(), {}],
  numeric: [true, null, undefined, {}],
  text: [1, 1n, Buffer.from('a'), null, undefined, new String('a')],
  character: [1, null],
  enum: [1, null],
  bytea: ['a', [1], null, new Uint16Array(1)],
  uuid: [5n, new Uint8Array(16), null],
  boolean: [1, 0, 'true', null],
  date: [5, new Date(), null]
}
// Of the right type, but not a value of the kind.
const invalid = {
  integer: [1.5, 2 ** 53, NaN, Infinity],
  numeric: [1.5, 2 ** 53, '', '.', '1.5.5', '1e', '0x10', ' 1', '1e200000', '1e-20000', '1e9999999'],
  text: ['\ud800', 'a\udfffb', 'x'.repeat(5000) + '\ud800'],
  uuid: ['', id + '0', id.replace('-', ''), id.replace('0', 'g')],
  date: ['', '2023-02-29', '2000-13-01', '2000-00-10', '0000-01-01', '01/02/2000', '2000-1-1', '2000-01-01 00:00:00']
}

function built(kind, values, options = {}) {
  const builder = new BloomFilterBuilder({ capacity: 100, rate: 1e-7, kind, ...options })
  builder.addAll(values)
  return new Filter(builder.toBytes())
}

for (const kind of Object.keys(LOOKUP)) {
  test(`kind ${kind}`, () => {
    const filter = built(kind, accepted[kind])
    const builder = new BloomFilterBuilder({ capacity: 100, kind })

    assert.equal(filter.kind, kind)
    assert.deepEqual(filter.containsMany(accepted[kind]), accepted[kind].map(() => true))
    for (const value of refused[kind]) {
      assert.throws(() => filter.contains(value), KindError, String(value))
      assert.throws(() => filter.containsMany([value]), KindError, String(value))
      assert.throws(() => builder.add(value), KindError, String(value))
    }
    for (const value of invalid[kind] ?? []) {
      assert.throws(() => filter.contains(value), RangeError, String(value))
      assert.throws(() => builder.add(value), RangeError, String(value))
    }
  })
}

test('numbers', () => {
  // As in SQL, integers and numeric are compared exactly.
  const integers = built('integer', [5, 2n ** 63n - 1n])
  assert.ok(integers.contains(5n))
  assert.ok(!integers.contains(2n ** 64n + 5n))
  assert.ok(!integers.contains(2n ** 63n))
  assert.throws(() => new BloomFilterBuilder({ capacity: 1, kind: 'integer' }).add(2n ** 63n), RangeError)

  const numerics = built('numeric', [5, '1e3', 2n ** 70n, '-0.00', '.5', '1e20000', '7.25'])
  for (const same of ['5.00', '0005', '007.25', 5n, 1000, '1000.', '+1000', String(2n ** 70n), 0, '0.50', '5e-1', '10E19999']) {
    assert.ok(numerics.contains(same), String(same))
  }
  for (const other of [6, '5.01', '-5', '0.05', '1e19999']) assert.ok(!numerics.contains(other), String(other))
})

test('spaces', () => {
  assert.ok(built('character', ['a ']).contains('a    '))
  assert.ok(!built('character', ['a ']).contains('a\t'))
  assert.ok(!built('text', ['a ']).contains('a'))
})

test('uuids have no case', () => assert.ok(built('uuid', [id]).contains(id.toUpperCase())))

test('a filter without a kind contains nothing', () => {
  // bf_create(10)
  const empty = 'Y2tmbAEBAQF7FK5H4XqEPwAAAAAAAAAACgAAAAAAAAABAAAAgAAIADAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=='
  const filter = new Filter(empty)

  assert.equal(filter.kind, 'none')
  for (const value of [1, 'a', null]) assert.equal(filter.contains(value), false)
  assert.throws(() => new BloomFilterBuilder({ template: empty }), KindError)
})

test('unsupported kinds', () => {
  const image = built('integer', [1]).toBytes()

  image[16] = 10
  assert.throws(() => new Filter(image).contains(1.5), /KindError.*float/s)
  for (const kind of ['float', 'named', 'none', 'integer[]', 'double precision', 'toString', undefined]) {
    assert.throws(() => new BloomFilterBuilder({ capacity: 10, kind }), KindError)
  }
})

test('a type whose name is that of another kind', () => {
  const image = new BloomFilterBuilder({ capacity: 8, kind: 'integer' }).toBytes()
  const named = new Uint8Array(image.length + 8)

  named.set(image.subarray(0, 24))
  named.set(Buffer.from('integer\0'), 24)
  named.set(image.subarray(24), 32)
  named[16] = 13
  named[18] = 7
  named[48] += 8
  assert.equal(new Filter(named).kind, 'integer')
  assert.throws(() => new Filter(named).contains(1), KindError)
  assert.throws(() => new BloomFilterBuilder({ template: named }), KindError)
})

test('text', () => {
  const text = built('text', ['a']).toText()

  assert.equal(new Filter(`${text.slice(0, 20)}\n${text.slice(20)}\n`).toText(), text)
  for (const wrong of ['', 'abc', `${text}!`, text.slice(0, -1), '\\x0', '\\xzz', 'ckfl']) {
    assert.throws(() => new Filter(wrong), InvalidImage)
  }
  for (const wrong of [null, undefined, 5, [1]]) assert.throws(() => new Filter(wrong), TypeError)
})

test('short descriptions', () => {
  const builder = new BloomFilterBuilder({ capacity: 100000, kind: 'text' })
  const filter = new Filter(builder.toBytes())
  const about = `bloomfilter of text, capacity 100000, ${builder.toBytes().length} bytes>`

  for (const shown of [String(filter), inspect(filter)]) assert.equal(shown, `<${about}`)
  for (const shown of [String(builder), inspect(builder)]) assert.equal(shown, `<builder of a ${about}`)
  assert.equal(filter.toText(), builder.toText())
})

test('other names of kinds', () => {
  for (const [name, kind] of OTHER_NAMES) {
    assert.ok(!Object.hasOwn(LOOKUP, name), name)
    const named = built(name, accepted[kind])
    assert.equal(named.kind, kind)
    assert.equal(named.toText(), built(kind, accepted[kind]).toText())
  }
})

test('the same geometry', () => {
  const known = new Filter(new BloomFilterBuilder({ capacity: 12345, rate: 0.003, kind: 'string' }).toBytes())
  const { capacity, rate, kind } = known
  assert.equal(new BloomFilterBuilder({ capacity, rate, kind }).toText(), known.toText())
})

test('a filter keeps its bytes', () => {
  const image = built('text', ['a']).toBytes()
  const filter = new Filter(image)

  image.fill(0)
  filter.toBytes().fill(0)
  assert.ok(filter.contains('a'))
  assert.equal(hex(filter.toBytes().subarray(20, 21)), '01')      // the source: text
})

test('capacity', () => {
  const builder = new BloomFilterBuilder({ capacity: 10, rate: 1e-7, kind: 'integer' })
  const numbers = Array.from({ length: 10 }, (_, i) => i)

  builder.addAll(numbers)
  builder.addAll(numbers)
  assert.throws(() => builder.add(10), CapacityError)
  builder.add(9)
  assert.ok(new Filter(builder.toBytes()).containsMany(numbers).every(Boolean))
})

test('filters that do not grow', () => {
  const numbers = Array.from({ length: 1000 }, (_, i) => i)
  const filter = built('integer', numbers, { grows: false, capacity: 10 })

  assert.equal(filter.grows, false)
  assert.ok(filter.containsMany(numbers).every(Boolean))
})

test('arguments of builders', () => {
  for (const capacity of [0, -1, 1.5, NaN, 1e12, '10', undefined]) {
    assert.throws(() => new BloomFilterBuilder({ capacity, kind: 'integer' }), RangeError)
  }
  for (const rate of [0, -0.1, 0.6, 1e-8, NaN, Infinity, -Infinity]) {
    assert.throws(() => new BloomFilterBuilder({ capacity: 10, rate, kind: 'integer' }), RangeError)
  }
  const cuckoo = 'Y2tmbAECAQF7FK5H4XqEPwEAAAAAAAAACAAAAAAAAAABAAAABAAJADAAAAAAAAAAAAAAkP3U6VMAAAAAAAAAAAAAAA=='
  assert.throws(() => new BloomFilterBuilder({ template: cuckoo }), KindError)
  assert.throws(() => new BloomFilterBuilder({ template: built('integer', [1]).toBytes() }), RangeError)
})
