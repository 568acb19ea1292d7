/*
 * A list in the file is a chain of extents. Each extent has the position of the one before it, so a list is read from its end,
 * into an array of its whole length, and no list of its extents is needed in memory.
 */
#include "collect/hash_pool.h"

#include "miscadmin.h"

#include "compat.h"

/* An ExtentHeader precedes the hashes of every extent. */
typedef struct ExtentHeader
{
	uint64		previous;		/* position of the previous extent, if there is one */
	uint64		before;			/* number of the list's hashes before this extent */
} ExtentHeader;

void
hash_pool_close(HashPool *pool)
{
	if (pool->file != NULL)
		BufFileClose(pool->file);
	pool->file = NULL;
}

static void
seek_to(HashPool *pool, uint64 position)
{
	if (BufFileSeek(pool->file, 0, (off_t) position, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not seek in a temporary file of a filter")));
}

static void
read_next(HashPool *pool, void *bytes, Size count)
{
	if (BufFileRead(pool->file, bytes, count) != count)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read a temporary file of a filter")));
}

void
hash_pool_write(HashPool *pool, SpillList *list, const uint64 *hashes, Size count)
{
	ExtentHeader header = {list->last, list->count};

	CHECK_FOR_INTERRUPTS();
	if (count == 0)
		return;
	if (pool->file == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(pool->context);

		pool->file = BufFileCreateTemp(false);
		MemoryContextSwitchTo(old);
	}
	seek_to(pool, pool->file_end);
	BufFileWrite(pool->file, &header, sizeof(header));
	BufFileWrite(pool->file, unconstify(uint64 *, hashes), count * sizeof(uint64));
	list->last = pool->file_end;
	list->count += count;
	pool->file_end += sizeof(header) + count * sizeof(uint64);
}

void
hash_pool_read(HashPool *pool, const SpillList *list, uint64 *hashes)
{
	uint64		position = list->last;

	for (uint64 end = list->count; end > 0;)
	{
		ExtentHeader header;

		CHECK_FOR_INTERRUPTS();
		seek_to(pool, position);
		read_next(pool, &header, sizeof(header));
		read_next(pool, hashes + header.before, (end - header.before) * sizeof(uint64));
		end = header.before;
		position = header.previous;
	}
}
