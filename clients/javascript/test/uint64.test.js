// The arithmetic on pairs is that of BigInt, in particular at carries that values rarely cause.
import assert from 'node:assert/strict'
import test from 'node:test'
import { fromBigInt, high32, highProduct, multiply } from '../src/uint64.js'

const edges = [0, 1, 2, 0xffff, 0x10000, 0x10001, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff]

function numbers() {
  return [...edges, ...Array.from({ length: 40 }, () => Math.floor(Math.random() * 2 ** 32))]
}

test('arithmetic', () => {
  const big = ({ high, low }) => BigInt(high) << 32n | BigInt(low)

  for (const high of numbers()) {
    for (const low of numbers()) {
      const pair = { high, low }

      assert.deepEqual(fromBigInt(big(pair)), pair)
      assert.deepEqual(fromBigInt(big(pair) - 2n ** 64n), pair)
      assert.equal(high32(high, low), Number(BigInt(high) * BigInt(low) >> 32n))
      for (const number of [...edges, Math.floor(Math.random() * 2 ** 32)]) {
        const factor = { high: number, low: high }

        assert.equal(highProduct(pair, number), Number(big(pair) * BigInt(number) >> 64n), `${big(pair)} * ${number}`)
        assert.deepEqual(multiply(pair, factor), fromBigInt(big(pair) * big(factor)))
      }
    }
  }
})
