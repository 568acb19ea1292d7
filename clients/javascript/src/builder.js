import { chooseGeometry } from './bloom_sizing.js'
import { CapacityError, KindError } from './errors.js'
import { hash, mix } from './hash.js'
import {
  BLOOM, DESCRIPTOR_BYTES, FIXED, HEADER_BYTES, KIND_NAMES, MAX_IMAGE_BYTES, encodeText, imageBytes, parse, rateIsValid
} from './image.js'
import { bloomAdd, bloomContains } from './lookup.js'
import { ADD, OTHER_NAMES, encoderFor } from './values.js'

// The source of values of kind text: the SQL types text and varchar.
const SOURCE_TEXT = 1
const SOURCES_AT = 20

/** An empty Bloom filter. */
function emptyImage({ capacity, rate = 0.01, kind: name, grows = true }) {
  const kind = OTHER_NAMES.get(name) ?? name
  if (!Number.isSafeInteger(capacity) || capacity < 1) throw new RangeError('the capacity must be a positive integer')
  const header = new DataView(new ArrayBuffer(HEADER_BYTES + DESCRIPTOR_BYTES))
  header.setFloat64(8, rate, true)
  if (!rateIsValid(header.getBigUint64(8, true))) throw new RangeError('the rate must be between 1e-7 and 0.5')
  checkKind({ isNamed: false, kindName: kind })

  const { count, size, width } = chooseGeometry(capacity, rate)
  const length = header.byteLength + count * size / 8
  if (length > MAX_IMAGE_BYTES) throw new RangeError('the filter would be too large')
  header.setUint32(0, 0x636b666c, false)
  header.setUint32(4, 0x01010101, false)       // version, type, hash, layers
  header.setUint8(16, KIND_NAMES.indexOf(kind))
  header.setUint8(17, grows ? 0 : FIXED)
  header.setBigUint64(HEADER_BYTES, BigInt(capacity), true)
  header.setUint32(HEADER_BYTES + 8, count, true)
  header.setUint16(HEADER_BYTES + 12, size, true)
  header.setUint8(HEADER_BYTES + 14, width)
  header.setBigUint64(HEADER_BYTES + 16, BigInt(header.byteLength), true)

  const bytes = new Uint8Array(length)
  bytes.set(new Uint8Array(header.buffer))
  return bytes
}

function checkKind({ isNamed, kindName }) {
  if (!isNamed && Object.hasOwn(ADD, kindName)) return
  const supported = Object.keys(ADD).join(', ')
  throw new KindError(`this package cannot build filters of kind ${kindName}; it supports ${supported}`)
}

function templateImage(template) {
  const image = parse(imageBytes(template))
  if (image.type !== BLOOM) throw new KindError('the template is a cuckoofilter')
  checkKind(image)
  if (image.layers.length !== 1 || image.bytes.subarray(image.layers[0].offset).some(byte => byte !== 0)) {
    throw new RangeError('the template must have one layer and no values')
  }
  return image.bytes
}

/** Builds a Bloom filter, byte for byte as the extension does with bf_agg. index.d.ts describes its members. */
export class BloomFilterBuilder {
  #bytes
  #layer
  #grows
  #kind
  #encode
  // How many values changed the filter: at most the number of distinct values.
  #changes = 0

  constructor(options) {
    const image = parse(options.template === undefined ? emptyImage(options) : templateImage(options.template))
    this.#bytes = image.bytes
    this.#layer = image.layers[0]
    this.#grows = (image.flags & FIXED) === 0
    this.#kind = image.kindName
    this.#encode = encoderFor(image, ADD)
    if (image.kindName === 'text') this.#bytes[SOURCES_AT] |= SOURCE_TEXT
  }

  add(value) {
    const place = mix(hash(this.#encode(value)))
    if (this.#grows && this.#changes >= this.#layer.capacity) {
      if (bloomContains(this.#bytes, this.#layer, place)) return
      throw new CapacityError(`the filter has room for ${this.#layer.capacity} values`)
    }
    if (bloomAdd(this.#bytes, this.#layer, place)) this.#changes++
  }

  addAll(values) {
    for (const value of values) this.add(value)
  }

  toBytes() {
    return this.#bytes.slice()
  }

  toText() {
    return encodeText(this.#bytes)
  }

  toString() {
    const { capacity } = this.#layer
    return `<builder of a bloomfilter of ${this.#kind}, capacity ${capacity}, ${this.#bytes.length} bytes>`
  }

  // What console.log() shows in Node.
  [Symbol.for('nodejs.util.inspect.custom')]() {
    return this.toString()
  }
}
