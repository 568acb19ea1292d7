// The canonical bytes of values, by the kind of the filter. docs/format.md of cuckoo_filter specifies them. Every
// function is strict: a value of another type throws KindError, because a lookup of it would mean nothing. Its result
// is valid until the next call: allocating memory would take longer than a lookup.
import { KindError } from './errors.js'

const SMALLEST = -(2n ** 63n)
const LARGEST = 2n ** 63n - 1n

// Of numeric: digits before and after the decimal point.
const MOST_DIGITS = 131072
const MOST_FRACTION_DIGITS = 16383

const MILLISECONDS_PER_DAY = 86400000
const FIRST_DAY = Date.UTC(2000, 0, 1)

const encoder = new TextEncoder()

function refuse(value, kind, wanted) {
  const type = value === null ? 'null' : typeof value === 'object' ? value.constructor?.name ?? 'object' : typeof value
  throw new KindError(`the filter holds values of kind ${kind}, so the value must be ${wanted}, not ${type}`)
}

const word = new Uint8Array(8)
const wordView = new DataView(word.buffer)
const shortText = new Uint8Array(1024)

function int64(number) {
  wordView.setBigInt64(0, number, true)
  return word
}

/** The 8 bytes of a safe integer. */
function smallInteger(number) {
  wordView.setInt32(0, number | 0, true)
  wordView.setInt32(4, Math.floor(number / 0x100000000), true)
  return word
}

function digitsAndZeroes(text) {
  const bytes = new Uint8Array(text.length + 8)
  encoder.encodeInto(text, bytes)
  return bytes
}

function bigInteger(number) {
  return number >= SMALLEST && number <= LARGEST ? int64(number) : decimal(String(number))
}

function safeInteger(value) {
  if (Number.isSafeInteger(value)) return smallInteger(value)
  throw new RangeError(`${value} is not an integer of at most 2^53 - 1, up to which numbers are exact; pass a BigInt` +
    ' or, for a filter of numeric, a string')
}

function decimal(text) {
  const special = /^(?:(NaN)|([+-]?)inf(?:inity)?)$/i.exec(text)
  if (special) return digitsAndZeroes(special[1] ? 'NaN' : special[2] === '-' ? '-Infinity' : 'Infinity')
  const parts = /^([+-]?)(?=\.?[0-9])([0-9]*)\.?([0-9]*)(?:e([+-]?[0-9]{1,6}))?$/i.exec(text)
  if (!parts) throw new RangeError(`not a decimal number: ${text.slice(0, 100)}`)

  const [, sign, before, after, exponent] = parts
  const all = (before + after).replace(/^0+/, '')
  const digits = all.replace(/0+$/, '')
  if (digits === '') return int64(0n)
  const power = Number(exponent ?? 0) - after.length + all.length - digits.length
  if (digits.length + power > MOST_DIGITS || -power > MOST_FRACTION_DIGITS) {
    throw new RangeError('the number is out of the range of numeric')
  }
  const minus = sign === '-' ? '-' : ''
  if (power >= 0) {
    const whole = minus + digits + '0'.repeat(power)
    if (whole.length <= 20) {
      const number = BigInt(whole)
      if (number >= SMALLEST && number <= LARGEST) return int64(number)
    }
    return digitsAndZeroes(whole)
  }
  const padded = digits.padStart(1 - power, '0')
  return digitsAndZeroes(minus + padded.slice(0, power) + '.' + padded.slice(power))
}

/** For a lookup. A number that is no 64-bit integer has the bytes of kind numeric, which no integer has. */
function integer(value) {
  if (typeof value === 'number') return safeInteger(value)
  if (typeof value === 'bigint') return bigInteger(value)
  return refuse(value, 'integer', 'a BigInt or a number')
}

function addedInteger(value) {
  if (typeof value === 'bigint' && (value < SMALLEST || value > LARGEST)) {
    throw new RangeError('the number is out of the range of bigint')
  }
  return integer(value)
}

/** SQL compares integers and numeric exactly, so a filter of numeric accepts both. */
function numeric(value) {
  if (typeof value === 'string') return decimal(value)
  if (typeof value === 'number') return safeInteger(value)
  if (typeof value === 'bigint') return bigInteger(value)
  return refuse(value, 'numeric', 'a string of a decimal number, a BigInt or a number')
}

