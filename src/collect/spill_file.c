#include "collect/spill_file.h"

#include "miscadmin.h"

#include "compat.h"

/*
 * Precedes the hashes of every extent. It does not contain the length of the extent, so that it need not be rewritten
 * when the extent grows. The length follows from `before` in the list's next extent, or from the length of the list.
 */
typedef struct ExtentHeader
{
	uint64		previous;		/* position of the previous extent, if there is one */
	uint64		before;			/* number of the list's hashes before this extent */
} ExtentHeader;

SpillFile *
spill_file_create(MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	SpillFile  *spill = palloc0(sizeof(SpillFile));

	spill->file = BufFileCreateTemp(false);
	MemoryContextSwitchTo(old);
	return spill;
}

void
spill_file_close(SpillFile *spill)
{
	BufFileClose(spill->file);
	pfree(spill);
}

static void
seek_to(SpillFile *spill, uint64 position)
{
	if (BufFileSeek(spill->file, 0, (off_t) position, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not seek in a temporary file of a filter")));
}

static void
read_at(SpillFile *spill, uint64 position, void *bytes, Size count)
{
	seek_to(spill, position);
	if (BufFileRead(spill->file, bytes, count) != count)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read a temporary file of a filter")));
}

static void
write_at_end(SpillFile *spill, const void *bytes, Size count)
{
	BufFileWrite(spill->file, unconstify(void *, bytes), count);
	spill->end += count;
}

void
spill_append(SpillFile *spill, SpillList *list, const void *hashes, Size count)
{
	CHECK_FOR_INTERRUPTS();
	if (count == 0)
		return;
	seek_to(spill, spill->end);
	if (spill->open != list)
	{
		ExtentHeader header = {list->last, list->count};

		list->last = spill->end;
		write_at_end(spill, &header, sizeof(header));
	}
	write_at_end(spill, hashes, count * sizeof(uint64));
	list->count += count;
	spill->open = list;
}

void
spill_read(SpillFile *spill, const SpillList *list, uint64 *hashes)
{
	uint64		position = list->last;

	for (uint64 end = list->count; end > 0;)
	{
		ExtentHeader header;

		CHECK_FOR_INTERRUPTS();
		read_at(spill, position, &header, sizeof(header));
		read_at(spill, position + sizeof(header), hashes + header.before, (end - header.before) * sizeof(uint64));
		end = header.before;
		position = header.previous;
	}
}

void
spill_forget(SpillFile *spill, SpillList *list)
{
	if (spill->open == list)
		spill->open = NULL;
	memset(list, 0, sizeof(*list));
}
