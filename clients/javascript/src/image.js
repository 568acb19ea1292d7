// The image of a filter: its header and layers, and the rules by which an image is valid. docs/format.md of
// cuckoo_filter specifies all of this, and numbers the rules.
import { InvalidImage } from './errors.js'
import { COPIES_BITS, COPIES_MASK, counter, entry, pageSlots } from './lookup.js'

export const BLOOM = 1
export const CUCKOO = 2

// Flags of a filter.
export const SET = 1
export const FIXED = 2

// Flags of a layer.
const COUNTERS = 1
const STASH = 2

export const KIND_NAMES = ['none', 'integer', 'text', 'bytea', 'uuid', 'boolean', 'date', 'time', 'timestamp',
  'timestamptz', 'float', 'numeric', 'enum', 'named', 'character']
export const NONE = KIND_NAMES.indexOf('none')
const TEXT = KIND_NAMES.indexOf('text')
const FLOAT = KIND_NAMES.indexOf('float')
const NAMED = KIND_NAMES.indexOf('named')

export const HEADER_BYTES = 24
export const DESCRIPTOR_BYTES = 24
export const MAX_IMAGE_BYTES = 524288000

const LOWEST_RATE = 0x3e7ad7f29abcaf48n
const HIGHEST_RATE = 0x3fe0000000000000n
const MAX_LAYERS = 32
const MAX_CAPACITY = 2n ** 63n - 1n

// Zero bytes after the slots of a cuckoo layer.
const TAIL_BYTES = 7

// The words of a stash, and the smallest stash: the number of used words, and room for one.
const WORD_BYTES = 8
const SMALLEST_STASH = 2 * WORD_BYTES

export function rateIsValid(rateBits) {
  return rateBits >= LOWEST_RATE && rateBits <= HIGHEST_RATE
}

/** The bytes of an image from any form in which a driver or fetch() returns it; always a copy. */
export function imageBytes(image) {
  if (typeof image === 'string') return decodeText(image)
  if (image instanceof ArrayBuffer) return new Uint8Array(image.slice(0))
  if (image instanceof Uint8Array) return Uint8Array.from(image)
  throw new TypeError('a filter is a string, a Uint8Array or an ArrayBuffer')
}

function decodeText(text) {
  if (text.startsWith('\\x')) {
    if (!/^\\x(?:[0-9a-f]{2})*$/i.test(text)) throw new InvalidImage('the text is not hexadecimal digits')
    return Uint8Array.from({ length: text.length / 2 - 1 }, (_, i) => parseInt(text.substr(2 * i + 2, 2), 16))
  }
  // What PostgreSQL skips: fewer characters than \s. atob() would skip a form feed, too.
  const base64 = text.replace(/[ \t\n\r]+/g, '')
  if (base64.length % 4 !== 0 || base64.includes('\f')) throw new InvalidImage('the text is not base64 with its padding')
  let binary
  try {
    binary = atob(base64)
  } catch {
    throw new InvalidImage('the text is neither base64 nor hexadecimal digits')
  }
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}

/** The base64 of an image. */
export function encodeText(bytes) {
  let binary = ''
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192))
  return btoa(binary)
}

/** Adds the offsets of its counters and stash to a layer. Returns where it ends, or where its stash begins. */
function layOut(type, layer, flags) {
  if (type === BLOOM) return layer.offset + layer.count * layer.size / 8
  const slots = layer.count * pageSlots(layer)
  let end = layer.offset + Math.ceil(slots * layer.width / 8) + TAIL_BYTES
  if (flags & COUNTERS) {
    layer.counters = end
    end += slots / 2
  }
  if (flags & STASH) layer.stash = end
  return end
}

function geometryIsValid(type, { count, size, width }) {
  if (count < 1) return false
  if (type === BLOOM) {
    if (width < 1 || width > 32) return false
    return count > 1 ? size === 512 : size >= 64 && size <= 8192 && size % 64 === 0
  }
  return size >= 1 && size <= 32767 && (width >= 6 && width <= 28 || width === 32)
}

