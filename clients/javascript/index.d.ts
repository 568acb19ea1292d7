/** One layer. The meaning of count, size and width depends on the type of the filter. */
export interface Layer {
  /** The number of values for which the layer was made. */
  readonly capacity: number
  /** Bloom filter: blocks; cuckoo filter: pages. */
  readonly count: number
  /** Bloom filter: bits per block; cuckoo filter: windows per half page. */
  readonly size: number
  /** Bloom filter: probes per value; cuckoo filter: bits per slot. */
  readonly width: number
  /** Of the layer's first byte, from the start of the image. */
  readonly offset: number
  /** Of the counters and the stash of a cuckoo layer, which nearly all layers are without. */
  readonly counters?: number
  readonly stash?: number
}

/** A filter in any form in which a driver or fetch() returns it: its text or its bytes. */
export type Image = string | Uint8Array | ArrayBuffer

/**
 * What a filter of each kind accepts. integer: bigint, or a number that is an integer; numeric: also the string of a
 * decimal number; text, character, enum, uuid, date: string; bytea: Uint8Array; boolean: boolean.
 */
export type Value = bigint | number | string | boolean | Uint8Array

/** The kinds whose values this package hashes. */
export type Kind = 'integer' | 'text' | 'bytea' | 'uuid' | 'boolean' | 'date' | 'numeric' | 'enum' | 'character'

/** Usual names of these kinds in SQL and JavaScript, which the builder accepts, too. */
export type KindAlias =
  | 'smallint' | 'int' | 'bigint' | 'int2' | 'int4' | 'int8' | 'varchar' | 'character varying' | 'string' | 'str'
  | 'char' | 'bpchar' | 'bool' | 'decimal'

/** A Bloom or cuckoo filter that an application reads. */
export class Filter {
  /** Throws InvalidImage unless the image follows every rule of the format. */
  constructor(image: Image)
  readonly type: 'bloomfilter' | 'cuckoofilter'
  /** The kind of the values, as bf_info() and cf_info() report it; none if none was added yet. */
  readonly kind: string
  /** The requested false positive rate. */
  readonly rate: number
  /** The number of values for which the layers were made. */
  readonly capacity: number
  /** Whether the filter gets more layers when it outgrows its capacity. */
  readonly grows: boolean
  readonly layers: readonly Layer[]
  /**
   * Whether the filter contains the value: false is certain, true may be a false positive. Throws KindError if the value
   * is not of the filter's kind, and RangeError for a string that is not a value of it.
   */
  contains(value: Value): boolean
  containsMany(values: Iterable<Value>): boolean[]
  /** The same for a value of the filter's kind whose hash filter_hash(value) returned. */
  containsHash(hash: bigint | string): boolean
  /**
   * The number of copies in a cuckoo filter: never too low, and 16 means "16 or more". The union of filters that both
   * had values counts nothing: 1 or more only means that it contains the value.
   */
  count(value: Value): number
  /** The image, for a parameter of type bytea. */
  toBytes(): Uint8Array
  /** The filter's text form, the base64 of its image, which can have megabytes. */
  toText(): string
  /** A short description. */
  toString(): string
}

export type BuilderOptions =
  | {
      /** The number of distinct values for which to size the filter. */
      capacity: number
      /** The false positive rate, 1e-7 to 0.5; 0.01 by default. */
      rate?: number
      kind: Kind | KindAlias
      /** False for a filter like that of bf_create(..., grow => false), which takes any number of values. */
      grows?: boolean
    }
  | {
      /** An empty filter, which bf_create(capacity, fpr, of => 'type') made. */
      template: Image
    }

/** Builds a Bloom filter of one kind of values, byte for byte as the extension does with bf_agg. */
export class BloomFilterBuilder {
  constructor(options: BuilderOptions)
  /** Throws CapacityError if the filter grows and already has as many values as its capacity. */
  add(value: Value): void
  /** Adds every value. After an exception, some of them have been added. */
  addAll(values: Iterable<Value>): void
  /** The image, for a parameter of type bytea. */
  toBytes(): Uint8Array
  /** The base64 of the image, for a parameter without a type, or a file for COPY. */
  toText(): string
  /** A short description. */
  toString(): string
}

/** The bytes or the text are not a filter. */
export class InvalidImage extends Error {
  /** The number of the violated rule of docs/format.md; undefined if the text is not base64. */
  readonly rule: number | undefined
}

/** The filter holds values of another kind than the given one, or of a kind that this package does not support. */
export class KindError extends TypeError {}

/** The filter being built has no room for the value. */
export class CapacityError extends RangeError {}
