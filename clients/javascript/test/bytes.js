// Bytes as hexadecimal digits, for the tests.

export function fromHex(text) {
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16))
}

export function hex(bytes) {
  return Buffer.from(bytes).toString('hex')
}

export function hexOfPair({ high, low }) {
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0')
}
