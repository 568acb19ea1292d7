// Counters, stashes and sets of cuckoo filters, in images made here; and the rules that such images can violate.
import assert from 'node:assert/strict'
import test from 'node:test'
import { Filter, InvalidImage } from '../src/index.js'
import { hash, mix } from '../src/hash.js'
import { hex } from './bytes.js'

const SET = 1
const FIXED = 2

function little(number, length) {
  return Uint8Array.from({ length }, (_, i) => Number(BigInt.asUintN(64, BigInt(number)) >> BigInt(8 * i) & 255n))
}

function joined(...parts) {
  return Uint8Array.from(parts.flatMap(part => [...part]))
}

/** Numbers of so many bits each, by their index, one after the other. */
function packed(numbers, bits, length) {
  let sum = 0n
  for (const [index, number] of numbers) sum |= BigInt(number) << BigInt(index * bits)
  return Uint8Array.from({ length }, (_, i) => Number(sum >> BigInt(8 * i) & 255n))
}

/** A cuckoo layer whose parts a test fills: counters by slot, and the words of the stash. */
class Layer {
  slots = new Map()

  constructor({ pages = 1, windows = 6, slotBits = 9, counters, stash, room, used } = {}) {
    Object.assign(this, { pages, windows, slotBits, counters: counters && new Map(counters), stash })
    this.room = room ?? Math.max(1, stash?.length ?? 0)
    this.used = used ?? stash?.length
    this.flags = (counters ? 1 : 0) + (stash ? 2 : 0)
  }

  /** The four slots of an integer with the entries that it has there, and its class. */
  place(value) {
    const { high, low } = mix(hash(little(value, 8)))
    const pages = BigInt(this.pages)
    const windows = BigInt(this.windows)
    const place = BigInt(high) << 32n | BigInt(low)
    const page = place * pages >> 64n
    const window = BigInt.asUintN(64, place * pages) * windows >> 64n
    const fingerprint = (place & 0xffffffffn) >> BigInt(33 - this.slotBits) || 1n
    let m = fingerprint * 0xc2b2ae35n & 0xffffffffn
    m ^= m << 15n & 0xffffffffn
    const other = ((m * windows >> 32n) - window + windows) % windows
    const lower = page * 2n * (windows + 1n) + window
    const upper = (page * 2n + 1n) * (windows + 1n) + other
    return {
      entries: [lower, upper].flatMap(slot => [0n, 1n].map(
        offset => [Number(slot + offset), Number(fingerprint * 2n + offset)])),
      stashed: page * windows + window << BigInt(this.slotBits - 1) | fingerprint
    }
  }

  /** Adds an entry of the value in one of its four slots. */
  put(value, number, counter = 0) {
    const [slot, entry] = this.place(value).entries[number]
    assert.ok(!this.slots.has(slot))
    this.slots.set(slot, entry)
    if (counter > 0) this.counters.set(slot, counter)
    return this
  }

  putStash(value, counter = 0) {
    this.stash = [...this.stash, this.place(value).stashed << 4n | BigInt(counter)].sort((a, b) => a < b ? -1 : 1)
    this.used = this.stash.length
    this.room = Math.max(this.room, this.used)
    return this
  }

  slotBytes() {
    const slots = this.pages * 2 * (this.windows + 1)
    return packed(this.slots, this.slotBits, Math.ceil(slots * this.slotBits / 8) + 7)
  }

  bytes() {
    const counters = this.counters ? packed(this.counters, 4, this.pages * (this.windows + 1)) : []
    const words = this.stash ? Array.from({ length: this.room }, (_, i) => little(this.stash[i] ?? 0, 8)) : []
    return joined(this.slotBytes(), counters, this.stash ? little(this.used, 8) : [], ...words)
  }
}

function image(layers, { flags = 0, kind = 1 } = {}) {
  const parts = layers.map(layer => layer.bytes())
  let offset = 24 + 24 * layers.length
  const descriptors = layers.map((layer, i) => {
    const at = offset
    offset += parts[i].length
    return joined(little(10, 8), little(layer.pages, 4), little(layer.windows, 2), [layer.slotBits, layer.flags],
      little(at, 8))
  })
  const header = joined(Buffer.from('ckfl'), [1, 2, 1, layers.length], little(0x3f847ae147ae147bn, 8),
    [kind, flags, 0, 0, 0, 0, 0, 0])
  return joined(header, ...descriptors, ...parts)
}

