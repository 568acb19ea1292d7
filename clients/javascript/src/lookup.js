// Lookups of one hash in one layer, as docs/format.md of cuckoo_filter specifies them.
import { high32, highProduct, multiply } from './uint64.js'

const NEXT_WORD = { high: 0x9e3779b9, low: 0x7f4a7c15 }
const NEXT_PROBE = 0x9e3779b9
const ALTERNATE = 0xc2b2ae35

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

export function cuckooCount(bytes, layer, place, wildcards) {
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
    const inLower = entry(bytes, layer, lower + offset)
    if (wildcards && inLower === 1) return 4
    if (inLower === fingerprint * 2 + offset) count++
    if (entry(bytes, layer, upper + offset) === fingerprint * 2 + offset) count++
  }
  return count
}
