// Reads the filters of the PostgreSQL extension cuckoo_filter, and builds Bloom filters for it.
export { BloomFilterBuilder } from './builder.js'
export { CapacityError, InvalidImage, KindError } from './errors.js'
export { Filter } from './filter.js'
