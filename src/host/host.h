/*
 * This room is the only one that knows PostgreSQL's private state: buffers, scans of heaps, and the tables of hash joins.
 * Here are the differences between the versions that it knows.
 *
 * Each file has a portable form, which needs public functions alone: for a version that this room does not know, and with
 * `make HOST=portable`. Everything works there, but takes longer.
 */
#ifndef FILTER_HOST_HOST_H
#define FILTER_HOST_HOST_H

#include "postgres.h"

/* 19 is the newest version that was tested. */
#if PG_VERSION_NUM >= 200000
#ifndef FILTER_HOST_PORTABLE
#define FILTER_HOST_PORTABLE
#endif
#endif

/*
 * Pages of a heap. Since 17, a stream reads ahead for a scan, and a function lists the visible rows of a page that it has
 * pinned. Since 18, to pin a buffer that probably has a certain page counts as a use of it.
 */
#define HOST_HEAP_READS_AHEAD (PG_VERSION_NUM >= 170000)
#define HOST_GUESS_COUNTS_AS_USE (PG_VERSION_NUM >= 180000)

/*
 * Buffers. Since 16, a relation's files have another name, and hits are counted for each kind of I/O, too, which has more
 * parameters since 18. Since 19, the state of a buffer has 64 bits.
 */
#if PG_VERSION_NUM >= 160000
#define relation_locator(relation) ((relation)->rd_locator)
#define init_buffer_tag(tag, locator, fork, block) InitBufferTag(tag, &(locator), fork, block)
#else
#define relation_locator(relation) ((relation)->rd_node)
#define init_buffer_tag(tag, locator, fork, block) INIT_BUFFERTAG(*(tag), locator, fork, block)
#endif

#if PG_VERSION_NUM >= 180000
#define count_hit_of_kind(strategy) \
	pgstat_count_io_op(IOOBJECT_RELATION, IOContextForStrategy(strategy), IOOP_HIT, 1, 0)
#elif PG_VERSION_NUM >= 160000
#define count_hit_of_kind(strategy) pgstat_count_io_op(IOOBJECT_RELATION, IOContextForStrategy(strategy), IOOP_HIT)
#else
#define count_hit_of_kind(strategy) ((void) 0)
#endif

#define count_buffer_hit(relation, strategy) \
	do { \
		pgstat_count_buffer_read(relation); \
		pgstat_count_buffer_hit(relation); \
		count_hit_of_kind(strategy); \
	} while (0)

#if PG_VERSION_NUM >= 190000
#define buffer_usage_count(buffer) ((int) BUF_STATE_GET_USAGECOUNT(pg_atomic_read_u64(&(buffer)->state)))
#else
#define buffer_usage_count(buffer) ((int) BUF_STATE_GET_USAGECOUNT(pg_atomic_read_u32(&(buffer)->state)))
#endif

#endif
