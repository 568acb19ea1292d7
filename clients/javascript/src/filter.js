import { KindError } from './errors.js'
import { hash, mix } from './hash.js'
import { BLOOM, FIXED, NONE, encodeText, imageBytes, parse } from './image.js'
import { MAX_COUNT, bloomContains, cuckooCount } from './lookup.js'
import { fromBigInt } from './uint64.js'
import { LOOKUP, encoderFor } from './values.js'

/** A Bloom or cuckoo filter that an application reads. index.d.ts describes its members. */
export class Filter {
  #image
  #encode
  #isBloom

  constructor(image) {
    this.#image = parse(imageBytes(image))
    this.#encode = encoderFor(this.#image, LOOKUP)
    this.#isBloom = this.#image.type === BLOOM
  }

  get type() {
    return this.#isBloom ? 'bloomfilter' : 'cuckoofilter'
  }

  get kind() {
    return this.#image.kindName
  }

  get rate() {
    return this.#image.rate
  }

  get capacity() {
    return this.#image.layers.reduce((sum, layer) => sum + layer.capacity, 0)
  }

  get grows() {
    return (this.#image.flags & FIXED) === 0
  }

  get layers() {
    return this.#image.layers
  }

  contains(value) {
    if (this.#image.kind === NONE) return false
    return this.#containsPlace(mix(hash(this.#encode(value))))
  }

  containsMany(values) {
    return Array.from(values, value => this.contains(value))
  }

  containsHash(valueHash) {
    return this.#containsPlace(mix(fromBigInt(BigInt(valueHash))))
  }

  count(value) {
    if (this.#isBloom) throw new KindError('a bloomfilter does not count its values')
    if (this.#image.kind === NONE) return 0
    const place = mix(hash(this.#encode(value)))
    const counts = this.#image.layers.map(layer => cuckooCount(this.#image.bytes, layer, place))
    if (counts.includes(MAX_COUNT)) return MAX_COUNT
    return Math.min(counts.reduce((sum, count) => sum + count, 0), MAX_COUNT - 1)
  }

  toBytes() {
    return this.#image.bytes.slice()
  }

  toText() {
    return encodeText(this.#image.bytes)
  }

  toString() {
    return `<${this.type} of ${this.kind}, capacity ${this.capacity}, ${this.#image.bytes.length} bytes>`
  }

  // What console.log() shows in Node.
  [Symbol.for('nodejs.util.inspect.custom')]() {
    return this.toString()
  }

  #containsPlace(place) {
    const { bytes, layers } = this.#image
    // The newest layer is the largest.
    for (let i = layers.length - 1; i >= 0; i--) {
      const found = this.#isBloom
        ? bloomContains(bytes, layers[i], place)
        : cuckooCount(bytes, layers[i], place) > 0
      if (found) return true
    }
    return false
  }
}