/** Checks the counts of some values. Those of others are 0 or, for a few, a false positive. */
function checkCounts(bytes, counts) {
  const filter = new Filter(bytes)

  for (const [value, count] of counts) {
    assert.equal(filter.count(value), count, `${value}`)
    assert.equal(filter.contains(value), count > 0, `${value}`)
  }
  const many = Array.from({ length: 1000 }, (_, i) => i - 500)
  const answers = filter.containsMany(many)
  assert.deepEqual(many.map(value => filter.count(value) > 0), answers)
  assert.ok(answers.filter(Boolean).length < 100)
}

const geometries = [[1, 6, 9], [3, 5, 6], [1, 1, 28], [2, 7, 32], [5, 64, 11]]
  .map(([pages, windows, slotBits]) => ({ pages, windows, slotBits }))

test('entries', () => {
  checkCounts(image([new Layer().put(1, 0).put(2, 3).put(2, 2).put(2, 1)]), [[1, 1], [2, 3], [4, 0]])
  checkCounts(image([new Layer().put(1, 0).put(1, 1).put(1, 2).put(1, 3)]), [[1, 4], [2, 0]])
})

test('counters', () => {
  for (const geometry of geometries) {
    const layer = new Layer({ ...geometry, counters: [] }).put(1, 0, 6).put(1, 3).put(1, 1, 2)
    checkCounts(image([layer]), [[1, 7 + 1 + 3]])
  }
  for (const counter of [13, 14, 15]) {
    for (let number = 0; number < 4; number++) {
      checkCounts(image([new Layer({ counters: [] }).put(5, number, counter)]), [[5, counter + 1]])
    }
  }
  checkCounts(image([new Layer({ counters: [] }).put(5, 0, 9).put(5, 1, 9)]), [[5, 16]])
  checkCounts(image([new Layer({ counters: [] }).put(5, 0, 15).put(5, 1, 0)]), [[5, 16]])
})

test('a stash', () => {
  for (const geometry of geometries) {
    const layer = new Layer({ ...geometry, stash: [], room: 9 })
    const expected = []

    for (const [value, counter] of [0, 3, 14, 15].entries()) {
      if (layer.stash.some(word => word >> 4n === layer.place(value).stashed)) continue
      layer.putStash(value, counter)
      expected.push([value, counter + 1])
    }
    assert.ok(expected.length > 2)
    const filter = new Filter(image([layer]))
    assert.deepEqual(expected.map(([value]) => [value, filter.count(value)]), expected)
  }
  checkCounts(image([new Layer({ stash: [] })]), [[1, 0]])
  checkCounts(image([new Layer({ stash: [], room: 5 })]), [[1, 0]])
  checkCounts(image([new Layer({ stash: [], room: 5 }).putStash(1).putStash(2, 7)]), [[1, 1], [2, 8], [3, 0]])
})

test('a large stash', () => {
  const numbers = Array.from({ length: 999 }, (_, i) => i)
  const layer = new Layer({ pages: 2, windows: 3000, slotBits: 20, stash: [] })

  for (const value of numbers) layer.putStash(value, value % 15)
  const filter = new Filter(image([layer]))
  assert.deepEqual(numbers.map(value => filter.count(value)), numbers.map(value => value % 15 + 1))
  assert.ok(!numbers.some(value => filter.contains(value + 999)))
})

test('counters and a stash', () => {
  const layer = new Layer({ counters: [], stash: [], room: 3 }).put(1, 0, 2).put(2, 2).putStash(1, 4).putStash(3)
  const counts = [[1, 3 + 5], [2, 1], [3, 1], [4, 0]]

  checkCounts(image([layer]), counts)
  checkCounts(image([layer], { flags: FIXED }), counts)
  checkCounts(image([new Layer({ counters: [], stash: [] }).put(1, 0, 14).putStash(1)]), [[1, 16]])
})

