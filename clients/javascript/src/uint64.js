// Arithmetic on unsigned numbers of 64 bits as pairs of 32 bits: several times as fast as BigInt.

/** The high 32 bits of the product of two unsigned numbers of 32 bits. No step exceeds 2^53. */
export function high32(a, b) {
  return Math.floor(((a >>> 16) * b + Math.floor((a & 0xffff) * b / 65536)) / 65536)
}

/** The product of two pairs, modulo 2^64. */
export function multiply(a, b) {
  return {
    high: (high32(a.low, b.low) + Math.imul(a.low, b.high) + Math.imul(a.high, b.low)) >>> 0,
    low: Math.imul(a.low, b.low) >>> 0
  }
}

/** floor(a * b / 2^64) for a pair and a number of 32 bits. */
export function highProduct(a, b) {
  const middle = (Math.imul(a.high, b) >>> 0) + high32(a.low, b)
  return high32(a.high, b) + (middle > 0xffffffff ? 1 : 0)
}

export function fromBigInt(number) {
  return { high: Number(BigInt.asUintN(64, number) >> 32n), low: Number(BigInt.asUintN(32, number)) }
}
