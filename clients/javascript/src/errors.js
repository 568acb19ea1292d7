/** The bytes or the text are not a filter. `rule` is the number of the violated rule of docs/format.md, if any. */
export class InvalidImage extends Error {
  constructor(message, rule) {
    super(message)
    this.name = 'InvalidImage'
    this.rule = rule
  }
}

/** The filter holds values of another kind than the given one, or of a kind that this package does not support. */
export class KindError extends TypeError {
  constructor(message) {
    super(message)
    this.name = 'KindError'
  }
}

/** The filter being built has no room for the value. */
export class CapacityError extends RangeError {
  constructor(message) {
    super(message)
    this.name = 'CapacityError'
  }
}
