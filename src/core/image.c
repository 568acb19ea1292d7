/*
 * Every image from outside passes filter_open, which trusts no length, count or geometry before it has checked it against the
 * number of bytes; filter_check_content checks what depends on the content of layers.
 */
#include "core/image.h"

#include "core/bytes.h"
#include "core/cuckoo_stash.h"
#include "core/pause.h"

#include <assert.h>

/* The offsets of the header's fields, as in the specification, docs/format.md. */
#define AT_MAGIC			0	/* 4 bytes */
#define AT_VERSION			4	/* 1 byte */
#define AT_TYPE				5	/* 1 byte */
#define AT_HASH				6	/* 1 byte */
#define AT_LAYERS			7	/* 1 byte */
#define AT_RATE				8	/* double */
#define AT_KIND				16	/* 1 byte */
#define AT_FLAGS			17	/* 1 byte, FLAG_* */
#define AT_KIND_NAME_LENGTH	18	/* 16 bits */
#define AT_SOURCES			20	/* 1 byte, VALUE_FROM_* */
#define AT_RESERVED			21	/* 3 bytes, zero */
#define HEADER_BYTES		24	/* then the name of the kind, padded with zeroes to 8 bytes, then the descriptors */

/* The offsets of the fields of a layer's descriptor. */
#define AT_CAPACITY			0	/* 64 bits */
#define AT_COUNT			8	/* 32 bits */
#define AT_SIZE				12	/* 16 bits */
#define AT_WIDTH			14	/* 1 byte */
#define AT_LAYER_FLAGS		15	/* 1 byte, LAYER_* */
#define AT_OFFSET			16	/* 64 bits */
#define DESCRIPTOR_BYTES	24

#define FORMAT_VERSION		1
#define HASH_XXH3_64		1
#define FLAG_SET			1	/* a cuckoo filter that counts no copies */
#define FLAG_FIXED			2	/* the filter does not grow */
#define LAYER_COUNTED		1	/* a cuckoo layer with counters */
#define LAYER_STASH			2	/* a cuckoo layer with a stash */

static const uint8_t magic[4] = {'c', 'k', 'f', 'l'};

static uint64_t
image_padded(uint64_t bytes)
{
	return (bytes + 7) / 8 * 8;
}

uint64_t
filter_header_bytes(const FilterHeader *header)
{
	return HEADER_BYTES + image_padded(header->kind.name_length) + (uint64_t) header->layers * DESCRIPTOR_BYTES;
}

static uint64_t
layer_bytes(FilterType type, const FilterLayer *layer)
{
	BloomLayer	bloom = filter_as_bloom_layer(layer, NULL);
	CuckooLayer cuckoo = filter_as_cuckoo_layer(layer, NULL);

	return type == FILTER_BLOOM ? bloom_bytes(&bloom) : cuckoo_bytes(&cuckoo);
}

bool
filter_same_geometry(const FilterLayer *a, const FilterLayer *b)
{
	return a->count == b->count && a->size == b->size && a->width == b->width;
}

static bool
bytes_are_zero(const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length;)
		for (size_t end = filter_stride(i, length, FILTER_STRIDE_WORDS); i < end; i++)
			if (bytes[i] != 0)
				return false;
	return true;
}

bool
filter_layer_is_empty(const FilterView *filter, uint32_t layer)
{
	return bytes_are_zero(filter_layer_start(filter, layer), (size_t) filter->header.layer[layer].bytes);
}

/* NaN is not valid: it fails both comparisons. */
static bool
rate_is_valid(double rate)
{
	return rate >= FILTER_MIN_RATE && rate <= FILTER_MAX_RATE;
}

static uint8_t
flags_of(const FilterHeader *header)
{
	return (uint8_t) ((header->is_set ? FLAG_SET : 0) | (header->fixed ? FLAG_FIXED : 0));
}

