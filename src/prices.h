/*
 * The planner uses these prices of filters: fractions of cpu_tuple_cost, which it charges for a row, and numbers of
 * cpu_operator_cost.
 *
 * They are measured (docs/performance/tables.md), since PostgreSQL's cost of a function call does not know what probing a page at
 * a time saves. The unit is a row that fails a cheap condition in a sequential scan of narrow rows in shared buffers: it costs
 * one cpu_tuple_cost and one cpu_operator_cost.
 */
#ifndef FILTER_PRICES_H
#define FILTER_PRICES_H

/* A call of bf_contains for a row. A filter of more than CACHED_BYTES is in no cache, and the call waits for memory. */
#define PRICE_CALL				2.0
#define PRICE_CALL_UNCACHED		8.0
#define CACHED_BYTES			8388608.0

/* A row that a filter scan rejects, as a fraction of a row of a sequential scan. */
#define PRICE_REJECTED_ROW		0.25

/* A probe of a condition in a filter scan, whatever the filter's size. */
#define PRICE_PROBE				1.0

/* A probe of a runtime filter, with hashing of the key by PostgreSQL's function. */
#define PRICE_RUNTIME_PROBE		2.0

/* Hashing a key that is not hashed many at once; in a join, one that is cast or of variable length. */
#define PRICE_HASH				15.0

/* Adding a key to a runtime filter. */
#define PRICE_KEY				4.0

/*
 * Looking up a row in a hash table, as a fraction of a row, besides what the planner charges for it, which is next to nothing. A
 * table of at most CACHED_HASH_TABLE_BYTES is in the CPU's own cache.
 */
#define PRICE_LOOKUP			1.0
#define PRICE_LOOKUP_CACHED		0.5
#define CACHED_HASH_TABLE_BYTES	1e6

#endif
