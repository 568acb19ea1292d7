/*
 * What filters cost, for the planner: fractions of cpu_tuple_cost, which it charges for a row, and numbers of cpu_operator_cost.
 *
 * They are measured (docs/performance/tables.md), since PostgreSQL's cost of a function call does not know what probing a page at a
 * time saves. The unit is a row of a sequential scan of narrow rows in shared buffers that fails a cheap condition: one of each.
 */
#ifndef FILTER_PRICES_H
#define FILTER_PRICES_H

/* A call of bf_contains for a row, if the filter is in a cache; and if it has more bytes than CACHED_BYTES, and memory is awaited. */
#define PRICE_CALL				2.0
#define PRICE_CALL_UNCACHED		8.0
#define CACHED_BYTES			8388608.0

/* A row of a filter scan as a fraction of one of a sequential scan, if it is rejected. */
#define PRICE_REJECTED_ROW		0.25

/* A probe in a filter scan, whatever the size of the filter; of a join's filter, with hashing the key by PostgreSQL's functions. */
#define PRICE_PROBE				1.0
#define PRICE_RUNTIME_PROBE		2.0

/* Hashing a key that is not hashed many at once: one of any size, or one that is cast. */
#define PRICE_HASH				15.0

/* Adding a key to a join's filter. */
#define PRICE_KEY				4.0

/*
 * Looking up a row in a hash table, as a fraction of a row, besides what the planner charges for it, which is next to nothing. The
 * table may be in the CPU's own cache.
 */
#define PRICE_LOOKUP			1.0
#define PRICE_LOOKUP_CACHED		0.5
#define CACHED_HASH_TABLE_BYTES	1e6

#endif
