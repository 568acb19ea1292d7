import { createXXHash3 } from 'hash-wasm'
import { multiply } from './uint64.js'

const hasher = await createXXHash3()

/** XXH3-64 of bytes, as a pair of 32 bits each. */
export function hash(bytes) {
  const digest = hasher.init().update(bytes).digest('binary')       // the most significant byte first
  return {
    high: (digest[0] << 24 | digest[1] << 16 | digest[2] << 8 | digest[3]) >>> 0,
    low: (digest[4] << 24 | digest[5] << 16 | digest[6] << 8 | digest[7]) >>> 0
  }
}

const SPREAD = { high: 0xd6e8feb8, low: 0x6659fd93 }

/** The hash that places a value, from the hash of its canonical bytes. */
export function spread(hash) {
  const product = multiply({ high: hash.high, low: (hash.low ^ hash.high) >>> 0 }, SPREAD)
  return { high: product.high, low: (product.low ^ product.high) >>> 0 }
}
