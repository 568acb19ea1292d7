/*
 * The image of a filter: one canonical little-endian byte string, the same in memory, on disk and on the wire.
 * docs/format.md specifies it; only this header and image.c depend on the positions of its fields.
 *
 * A FilterView is a view of an image, which has its header, with the position and geometry of each layer, and owns nothing.
 * Bytes become a view only through filter_open, which checks every length, count and geometry. Bytes from a user must pass
 * filter_check_content as well.
 */
#ifndef FILTER_IMAGE_H
#define FILTER_IMAGE_H

#include "core/arithmetic.h"
#include "core/bloom.h"
#include "core/cuckoo.h"
#include "core/value_kind.h"

#define FILTER_MIN_RATE			((double) 1e-7)	/* the cast drops any excess precision of a bare 1e-7 */
#define FILTER_MAX_RATE			0.5
#define FILTER_DEFAULT_RATE		0.01
#define FILTER_DEFAULT_CAPACITY	1000	/* of a first layer without a given capacity */
#define FILTER_MAX_LAYERS		32
#define FILTER_MAX_CAPACITY		INT64_MAX

/*
 * The size limit: a text value in PostgreSQL has at most 1 GB, and the hexadecimal form, the longest text form of an image, is
 * twice as long. The rest of the 1 GB is for the other columns of the row in a dump.
 */
#define FILTER_MAX_IMAGE_BYTES	524288000	/* 500 MiB */

/* The longest header: its fixed part, the longest name of a kind (padded), and the descriptors of all layers. */
#define FILTER_MAX_HEADER_BYTES	(24 + VALUE_KIND_MAX_NAME_BYTES + 1 + FILTER_MAX_LAYERS * 24)

typedef enum FilterType
{
	FILTER_BLOOM = 1,
	FILTER_CUCKOO = 2
} FilterType;

typedef struct FilterLayer
{
	uint64_t	capacity;		/* in values */
	uint32_t	count;			/* blocks, or pages */
	uint32_t	size;			/* bits in a block, or windows in half a page */
	uint32_t	width;			/* probes per value, or bits per slot */
	uint64_t	offset;			/* of its bytes in the image */
	uint64_t	bytes;

	bool		counted;		/* cuckoo: whether it has counters */
	uint32_t	stash_capacity;	/* cuckoo: the most classes in its stash (`room` in format.md); 0: it has none */
} FilterLayer;

typedef struct FilterHeader
{
	FilterType	type;			/* next to the number of layers, so that lookups compare both at once */
	uint32_t	layers;
	ValueKind	kind;			/* its name is in the image, or owned by the caller while an image is being made */
	double		rate;			/* requested false positive rate */
	FilterLayer layer[FILTER_MAX_LAYERS];
	bool		has_stash;		/* cuckoo: whether a layer has a stash; derived from the layers */
	bool		is_set;			/* cuckoo: whether it counts no copies, so that nothing can be removed from it */
	bool		fixed;			/* whether it does not grow: it always has exactly one layer */
} FilterHeader;

/* A view of an image, with caches that are 0 until they are needed. */
typedef struct FilterView
{
	uint8_t    *image;			/* not owned; null while only the header is there */
	FilterHeader header;
	uint64_t	remaining;		/* Bloom: values that are known to fit into the newest layer still, without counting its bits */
	uint32_t	crowded_bits;	/* Bloom: bloom_crowded_bits of the newest layer; 0 before the first addition that needs it */
} FilterView;

/*
 * View bytes as a filter, after checking the whole header: O(layers). The filter points into the image, which must
 * outlive it. FILTER_BAD_IMAGE with *reason, a clause for the user such as "it ends early".
 */
extern FilterStatus filter_open(FilterView *filter, uint8_t *image, uint64_t bytes, const char **reason);

/* Read and check the header, given the first FILTER_MAX_HEADER_BYTES bytes of the image, or all of a shorter image. */
extern FilterStatus filter_open_header(FilterHeader *header, const uint8_t *head, uint64_t head_bytes, uint64_t image_bytes,
									   const char **reason);

/* The length of the header: everything before the first layer. */
extern uint64_t filter_header_bytes(const FilterHeader *header);

/* Check the bits of the layers, which filter_open does not: O(size). Errors as in filter_open. */
extern FilterStatus filter_check_content(const FilterView *filter, const char **reason);