function utf8(value, kind) {
  if (typeof value !== 'string') refuse(value, kind, 'a string')
  if (value.length * 3 <= shortText.length) {
    const { written } = encoder.encodeInto(value, shortText)
    if (written !== value.length) checkPairs(value)     // not only ASCII
    return shortText.subarray(0, written)
  }
  checkPairs(value)
  return encoder.encode(value)
}

/** TextEncoder would replace half of a surrogate pair by another character. */
function checkPairs(text) {
  if (/\p{Surrogate}/u.test(text)) throw new RangeError('the string contains half of a surrogate pair')
}

function bytea(value) {
  if (!(value instanceof Uint8Array)) refuse(value, 'bytea', 'a Uint8Array')
  return value
}

function uuid(value) {
  if (typeof value !== 'string') refuse(value, 'uuid', 'a string')
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) throw new RangeError('the string is not a uuid')
  const digits = value.replaceAll('-', '')
  return Uint8Array.from({ length: 16 }, (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 16))
}

function boolean(value) {
  if (typeof value !== 'boolean') refuse(value, 'boolean', 'a boolean')
  return smallInteger(value ? 1 : 0)
}

/** A date in the form in which PostgreSQL prints it by default: 2026-01-31, 0044-03-15 BC, infinity. */
function date(value) {
  if (typeof value !== 'string') refuse(value, 'date', 'a string such as 2026-01-31')
  if (value === 'infinity') return smallInteger(2 ** 31 - 1)
  if (value === '-infinity') return smallInteger(-(2 ** 31))
  const parts = /^([0-9]{4,7})-([0-9]{2})-([0-9]{2})( BC)?$/.exec(value)
  if (parts) {
    const year = parts[4] ? 1 - Number(parts[1]) : Number(parts[1])
    const month = Number(parts[2])
    const day = Number(parts[3])
    // Date reaches 275,000 years; the calendar repeats after 400 years, which are 146,097 days.
    const cycles = Math.floor(year / 400)
    const noon = new Date(0)
    noon.setUTCFullYear(year - 400 * cycles + 400, month - 1, day)
    if (Number(parts[1]) > 0 && noon.getUTCMonth() === month - 1 && noon.getUTCDate() === day) {
      return smallInteger((noon.getTime() - FIRST_DAY) / MILLISECONDS_PER_DAY + (cycles - 1) * 146097)
    }
  }
  throw new RangeError(`not a date of the form 2026-01-31: ${value.slice(0, 40)}`)
}

// By the name of the kind. Other kinds are hashed by functions of PostgreSQL, are combinations of kinds, or have values
// that JavaScript's types do not represent exactly.
export const LOOKUP = {
  integer,
  text: value => utf8(value, 'text'),
  bytea,
  uuid,
  boolean,
  date,
  numeric,
  enum: value => utf8(value, 'enum'),
  character: value => utf8(typeof value === 'string' ? value.replace(/ +$/, '') : value, 'character')
}
export const ADD = { ...LOOKUP, integer: addedInteger }

// Names of types in SQL and JavaScript, by which users call the kinds, too.
export const OTHER_NAMES = new Map(Object.entries({
  smallint: 'integer',
  int: 'integer',
  bigint: 'integer',
  int2: 'integer',
  int4: 'integer',
  int8: 'integer',
  varchar: 'text',
  'character varying': 'text',
  string: 'text',
  str: 'text',
  char: 'character',
  bpchar: 'character',
  bool: 'boolean',
  decimal: 'numeric'
}))

/** The function for the kind of an image; for a kind without one, a function that throws KindError. */
export function encoderFor({ isNamed, kindName }, encoders) {
  // A named kind is none of ours, whatever its name.
  if (!isNamed && Object.hasOwn(encoders, kindName)) return encoders[kindName]
  return () => {
    throw new KindError(`this package cannot hash values of kind ${kindName}; hash them in the database, by` +
      ' filter_hash(value), and pass the result to containsHash()')
  }
}
