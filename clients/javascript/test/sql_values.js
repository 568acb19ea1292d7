// Values of JavaScript for the texts in which the server shows them, by kind.
import { fromHex } from './bytes.js'

export const read = {
  integer: BigInt,
  text: String,
  character: String,
  enum: String,
  bytea: text => fromHex(text.slice(2)),
  uuid: String,
  boolean: text => text === 'true',
  date: String,
  numeric: String
}