/* Read and check the fields before the descriptors; returns null, or the reason why they are invalid. */
static const char *
read_header(FilterHeader *header, const uint8_t *image, uint64_t bytes)
{
	uint8_t		type,
				kind;

	if (bytes < HEADER_BYTES)
		return "it ends early";
	if (memcmp(image + AT_MAGIC, magic, sizeof(magic)) != 0)
		return "it does not begin with the magic number of a filter";
	if (image[AT_VERSION] != FORMAT_VERSION)
		return "its format version is unknown to this release";
	if (image[AT_HASH] != HASH_XXH3_64)
		return "its hash function is unknown to this release";

	type = image[AT_TYPE];
	if (type != FILTER_BLOOM && type != FILTER_CUCKOO)
		return "its filter type is unknown";
	header->type = type == FILTER_BLOOM ? FILTER_BLOOM : FILTER_CUCKOO;

	header->layers = image[AT_LAYERS];
	if (header->layers > FILTER_MAX_LAYERS)
		return "it has too many layers";
	header->rate = load_le_double(image + AT_RATE);
	if (!rate_is_valid(header->rate))
		return "its false positive rate is out of range";

	header->is_set = (image[AT_FLAGS] & FLAG_SET) != 0;
	header->fixed = (image[AT_FLAGS] & FLAG_FIXED) != 0;
	if (image[AT_FLAGS] != flags_of(header) || (header->is_set && header->type != FILTER_CUCKOO))
		return "it has unknown flags";
	if (header->fixed && header->layers != 1)
		return "it does not grow, but does not have exactly one layer";
	if (!bytes_are_zero(image + AT_RESERVED, HEADER_BYTES - AT_RESERVED))
		return "its reserved bytes are not zero";

	kind = image[AT_KIND];
	if (kind > VALUE_KIND_LAST)
		return "its value kind is unknown";
	header->kind.code = (ValueKindCode) kind;
	header->kind.sources = image[AT_SOURCES];
	header->kind.name_length = load_le16(image + AT_KIND_NAME_LENGTH);
	if ((header->kind.code == VALUE_KIND_NAMED) != (header->kind.name_length > 0) ||
		header->kind.name_length > VALUE_KIND_MAX_NAME_BYTES)
		return "the name of its value kind has an invalid length";
	if (bytes < filter_header_bytes(header))
		return "it ends early";
	header->kind.name = (const char *) image + HEADER_BYTES;
	for (uint32_t i = 0; i < header->kind.name_length; i++)
		if (header->kind.name[i] < ' ' || header->kind.name[i] > '~')
			return "the name of its value kind contains a character that is not printable ASCII";
	if ((header->kind.sources & ~value_kind_possible_sources(&header->kind)) != 0)
		return "it records source types that its value kind does not include";
	if (!bytes_are_zero(image + HEADER_BYTES + header->kind.name_length,
						(size_t) (image_padded(header->kind.name_length) - header->kind.name_length)))
		return "its reserved bytes are not zero";
	return NULL;
}

/* Read and check a descriptor. `end` is the end of the layer: the offset of the next one, or the length of the image. */
static const char *
read_descriptor(FilterHeader *header, uint32_t index, const uint8_t *descriptor, uint64_t end)
{
	FilterLayer *layer = &header->layer[index];
	uint8_t		flags = descriptor[AT_LAYER_FLAGS];

	layer->capacity = load_le64(descriptor + AT_CAPACITY);
	layer->count = load_le32(descriptor + AT_COUNT);
	layer->size = load_le16(descriptor + AT_SIZE);
	layer->width = descriptor[AT_WIDTH];
	layer->counted = (flags & LAYER_COUNTED) != 0;
	layer->stash_capacity = 0;

	if (layer->capacity == 0 || layer->capacity > FILTER_MAX_CAPACITY)
		return "the capacity of a layer is out of range";
	if (flags > (header->type == FILTER_CUCKOO ? LAYER_COUNTED | LAYER_STASH : 0))
		return "a layer has unknown flags";
	if (layer->counted && header->is_set)
		return "it counts no copies, but a layer has counters";
	if (header->type == FILTER_BLOOM ? !bloom_geometry_is_valid(layer->count, layer->size, layer->width)
		: !cuckoo_geometry_is_valid(layer->count, layer->size, layer->width))
		return "the geometry of a layer is invalid";
	layer->bytes = layer_bytes(header->type, layer);
	if ((flags & LAYER_STASH) != 0)
	{
		uint64_t	capacity = (end - layer->offset - layer->bytes) / 8 - 1;

		if (end - layer->offset <= layer->bytes + 8 || capacity > UINT32_MAX)
			return "the stash of a layer has an invalid length";
		layer->stash_capacity = (uint32_t) capacity;
		header->has_stash = true;
		layer->bytes = layer_bytes(header->type, layer);
	}
	return NULL;
}

static FilterStatus
bad_image(const char *why, const char **reason)
{
	*reason = why;
	return FILTER_BAD_IMAGE;
}

FilterStatus
filter_open_header(FilterHeader *header, const uint8_t *head, uint64_t head_bytes, uint64_t image_bytes, const char **reason)
{
	uint64_t	end;
	const uint8_t *descriptors;
	const char *why;

	header->has_stash = false;
	if ((why = read_header(header, head, head_bytes)) != NULL)
		return bad_image(why, reason);

	end = filter_header_bytes(header);
	descriptors = head + end - (uint64_t) header->layers * DESCRIPTOR_BYTES;
	for (uint32_t i = 0; i < header->layers; i++)
	{
		const uint8_t *descriptor = descriptors + (size_t) i * DESCRIPTOR_BYTES;
		uint64_t	next = i + 1 < header->layers ? load_le64(descriptor + DESCRIPTOR_BYTES + AT_OFFSET) : image_bytes;

		header->layer[i].offset = load_le64(descriptor + AT_OFFSET);
		if (header->layer[i].offset != end)
			return bad_image("the offset of a layer is wrong", reason);
		if ((why = read_descriptor(header, i, descriptor, next)) != NULL)
			return bad_image(why, reason);
		end += header->layer[i].bytes;
		if (end > FILTER_MAX_IMAGE_BYTES)
			return bad_image("it is larger than a filter can be", reason);
	}
	if (image_bytes < end)
		return bad_image("it ends early", reason);
	if (image_bytes > end)
		return bad_image("it has extra bytes at the end", reason);
	return FILTER_OK;
}

