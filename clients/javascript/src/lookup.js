// Lookups of one hash in one layer, as docs/format.md of cuckoo_filter specifies them.
import { high32, highProduct, multiply } from './uint64.js'

const NEXT_WORD = { high: 0x9e3779b9, low: 0x7f4a7c15 }
const NEXT_PROBE = 0x9e3779b9
const ALTERNATE = 0xc2b2ae35

/** A count of 16 means "16 or more". It is also that of an entry whose counter is at its limit, 15. */
export const MAX_COUNT = 16

/** A word of the stash has its copies beyond the first in the low bits, and its class in the others. */
export const COPIES_BITS = 4n
export const COPIES_MASK = 15n

/** Calls visit(byte, mask) with each bit of the value, until it returns false. Returns whether it never did. */
function everyProbe(layer, place, visit) {
  const start = layer.offset + high32(place.high, layer.count) * (layer.size / 8)
  let word = 0

  for (let probe = 0; probe < layer.width; probe++) {
    if (probe % 8 === 0) {
      place = multiply(place, NEXT_WORD)
      word = place.high
    }
    const bit = high32(word, layer.size)
    if (!visit(start + (bit >>> 3), 1 << (bit & 7))) return false
    word = Math.imul(word, NEXT_PROBE) >>> 0
  }
  return true
}

export function bloomContains(bytes, layer, place) {
  return everyProbe(layer, place, (byte, mask) => (bytes[byte] & mask) !== 0)
}

/** Sets the bits that a lookup tests. Returns whether any of them was clear. */
export function bloomAdd(bytes, layer, place) {
  let changed = false

  everyProbe(layer, place, (byte, mask) => {
    changed ||= (bytes[byte] & mask) === 0
    bytes[byte] |= mask
    return true
  })
  return changed
}

export function pageSlots(layer) {
  return 2 * (layer.size + 1)
}

/** The content of a slot. The number of its first bit can exceed 32 bits. */
export function entry(bytes, layer, slot) {
  const bit = slot * layer.width
  const start = layer.offset + Math.floor(bit / 8)
  const shift = bit % 8
  const low = bytes[start] | bytes[start + 1] << 8 | bytes[start + 2] << 16 | bytes[start + 3] << 24
  const shifted = shift === 0 ? low : low >>> shift | bytes[start + 4] << (32 - shift)

  return layer.width === 32 ? shifted >>> 0 : shifted & ((1 << layer.width) - 1)
}

/** The copies that the entry in a slot represents beyond the first. */
export function counter(bytes, layer, slot) {
  if (layer.counters === undefined) return 0
  return bytes[layer.counters + Math.floor(slot / 2)] >> 4 * (slot % 2) & 15
}

/** The copies of a class in the stash. Few filters have one, so BigInt is fast enough. */
function stashedCount(bytes, layer, page, window, fingerprint) {
  const view = new DataView(bytes.buffer, bytes.byteOffset + layer.stash)
  const sought = BigInt(page * layer.size + window) << BigInt(layer.width - 1) | BigInt(fingerprint)
  let low = 0
  let high = Number(view.getBigUint64(0, true))

  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const word = view.getBigUint64(8 + 8 * middle, true)
    const stashed = word >> COPIES_BITS
    if (stashed === sought) return 1 + Number(word & COPIES_MASK)
    if (stashed < sought) low = middle + 1
    else high = middle
  }
  return 0
}

export function cuckooCount(bytes, layer, place) {
  const windows = layer.size
  const page = highProduct(place, layer.count)
  const window = highProduct(multiply(place, { high: 0, low: layer.count }), windows)
  const fingerprint = place.low >>> (33 - layer.width) || 1

  const product = Math.imul(fingerprint, ALTERNATE)
  const sum = high32((product ^ product << 15) >>> 0, windows)
  const other = sum >= window ? sum - window : sum - window + windows

  const lower = page * pageSlots(layer) + window
  const upper = page * pageSlots(layer) + windows + 1 + other
  let count = 0
  for (let offset = 0; offset < 2; offset++) {
    const wanted = fingerprint * 2 + offset
    if (entry(bytes, layer, lower + offset) === wanted) count += 1 + counter(bytes, layer, lower + offset)
    if (entry(bytes, layer, upper + offset) === wanted) count += 1 + counter(bytes, layer, upper + offset)
  }
  if (layer.stash !== undefined) count += stashedCount(bytes, layer, page, window, fingerprint)
  return Math.min(count, MAX_COUNT)
}
