#include "stored/expanded_image.h"

#include "compat.h"
#include "core/pause.h"

static Size
flat_size(ExpandedObjectHeader *header)
{
	return VARSIZE(((ExpandedImage *) header)->image);
}

static void
flatten(ExpandedObjectHeader *header, void *result, Size size)
{
	filter_copy_bytes(result, ((ExpandedImage *) header)->image, size);
}

static const ExpandedObjectMethods methods = {flat_size, flatten};

void
expanded_image_init(ExpandedImage *expanded, MemoryContext context)
{
	EOH_init_header(&expanded->header, &methods, context);
}

ExpandedImage *
expanded_image_get(Datum datum)
{
	ExpandedImage *expanded = (ExpandedImage *) DatumGetEOHP(datum);

	if (unlikely(expanded->header.eoh_methods != &methods))
		elog(ERROR, "expanded object is not a filter");
	return expanded;
}