static void
view_image(FilterView *filter, uint8_t *image)
{
	filter->image = image;
	filter->remaining = 0;
	filter->crowded_bits = 0;
}

FilterStatus
filter_open(FilterView *filter, uint8_t *image, uint64_t bytes, const char **reason)
{
	FilterStatus status = filter_open_header(&filter->header, image, bytes, bytes, reason);

	view_image(filter, image);
	/* The length of a stash is not in the header, so check that it has room for its classes. */
	for (uint32_t i = 0; i < filter->header.layers && status == FILTER_OK && filter->header.has_stash; i++)
	{
		CuckooLayer cuckoo = filter_cuckoo_layer(filter, i);

		if (!cuckoo_stash_is_complete(&cuckoo))
			return bad_image("it ends early", reason);
	}
	return status;
}

FilterStatus
filter_check_content(const FilterView *filter, const char **reason)
{
	for (uint32_t i = 0; i < filter->header.layers; i++)
	{
		if (filter->header.type == FILTER_CUCKOO)
		{
			CuckooLayer cuckoo = filter_cuckoo_layer(filter, i);

			if (!cuckoo_content_is_valid(&cuckoo, filter->header.is_set))
				return bad_image("a layer holds an invalid entry", reason);
		}
		if (filter->header.kind.code == VALUE_KIND_NONE && !filter_layer_is_empty(filter, i))
			return bad_image("it holds values but no kind of value", reason);
	}
	return FILTER_OK;
}

FilterStatus
filter_init(FilterHeader *header, FilterType type, double rate)
{
	memset(header, 0, sizeof(*header));
	header->type = type;
	header->rate = rate;
	return rate_is_valid(rate) ? FILTER_OK : FILTER_BAD_RATE;
}

FilterStatus
filter_lay_out(FilterHeader *header, double *bytes)
{
	uint64_t	end = filter_header_bytes(header);

	header->has_stash = false;
	for (uint32_t i = 0; i < header->layers; i++)
	{
		header->has_stash |= header->layer[i].stash_capacity > 0;
		header->layer[i].bytes = layer_bytes(header->type, &header->layer[i]);
		header->layer[i].offset = end;
		end += header->layer[i].bytes;
	}
	*bytes = (double) end;
	return end > FILTER_MAX_IMAGE_BYTES ? FILTER_TOO_LARGE : FILTER_OK;
}

void
filter_write_header(FilterView *filter, uint8_t *image)
{
	FilterHeader *header = &filter->header;
	uint8_t    *descriptor;

	memcpy(image + AT_MAGIC, magic, sizeof(magic));
	image[AT_VERSION] = FORMAT_VERSION;
	image[AT_TYPE] = (uint8_t) header->type;
	image[AT_HASH] = HASH_XXH3_64;
	image[AT_LAYERS] = (uint8_t) header->layers;
	store_le_double(image + AT_RATE, header->rate);
	image[AT_KIND] = (uint8_t) header->kind.code;
	image[AT_SOURCES] = header->kind.sources;
	image[AT_FLAGS] = flags_of(header);
	store_le16(image + AT_KIND_NAME_LENGTH, (uint16_t) header->kind.name_length);
	if (header->kind.name_length > 0)
		memcpy(image + HEADER_BYTES, header->kind.name, header->kind.name_length);
	header->kind.name = (const char *) image + HEADER_BYTES;

	descriptor = image + HEADER_BYTES + image_padded(header->kind.name_length);
	for (uint32_t i = 0; i < header->layers; i++, descriptor += DESCRIPTOR_BYTES)
	{
		const FilterLayer *layer = &header->layer[i];

		store_le64(descriptor + AT_CAPACITY, layer->capacity);
		store_le32(descriptor + AT_COUNT, layer->count);
		store_le16(descriptor + AT_SIZE, (uint16_t) layer->size);
		descriptor[AT_WIDTH] = (uint8_t) layer->width;
		descriptor[AT_LAYER_FLAGS] = (uint8_t) ((layer->counted ? LAYER_COUNTED : 0) |
												(layer->stash_capacity > 0 ? LAYER_STASH : 0));
		store_le64(descriptor + AT_OFFSET, layer->offset);
	}
	view_image(filter, image);
}

void
filter_set_fixed(FilterView *filter)
{
	filter->header.fixed = true;
	filter->image[AT_FLAGS] = flags_of(&filter->header);
}

void
filter_set_sources(FilterView *filter, uint8_t sources)
{
	filter->header.kind.sources = sources;
	filter->image[AT_SOURCES] = sources;
}
