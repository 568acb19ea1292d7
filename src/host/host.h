/*
 * Only host/ knows PostgreSQL's private state: buffers, scans of heaps, and the tables of hash joins. This header has the
 * differences between the versions that it knows. Each file says what its results need of that state, and compares it with
 * what public functions return, in release builds, too; or says why it need not.
 *
 * Each file has a portable form, which uses public functions only: for a version that host/ does not know, and with `make
 * HOST=portable`. Everything works with it, but takes longer.
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
 * Pages are read without the access method, too, up to 16. Since 17, where a stream reads ahead, this saves little time, and
 * only in small tables that are not scanned in parallel.
 */
#if PG_VERSION_NUM < 170000 && !defined(FILTER_HOST_PORTABLE)
#define HOST_READS_PAGES
#endif

/* Since 16, a relation's files have another name, and hits are counted for each kind of I/O, too. */
#if PG_VERSION_NUM >= 160000
#define relation_locator(relation) ((relation)->rd_locator)
#define init_buffer_tag(tag, locator, fork, block) InitBufferTag(tag, &(locator), fork, block)
#define count_hit_of_kind(strategy) pgstat_count_io_op(IOOBJECT_RELATION, IOContextForStrategy(strategy), IOOP_HIT)
#else
#define relation_locator(relation) ((relation)->rd_node)
#define init_buffer_tag(tag, locator, fork, block) INIT_BUFFERTAG(*(tag), locator, fork, block)
#define count_hit_of_kind(strategy) ((void) 0)
#endif

#define count_buffer_hit(relation, strategy) \
	do { \
		pgstat_count_buffer_read(relation); \
		pgstat_count_buffer_hit(relation); \
		count_hit_of_kind(strategy); \
	} while (0)

#endif