/** The fields of a valid image. Throws InvalidImage if the image violates a rule. */
export function parse(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const check = (rule, isValid, message) => {
    if (!isValid) throw new InvalidImage(message, rule)
  }

  check(1, bytes.length >= HEADER_BYTES, 'the image is shorter than a header')
  const [version, type, hash, layerCount] = bytes.subarray(4, 8)
  const [kind, flags] = bytes.subarray(16, 18)
  const nameLength = view.getUint16(18, true)
  const sources = bytes[20]
  check(2, view.getUint32(0, false) === 0x636b666c, 'the image does not begin with the magic number of a filter')
  check(2, version === 1, `the version of the format is ${version}, which this package does not know`)
  check(2, hash === 1, `the hash function is ${hash}, which this package does not know`)
  check(3, type === BLOOM || type === CUCKOO, `the filter type is ${type}, which this package does not know`)
  check(4, layerCount <= MAX_LAYERS, `the filter has ${layerCount} layers`)
  check(5, rateIsValid(view.getBigUint64(8, true)), 'the rate is out of range')
  check(6, flags <= (SET | FIXED) && !(flags & SET && type !== CUCKOO), `the flags are ${flags}`)
  check(6, !(flags & FIXED) || layerCount === 1, `the filter does not grow, but has ${layerCount} layers`)
  check(7, isZero(bytes, 21, 24), 'a reserved byte is not zero')
  check(8, kind < KIND_NAMES.length, `the kind of values is ${kind}, which this package does not know`)
  check(9, kind === NAMED ? nameLength >= 1 && nameLength <= 255 : nameLength === 0,
    `the name of the kind has ${nameLength} bytes`)

  const descriptors = HEADER_BYTES + Math.ceil(nameLength / 8) * 8
  const descriptorsEnd = descriptors + layerCount * DESCRIPTOR_BYTES
  check(10, bytes.length >= descriptorsEnd, 'the image ends before the layers')
  const nameBytes = bytes.subarray(HEADER_BYTES, HEADER_BYTES + nameLength)
  check(11, nameBytes.every(byte => byte >= 0x20 && byte <= 0x7e), 'the name of the kind is not printable')
  const name = String.fromCharCode(...nameBytes)
  const hasSources = kind === TEXT || kind === FLOAT || name.startsWith('text ')
  check(7, sources <= (hasSources ? 3 : 0), `the sources of the values are ${sources}`)
  check(12, isZero(bytes, HEADER_BYTES + nameLength, descriptors), 'the padding after the name is not zero')

  const layers = []
  // Where a layer ends. With a stash: where it ends at least, because a larger stash has some words more.
  let end = descriptorsEnd
  let hasStash = false
  const isEnd = at => hasStash ? at >= BigInt(end) && (at - BigInt(end)) % 8n === 0n : at === BigInt(end)
  for (let i = 0; i < layerCount; i++) {
    const at = descriptors + i * DESCRIPTOR_BYTES
    const capacity = view.getBigUint64(at, true)
    const layerFlags = bytes[at + 15]
    const offset = view.getBigUint64(at + 16, true)
    const layer = {
      capacity: Number(capacity),
      count: view.getUint32(at + 8, true),
      size: view.getUint16(at + 12, true),
      width: bytes[at + 14],
      offset: Number(offset)
    }
    check(13, capacity >= 1n && capacity <= MAX_CAPACITY, `the capacity of layer ${i} is out of range`)
    check(14, layerFlags <= (type === CUCKOO ? COUNTERS | STASH : 0), `the flags of layer ${i} are ${layerFlags}`)
    check(14, !(flags & SET && layerFlags & COUNTERS), `the filter is a set, but layer ${i} has counters`)
    check(15, geometryIsValid(type, layer), `the geometry of layer ${i} is impossible`)
    check(16, isEnd(offset), `layer ${i} is not where the previous one ends`)
    hasStash = (layerFlags & STASH) !== 0
    end = layOut(type, layer, layerFlags) + (hasStash ? SMALLEST_STASH : 0)
    check(17, end <= MAX_IMAGE_BYTES, 'the filter is too large')
    layers.push(Object.freeze(layer))
  }
  check(18, isEnd(BigInt(bytes.length)),
    `the image has ${bytes.length} bytes instead of ${end}${hasStash ? ' or more' : ''}`)
  check(17, bytes.length <= MAX_IMAGE_BYTES, 'the filter is too large')

  check(19, kind !== NONE || isZero(bytes, descriptorsEnd, bytes.length), 'the filter has values, but no kind')
  if (type === CUCKOO) {
    layers.forEach((layer, i) => {
      checkSlots(bytes, layer, check)
      if (layer.stash !== undefined) {
        checkStash(view, layer, layers[i + 1]?.offset ?? bytes.length, (flags & SET) !== 0, check)
      }
    })
  }
  return {
    bytes, type, kind, flags, layers: Object.freeze(layers),
    rate: view.getFloat64(8, true),
    isNamed: kind === NAMED,
    kindName: kind === NAMED ? name : KIND_NAMES[kind]
  }
}

function isZero(bytes, start, end) {
  for (let i = start; i < end; i++) if (bytes[i] !== 0) return false
  return true
}

function checkSlots(bytes, layer, check) {
  const windows = layer.size
  const slots = layer.count * pageSlots(layer)
  const bits = slots * layer.width
  const used = layer.offset + Math.ceil(bits / 8)

  check(21, (bits % 8 === 0 || bytes[used - 1] >> (bits % 8) === 0) && isZero(bytes, used, used + TAIL_BYTES),
    'bytes after the last slot are not zero')
  for (let slot = 0, position = 0; slot < slots; slot++) {
    const content = entry(bytes, layer, slot)
    if (content === 0) {
      check(22, counter(bytes, layer, slot) === 0, `slot ${slot} is empty, but its counter is not zero`)
    } else {
      const half = position > windows ? 1 : 0
      const window = position - half * (windows + 1) - (content & 1)
      check(20, content !== 1 && window >= 0 && window < windows, `slot ${slot} has an impossible entry`)
    }
    if (++position === pageSlots(layer)) position = 0
  }
}

function checkStash(view, layer, end, isSet, check) {
  const used = view.getBigUint64(layer.stash, true)
  const words = layer.stash + WORD_BYTES
  const room = (end - words) / WORD_BYTES
  check(23, used <= room, `the stash uses ${used} words, but has room for ${room}`)

  const fingerprintBits = layer.width - 1
  const limit = BigInt(layer.count * layer.size) << BigInt(fingerprintBits)
  let previous = -1n
  for (let i = 0; i < room; i++) {
    const word = view.getBigUint64(words + i * WORD_BYTES, true)
    if (i >= used) {
      check(25, word === 0n, 'an unused word of the stash is not zero')
      continue
    }
    const stashed = word >> COPIES_BITS
    check(24, BigInt.asUintN(fingerprintBits, stashed) !== 0n && stashed < limit,
      `word ${i} of the stash has an impossible class`)
    check(24, stashed > previous, `word ${i} of the stash is not in ascending order`)
    check(26, !isSet || (word & COPIES_MASK) === 0n, `the filter is a set, but word ${i} of the stash counts copies`)
    previous = stashed
  }
}