test('several layers', () => {
  // Stashes before the last layer, which end where the next layer begins, at any alignment.
  const first = new Layer({ windows: 4, stash: [], room: 4 }).put(1, 0).putStash(2, 1)
  const second = new Layer({ windows: 8, slotBits: 11, counters: [], stash: [] }).put(1, 3, 5).putStash(3, 14)
  const third = new Layer({ windows: 16, slotBits: 11, counters: [] }).put(2, 1).put(3, 0)
  const fourth = new Layer({ windows: 32, slotBits: 13 }).put(3, 1).put(2, 0)
  const layers = [first, second, third, fourth]
  const counts = [[1, 7], [2, 4], [3, 15]]

  checkCounts(image(layers), counts)
  checkCounts(image([...layers].reverse()), counts)
  const permanent = new Layer({ counters: [] }).put(9, 0, 15)
  checkCounts(image([permanent, permanent]), [[9, 16]])
  const read = new Filter(image(layers)).layers
  assert.deepEqual(read.map(({ counters }) => counters !== undefined), [false, true, true, false])
  assert.deepEqual(read.map(({ stash }) => stash !== undefined), [true, true, false, false])
})

test('sets', () => {
  const layer = new Layer({ stash: [], room: 2 }).put(1, 0).putStash(2)
  const other = new Layer({ windows: 12, slotBits: 10 }).put(1, 2).put(3, 2)

  for (const flags of [SET, SET | FIXED]) checkCounts(image([layer], { flags }), [[1, 1], [2, 1], [3, 0]])
  checkCounts(image([layer, other], { flags: SET }), [[1, 2], [2, 1], [3, 1]])
})

test('no kind', () => {
  const filter = new Filter(image([new Layer({ counters: [], stash: [] })], { kind: 0 }))
  assert.equal(filter.count(1), 0)
  assert.equal(filter.contains(1), false)
})

function word({ fingerprint = 5, window = 0, counter = 0 } = {}) {
  return BigInt(window << 8 | fingerprint) << 4n | BigInt(counter)
}

function changed(bytes, at, field) {
  const copy = bytes.slice()
  copy.set(field, at)
  return copy
}