/* Start the header of a filter without layers or kind. FILTER_BAD_RATE outside FILTER_MIN_RATE .. FILTER_MAX_RATE. */
extern FilterStatus filter_init(FilterHeader *header, FilterType type, double rate);

/*
 * Compute the offsets of the layers, has_stash, and the size of the image. FILTER_TOO_LARGE above FILTER_MAX_IMAGE_BYTES; *bytes
 * is set to the size in either case.
 */
extern FilterStatus filter_lay_out(FilterHeader *header, double *bytes);

/* Write a header that is laid out to zeroed memory of the size of the image, and make the filter a view of this image. */
extern void filter_write_header(FilterView *filter, uint8_t *image);

/* Mark a filter, which has one layer, as one that does not grow. */
extern void filter_set_fixed(FilterView *filter);

/* Record the sources of the filter's values. */
extern void filter_set_sources(FilterView *filter, uint8_t sources);

/* Whether a filter is a single layer without a stash, as most are, so that its slots or bits alone answer lookups. */
static inline bool
filter_is_plain(const FilterHeader *header)
{
	return header->layers == 1 && !header->has_stash;
}

/*
 * The bytes of a layer; an invalid pointer if the filter has no image. It is computed from integers: C forbids offsets from
 * null, and a branch would slow down additions of single values to a Bloom filter.
 */
static inline uint8_t *
filter_layer_start(const FilterView *filter, uint32_t layer)
{
	return (uint8_t *) ((uintptr_t) filter->image + (uintptr_t) filter->header.layer[layer].offset);
}

/* A layer in the form that the code of its type uses; the bytes may be null if only its size is of interest. */

static inline BloomLayer
filter_as_bloom_layer(const FilterLayer *from, uint8_t *bytes)
{
	BloomLayer	bloom = {from->count, from->size, from->width, bytes};

	return bloom;
}

static inline CuckooLayer
filter_as_cuckoo_layer(const FilterLayer *from, uint8_t *bytes)
{
	return cuckoo_layer(from->count, from->size, from->width, from->counted, from->stash_capacity, bytes);
}

static inline BloomLayer
filter_bloom_layer(const FilterView *filter, uint32_t layer)
{
	return filter_as_bloom_layer(&filter->header.layer[layer], filter_layer_start(filter, layer));
}

static inline CuckooLayer
filter_cuckoo_layer(const FilterView *filter, uint32_t layer)
{
	return filter_as_cuckoo_layer(&filter->header.layer[layer], filter_layer_start(filter, layer));
}

/* A layer of either type, in the form that the code of its type uses. */
typedef union AnyLayer
{
	BloomLayer	bloom;
	CuckooLayer cuckoo;
} AnyLayer;

/* This sets *any instead of returning it, since a lookup would have to wait for the copy. */
static inline void
filter_any_layer(AnyLayer *any, const FilterView *filter, uint32_t layer)
{
	if (filter->header.type == FILTER_BLOOM)
		any->bloom = filter_bloom_layer(filter, layer);
	else
		any->cuckoo = filter_cuckoo_layer(filter, layer);
}

/*
 * FILTER_PLACEMENT_BYTES and filter_place_image align a copy of an image that will be probed.
 *
 * A Bloom block is as long as a cache line. A lookup waits for one line if the block is aligned to it, otherwise for two. The
 * offsets of the layers are part of the format, so only the start of the image can be chosen. It is chosen to align the
 * largest layer, which is the least likely to be cached. A layer of several blocks is a whole number of lines long, so this
 * aligns the others too, unless a layer of a single block lies in between.
 */

/* The bytes to allocate in addition to the image. */
#define FILTER_PLACEMENT_BYTES		(FILTER_CACHE_LINE_BYTES - 1)

/* Where to start the image in memory that is FILTER_PLACEMENT_BYTES longer. */
static inline uint8_t *
filter_place_image(const FilterHeader *header, void *memory)
{
	uint64_t	offset = 0;
	uint64_t	most = 0;

	for (uint32_t i = 0; i < header->layers; i++)
		if (header->layer[i].bytes > most)
		{
			most = header->layer[i].bytes;
			offset = header->layer[i].offset;
		}
	return (uint8_t *) memory + (0 - ((uintptr_t) memory + (uintptr_t) offset)) % FILTER_CACHE_LINE_BYTES;
}

extern bool filter_layer_is_empty(const FilterView *filter, uint32_t layer);

/* Whether layers of two filters of one type have the same geometry. */
extern bool filter_same_geometry(const FilterLayer *a, const FilterLayer *b);

#endif