/** Rules with images that violate only them, and a part of the message. */
function* invalid() {
  const stashed = image([new Layer({ stash: [word()], room: 2 })])
  const counted = image([new Layer({ counters: [] }).put(1, 0, 3)])
  const slots = new Layer().slotBytes().length
  const second = new Layer({ windows: 12 })
  const two = image([new Layer({ stash: [], room: 2 }), second])
  const offset = Number(new DataView(two.buffer).getBigUint64(64, true))
  const stash = (words, used, flags) => image([new Layer({ stash: words, used })], { flags })

  yield [6, 'flags are 4', image([new Layer()], { flags: 4 })]
  yield [6, 'does not grow', image([new Layer(), second], { flags: SET | FIXED })]
  for (const flags of [4, 5, 6, 8, 128, 255]) {
    yield [14, `flags of layer 0 are ${flags}`, changed(image([new Layer()]), 39, [flags])]
  }
  yield [14, 'layer 0 has counters', image([new Layer({ counters: [] })], { flags: SET })]
  yield [14, 'layer 1 has counters', image([new Layer(), new Layer({ counters: [], stash: [] })], { flags: SET })]
  const bloom = joined(changed(image([new Layer()]).subarray(0, 32), 5, [1]), little(1, 4), little(64, 2), [7, 0],
    little(48, 8), little(0, 8))
  new Filter(bloom)
  for (const flags of [1, 2, 3]) yield [14, `flags of layer 0 are ${flags}`, changed(bloom, 39, [flags])]

  // A stash ends some words behind its beginning, and has room for one.
  for (const by of [-24, -16, -12, -1, 1, 4, 7]) {
    const start = changed(two, 64, little(offset + by, 8)).subarray(0, offset + Math.min(0, by))
    yield [16, 'layer 1', joined(start, new Uint8Array(Math.max(0, by)), two.subarray(offset))]
  }
  for (const at of [96, 104, 88, 2n ** 63n, 2n ** 64n - 2n]) {
    yield [16, 'layer 1', changed(two, 64, little(at, 8))]
  }
  yield [16, 'layer 0', changed(stashed, 40, little(56, 8))]
  yield [16, 'layer 1', changed(image([new Layer({ counters: [] }), new Layer()]), 64, little(96 + slots, 8))]
  for (const by of [2n ** 40n, 2n ** 60n, 2n ** 64n - 2n * BigInt(offset)]) {
    yield [17, 'too large', changed(two, 64, little(BigInt(offset) + by / 8n * 8n, 8))]
  }
  yield [17, 'too large', changed(stashed, 32, little(2 ** 32 - 1, 4))]
  yield [17, 'too large', changed(two, 32, little(2 ** 32 - 1, 4))]
  yield [18, 'instead of', image([new Layer({ counters: [] })]).subarray(0, -1)]
  yield [18, 'instead of', image([new Layer({ counters: [] })]).subarray(0, -7)]
  yield [18, 'instead of', joined(image([new Layer({ counters: [] })]), new Uint8Array(8))]
  yield [18, 'instead of', image([new Layer({ stash: [] })]).subarray(0, -8)]
  yield [18, 'instead of', image([new Layer({ stash: [] })]).subarray(0, -16)]
  yield [18, 'or more', joined(stashed, [0])]
  yield [18, 'or more', stashed.subarray(0, -1)]
  for (const parts of [{ counters: [[0, 1]] }, { stash: [word()] }, { stash: [0n] }]) {
    yield [19, 'no kind', image([new Layer(parts)], { kind: 0 })]
  }

  for (const [parts, flags] of [[{}, 0], [{}, SET], [{ counters: [] }, 0]]) {
    const layer = new Layer(parts)
    layer.slots.set(0, 1)
    yield [20, 'slot 0 has', image([layer], { flags })]
  }
  yield [21, 'last slot', changed(counted, 48 + slots - 1, [1])]
  for (const slot of [0, 1, 12, 13]) {
    yield [22, `slot ${slot} is empty`, image([new Layer({ counters: [[slot, 1]] })])]
    yield [22, `slot ${slot} is empty`, image([new Layer({ counters: [[slot, 15]], stash: [] })])]
  }
  yield [23, 'uses 2 words', stash([word()], 2)]
  yield [23, 'room for 1', stash([0n], 2n ** 64n - 1n)]
  yield [24, 'impossible class', stash([word({ fingerprint: 0 })])]
  yield [24, 'impossible class', stash([0n], 1)]
  yield [24, 'impossible class', stash([word({ window: 6 })])]
  yield [24, 'impossible class', stash([2n ** 64n - 1n])]
  yield [24, 'word 1', stash([word(), word({ window: 7 })])]
  yield [24, 'ascending', stash([word({ fingerprint: 6 }), word()])]
  yield [24, 'ascending', stash([word(), word()])]
  yield [24, 'ascending', stash([word(), word({ counter: 1 })])]
  yield [25, 'unused', stash([word(), word({ fingerprint: 6 })], 1)]
  yield [25, 'unused', stash([word()], 0)]
  yield [25, 'unused', stash([word(), 0n, 1n], 1)]
  yield [26, 'counts copies', stash([word(), word({ fingerprint: 6, counter: 1 })], 2, SET)]
  yield [26, 'counts copies', stash([word({ counter: 15 })], 1, SET)]
}

test('invalid images', () => {
  for (const [rule, message, bytes] of invalid()) {
    assert.throws(() => new Filter(bytes), error => {
      assert.ok(error instanceof InvalidImage, String(error.stack))
      assert.equal(error.rule, rule, `${error.message}; ${message}: ${hex(bytes)}`)
      assert.ok(error.message.includes(message), error.message)
      return true
    }, `rule ${rule}, ${message}`)
  }
})

test('valid images', () => {
  for (const words of [
    [word({ fingerprint: 255, window: 5, counter: 15 })],
    [word({ fingerprint: 1 }), word({ fingerprint: 2, counter: 15 }), word({ fingerprint: 3 })]
  ]) {
    new Filter(image([new Layer({ stash: words })]))
    new Filter(image([new Layer({ stash: words, room: 7 }), new Layer({ windows: 12 })]))
  }
  new Filter(image([new Layer({ stash: [word(), word({ fingerprint: 6 })] })], { flags: SET }))
})
