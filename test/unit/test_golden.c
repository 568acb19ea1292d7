/*
 * Golden images: the files of test/golden, byte for byte, the results that a reader must return for them, and images
 * that it must reject. See the README there.
 *
 *   test_golden [FOLDER]           compares; the folder is test/golden unless it is given
 *   test_golden --write FOLDER     writes the files again, after an intended change
 *
 * A file that no longer matches means one of two things. Either values are stored in different places: then no filter
 * of an earlier release can be read, and the change is wrong. Or only new filters are built differently (a different
 * size, a different order of moves): then the old files must still be read as values.tsv says, which is tested
 * separately.
 */
#include <ctype.h>
#include <string.h>

#include "core/bytes.h"
#include "core/cuckoo_stash.h"
#include "core/hash.h"
#include "owned_filter.h"
#include "tap.h"

#define MAX_IMAGE		16384
#define MAX_LINE		1024
#define MAX_CANONICAL	64

/*
 * Values of each kind, by number: how SQL writes them, and their canonical bytes.
 */

static const char *const words[] = {
	"", "apple", "banana", "cherry", "date", "elderberry", "fig", "z\xc3\xbcrich", "The quick brown fox jumps over the lazy dog"
};

#define WORDS ((int) (sizeof(words) / sizeof(words[0])))

typedef struct Golden
{
	const char *name;
	FilterType	type;
	uint64_t	capacity;		/* 0: no layers */
	double		rate;
	ValueKindCode kind;
	const char *kind_name;
	void		(*fill) (OwnedFilter *owned, const struct Golden *golden);
	int			first,			/* values probed: these, and the first false positive */
				last;
} Golden;

/* Write the canonical bytes of value n; returns their length. */
static size_t
canonical_bytes(ValueKindCode kind, int n, uint8_t *bytes)
{
	memset(bytes, 0, MAX_CANONICAL);
	switch (kind)
	{
		case VALUE_KIND_TEXT:
			if (n < WORDS)
				strcpy((char *) bytes, words[n]);
			else
				snprintf((char *) bytes, MAX_CANONICAL, "word %d", n);
			return strlen((const char *) bytes);
		case VALUE_KIND_UUID:
			bytes[6] = 0x40;
			bytes[8] = 0x80;
			bytes[14] = (uint8_t) (n >> 8);
			bytes[15] = (uint8_t) n;
			return 16;
		case VALUE_KIND_FLOAT:
			store_le_double(bytes, n * 0.5);
			return 8;
		case VALUE_KIND_NAMED:
			/* An array of one dimension of length 1 with lower bound 1, and in it the integer. */
			store_le32(bytes, 1);
			store_le32(bytes + 4, 1);
			store_le32(bytes + 8, 1);
			bytes[12] = 1;
			store_le64(bytes + 13, filter_hash_integer(n));
			return 21;
		default:
			store_le64(bytes, (uint64_t) (int64_t) n);
			return 8;
	}
}

static void
describe_value(ValueKindCode kind, int n, char *text, size_t size)
{
	switch (kind)
	{
		case VALUE_KIND_TEXT:
			if (n < WORDS)
				snprintf(text, size, "%s", words[n]);
			else
				snprintf(text, size, "word %d", n);
			break;
		case VALUE_KIND_UUID:
			snprintf(text, size, "00000000-0000-4000-8000-00000000%04x", (unsigned) n);
			break;
		case VALUE_KIND_FLOAT:
			snprintf(text, size, "%g", n * 0.5);
			break;
		case VALUE_KIND_NAMED:
			snprintf(text, size, "{%d}", n);
			break;
		default:
			snprintf(text, size, "%d", n);
	}
}

static uint64_t
hash_of(const Golden *golden, int n)
{
	uint8_t		bytes[MAX_CANONICAL];
	size_t		length = canonical_bytes(golden->kind, n, bytes);

	return filter_hash_bytes(bytes, length);
}

static uint64_t
mixed_hash_of(const Golden *golden, int n)
{
	return filter_mix(hash_of(golden, n));
}

/*
 * The images, and the values added to each, in order.
 */

static void
add(OwnedFilter *owned, const Golden *golden, int first, int last)
{
	for (int n = first; n <= last; n++)
		if (owned_filter_add(owned, mixed_hash_of(golden, n), false) != FILTER_OK)
			bail_out("a golden image cannot be created");
}

static void
fill_nothing(OwnedFilter *owned, const Golden *golden)
{
	(void) owned;
	(void) golden;
}

static void
fill_1_to_3(OwnedFilter *owned, const Golden *golden)
{
	add(owned, golden, 1, 3);
}

static void
fill_1_to_10(OwnedFilter *owned, const Golden *golden)
{
	add(owned, golden, 1, 10);
}

static void
fill_1_to_20(OwnedFilter *owned, const Golden *golden)
{
	add(owned, golden, 1, 20);
}

static void
fill_1_to_100(OwnedFilter *owned, const Golden *golden)
{
	add(owned, golden, 1, 100);
}

/* 1 once, 2 twice, ... 6 six times. */
static void
fill_copies(OwnedFilter *owned, const Golden *golden)
{
	for (int n = 1; n <= 6; n++)
		for (int copy = 0; copy < n; copy++)
			add(owned, golden, n, n);
}

static void
add_copies(OwnedFilter *owned, const Golden *golden, int n, int copies)
{
	for (; copies > 0; copies--)
		add(owned, golden, n, n);
}

/* 1 14 times, 2 15 times, 3 16 times and 4 17 times. */
static void
fill_permanent(OwnedFilter *owned, const Golden *golden)
{
	for (int n = 1; n <= 4; n++)
		add_copies(owned, golden, n, 13 + n);
}

/* Grown over its capacity, then every third value removed. */
static void
fill_and_remove(OwnedFilter *owned, const Golden *golden)
{
	add(owned, golden, 1, 60);
	for (int n = 3; n <= 60; n += 3)
		if (!filter_remove(&owned->filter, mixed_hash_of(golden, n)))
			bail_out("a golden image cannot be created");
}

/* A filter that does not grow: three times its capacity, and a full one. */

static void
fill_fixed_to_30(OwnedFilter *owned, const Golden *golden)
{
	filter_set_fixed(&owned->filter);
	add(owned, golden, 1, 30);
}

static void
fill_fixed_to_10(OwnedFilter *owned, const Golden *golden)
{
	filter_set_fixed(&owned->filter);
	add(owned, golden, 1, 10);
}

static void
unite(OwnedFilter *owned, OwnedFilter *other)
{
	if (owned_filter_unite(owned, &other->filter) != FILTER_OK)
		bail_out("a golden image cannot be created");
	owned_filter_free(other);
}

/* The union of two filters: one of 1 to 5, and one of another capacity of 4 to 12. */
static void
fill_union(OwnedFilter *owned, const Golden *golden)
{
	OwnedFilter other = owned_filter_create(golden->type, 2 * golden->capacity, golden->rate);

	add(owned, golden, 1, 5);
	add(&other, golden, 4, 12);
	unite(owned, &other);
}

/* The union of two filters of one capacity: of 1 five times and 2 to 6, and of 4 to 9. */
static void
fill_set(OwnedFilter *owned, const Golden *golden)
{
	OwnedFilter other = owned_filter_create(golden->type, golden->capacity, golden->rate);

	add_copies(owned, golden, 1, 5);
	add(owned, golden, 2, 6);
	add(&other, golden, 4, 9);
	unite(owned, &other);
}

/* Integers found by search: they share both windows in a filter of the capacity 20, or 100. The last of each is not always added. */
static const int chosen[] = {61, 87, 187, 607, 633, 636, 664, 696, 446, 964, 1031, 1317, 3292, 19011};

#define CHOSEN	((int) (sizeof(chosen) / sizeof(chosen[0])))
#define OF_20	chosen
#define OF_100	(chosen + 8)

static void
add_each(OwnedFilter *owned, const Golden *golden, const int *values, int count)
{
	for (int i = 0; i < count; i++)
		add(owned, golden, values[i], values[i]);
}

static void
fill_stash(OwnedFilter *owned, const Golden *golden)
{
	add_each(owned, golden, OF_20, 7);
}

static void
fill_stash_room(OwnedFilter *owned, const Golden *golden)
{
	add_each(owned, golden, OF_100, 6);
}

static void
fill_counters_stash(OwnedFilter *owned, const Golden *golden)
{
	add_copies(owned, golden, 61, 6);
	add_each(owned, golden, OF_20 + 1, 5);
	add_copies(owned, golden, 664, 3);
	add_copies(owned, golden, 636, 16);
}

/* Grown, after the stash was full. */
static void
fill_stash_layers(OwnedFilter *owned, const Golden *golden)
{
	add_each(owned, golden, OF_20, 7);
	add(owned, golden, 696, 696);
	add(owned, golden, 1, 60);
}

static void
fill_set_stash(OwnedFilter *owned, const Golden *golden)
{
	OwnedFilter other = owned_filter_create(golden->type, golden->capacity, golden->rate);

	add_each(owned, golden, OF_20, 4);
	add_each(&other, golden, OF_20 + 3, 4);
	unite(owned, &other);
}

static const Golden goldens[] = {
	{"bloom_no_layers", FILTER_BLOOM, 0, 0.01, VALUE_KIND_NONE, "", fill_nothing, 0, 2},
	{"bloom_empty", FILTER_BLOOM, 10, 0.01, VALUE_KIND_NONE, "", fill_nothing, 0, 2},
	{"bloom_text", FILTER_BLOOM, 3, 0.01, VALUE_KIND_TEXT, "", fill_1_to_3, 0, 8},
	{"bloom_blocks", FILTER_BLOOM, 2000, 0.01, VALUE_KIND_INTEGER, "", fill_1_to_100, 98, 103},
	{"bloom_layers", FILTER_BLOOM, 10, 0.01, VALUE_KIND_INTEGER, "", fill_1_to_20, 0, 23},
	{"bloom_low_rate", FILTER_BLOOM, 10, 1e-7, VALUE_KIND_UUID, "", fill_1_to_10, 9, 12},
	{"bloom_fixed", FILTER_BLOOM, 10, 0.01, VALUE_KIND_INTEGER, "", fill_fixed_to_30, -20, 33},
	{"bloom_named", FILTER_BLOOM, 3, 0.1, VALUE_KIND_NAMED, "integer[]", fill_1_to_3, 0, 5},
	{"cuckoo_no_layers", FILTER_CUCKOO, 0, 0.01, VALUE_KIND_NONE, "", fill_nothing, 0, 2},
	{"cuckoo_empty", FILTER_CUCKOO, 10, 0.01, VALUE_KIND_NONE, "", fill_nothing, 0, 2},
	{"cuckoo_integers", FILTER_CUCKOO, 10, 0.01, VALUE_KIND_INTEGER, "", fill_1_to_10, -1, 13},
	{"cuckoo_copies", FILTER_CUCKOO, 100, 0.01, VALUE_KIND_INTEGER, "", fill_copies, 0, 8},
	{"cuckoo_permanent", FILTER_CUCKOO, 10, 0.01, VALUE_KIND_INTEGER, "", fill_permanent, 0, 6},
	{"cuckoo_layers", FILTER_CUCKOO, 10, 0.002, VALUE_KIND_INTEGER, "", fill_and_remove, 1, 63},
	{"cuckoo_union", FILTER_CUCKOO, 10, 0.001, VALUE_KIND_INTEGER, "", fill_union, 1, 14},
	{"cuckoo_set", FILTER_CUCKOO, 10, 0.01, VALUE_KIND_INTEGER, "", fill_set, 0, 12},
	{"cuckoo_narrow", FILTER_CUCKOO, 20, 0.5, VALUE_KIND_TEXT, "", fill_1_to_20, 0, 22},
	{"cuckoo_wide", FILTER_CUCKOO, 3, 1e-7, VALUE_KIND_FLOAT, "", fill_1_to_10, -2, 12},
	{"cuckoo_fixed", FILTER_CUCKOO, 10, 0.01, VALUE_KIND_INTEGER, "", fill_fixed_to_10, -1, 13},
	{"cuckoo_named", FILTER_CUCKOO, 3, 0.01, VALUE_KIND_NAMED, "integer[]", fill_1_to_3, 0, 5},
	{"cuckoo_stash", FILTER_CUCKOO, 20, 0.01, VALUE_KIND_INTEGER, "", fill_stash, 0, 30},
	{"cuckoo_stash_room", FILTER_CUCKOO, 100, 0.01, VALUE_KIND_INTEGER, "", fill_stash_room, 0, 12},
	{"cuckoo_counters_stash", FILTER_CUCKOO, 20, 0.01, VALUE_KIND_INTEGER, "", fill_counters_stash, 0, 30},
	{"cuckoo_stash_layers", FILTER_CUCKOO, 20, 0.01, VALUE_KIND_INTEGER, "", fill_stash_layers, 0, 63},
	{"cuckoo_set_stash", FILTER_CUCKOO, 20, 0.01, VALUE_KIND_INTEGER, "", fill_set_stash, 0, 30},
};

#define GOLDENS ((int) (sizeof(goldens) / sizeof(goldens[0])))

static OwnedFilter
make(const Golden *golden)
{
	OwnedFilter owned = owned_filter_create(golden->type, golden->capacity, golden->rate);

	if (golden->kind != VALUE_KIND_NONE)
		owned_filter_set_kind(&owned, golden->kind, golden->kind_name);
	if (golden->kind == VALUE_KIND_TEXT)
		filter_set_sources(&owned.filter, VALUE_FROM_TEXT);
	else if (golden->kind == VALUE_KIND_FLOAT)
		filter_set_sources(&owned.filter, VALUE_FROM_FLOAT8);
	golden->fill(&owned, golden);
	if (owned.image_bytes > MAX_IMAGE)
		bail_out("a golden image is too large");
	return owned;
}

/* The result that a reader must return: the count in a cuckoo filter, 0 or 1 in a Bloom filter. */
static unsigned
answer(const FilterView *filter, uint64_t hash)
{
	return filter->header.type == FILTER_BLOOM ? filter_contains(filter, hash) : filter_count(filter, hash);
}

/*
 * Files.
 */

static FILE *
open_file(const char *folder, const char *name, const char *extension, const char *mode)
{
	char		path[MAX_LINE];
	FILE	   *file;

	snprintf(path, sizeof(path), "%s/%s%s", folder, name, extension);
	file = fopen(path, mode);
	if (file == NULL)
		diag("%s cannot be opened", path);
	return file;
}

static void
write_image(const char *folder, const Golden *golden)
{
	OwnedFilter owned = make(golden);
	FILE	   *file = open_file(folder, golden->name, ".hex", "w");

	if (file == NULL)
		bail_out("a file cannot be written");
	for (uint64_t i = 0; i < owned.image_bytes; i++)
		fprintf(file, "%02x%s", owned.image[i], i % 32 == 31 || i == owned.image_bytes - 1 ? "\n" : "");
	fclose(file);
	owned_filter_free(&owned);
}

static int
hex_digit(int character)
{
	return character >= '0' && character <= '9' ? character - '0'
		: character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

/* Hexadecimal digits up to the end or another character; skips white space. Returns the number of bytes read. */
static size_t
read_hex(const char *text, size_t length, uint8_t *bytes, size_t most)
{
	size_t		count = 0;
	int			high = -1;

	for (size_t i = 0; i < length && count < most; i++)
	{
		int			digit = hex_digit((unsigned char) text[i]);

		if (isspace((unsigned char) text[i]))
			continue;
		if (digit < 0)
			break;
		if (high < 0)
			high = digit;
		else
		{
			bytes[count++] = (uint8_t) (high << 4 | digit);
			high = -1;
		}
	}
	return count;
}

/* Read an image into memory of its size; returns its length, or 0 if it cannot be read. */
static size_t
read_image(const char *folder, const char *name, uint8_t **image)
{
	static char text[3 * MAX_IMAGE];
	static uint8_t bytes[MAX_IMAGE];
	FILE	   *file = open_file(folder, name, ".hex", "r");
	size_t		length;

	if (file == NULL)
		return 0;
	length = fread(text, 1, sizeof(text), file);
	fclose(file);
	length = read_hex(text, length, bytes, sizeof(bytes));
	*image = zeroed_memory(length);
	memcpy(*image, bytes, length);
	return length;
}

static void
write_value(FILE *file, const Golden *golden, const FilterView *filter, int n)
{
	char		text[MAX_LINE];
	uint8_t		bytes[MAX_CANONICAL];
	size_t		length = canonical_bytes(golden->kind, n, bytes);

	describe_value(golden->kind, n, text, sizeof(text));
	fprintf(file, "%s\t%s\t", golden->name, text);
	for (size_t i = 0; i < length; i++)
		fprintf(file, "%02x", bytes[i]);
	fprintf(file, "\t%016" PRIx64 "\t%u\n", hash_of(golden, n), answer(filter, mixed_hash_of(golden, n)));
}

static bool
is_chosen(int n)
{
	for (int i = 0; i < CHOSEN; i++)
		if (chosen[i] == n)
			return true;
	return false;
}

static void
write_values(const char *folder)
{
	FILE	   *file = open_file(folder, "values", ".tsv", "w");

	if (file == NULL)
		bail_out("a file cannot be written");
	fprintf(file, "image\tvalue\tcanonical_bytes\thash\tanswer\n");
	for (int i = 0; i < GOLDENS; i++)
	{
		OwnedFilter owned = make(&goldens[i]);

		for (int n = goldens[i].first; n <= goldens[i].last; n++)
			write_value(file, &goldens[i], &owned.filter, n);
		for (int n = 0; n < CHOSEN && owned.filter.header.has_stash; n++)
			if (chosen[n] > goldens[i].last && (goldens[i].capacity == 100) == (n >= 8))
				write_value(file, &goldens[i], &owned.filter, chosen[n]);
		for (int n = 1000; n < 20000; n++)
			if (!is_chosen(n) && filter_contains(&owned.filter, mixed_hash_of(&goldens[i], n)))
			{
				write_value(file, &goldens[i], &owned.filter, n);
				break;
			}
		owned_filter_free(&owned);
	}
	fclose(file);
}

/*
 * The tests.
 */

/* Each image, created again, has the bytes of its file. */
static void
test_bytes(const char *folder)
{
	for (int i = 0; i < GOLDENS; i++)
	{
		OwnedFilter owned = make(&goldens[i]);
		uint8_t    *image = NULL;
		size_t		length = read_image(folder, goldens[i].name, &image);
		size_t		at = 0;

		while (at < length && at < owned.image_bytes && image[at] == owned.image[at])
			at++;
		if (!ok(length > 0 && length == owned.image_bytes && at == length, "%s is made, byte for byte", goldens[i].name))
			diag("%u bytes in the file, %u made; they differ from byte %u on", (unsigned) length,
				 (unsigned) owned.image_bytes, (unsigned) at);
		free(image);
		owned_filter_free(&owned);
	}
}

/* The file of each image is a valid image, and opens as the filter that was written. */
static void
test_headers(const char *folder)
{
	for (int i = 0; i < GOLDENS; i++)
	{
		const Golden *golden = &goldens[i];
		uint8_t    *image = NULL;
		size_t		length = read_image(folder, golden->name, &image);
		const char *reason = "";
		FilterView	filter;

		if (!ok(length > 0 && filter_open(&filter, image, length, &reason) == FILTER_OK &&
				filter_check_content(&filter, &reason) == FILTER_OK && filter.header.type == golden->type &&
				filter.header.rate == golden->rate && filter.header.kind.code == golden->kind &&
				filter.header.kind.name_length == strlen(golden->kind_name) &&
				memcmp(filter.header.kind.name, golden->kind_name, filter.header.kind.name_length) == 0 &&
				(filter.header.layers == 0) == (golden->capacity == 0) &&
				(filter.header.layers == 0 || filter.header.layer[0].capacity == golden->capacity), "%s opens", golden->name))
			diag("%s", reason);
		free(image);
	}
}

/* Split a line at its tabs; false unless it has the expected number of fields. */
static bool
split(char *line, int fields, char *field[])
{
	for (int i = 0; i < fields; i++)
	{
		field[i] = line;
		line += strcspn(line, "\t\n");
		if (*line != (i < fields - 1 ? '\t' : '\n'))
			return false;
		*line++ = '\0';
	}
	return true;
}

/* Every line of values.tsv: the hash is that of the canonical bytes, and the lookup has the listed result. */
static void
test_values(const char *folder)
{
	FILE	   *file = open_file(folder, "values", ".tsv", "r");
	char		line[MAX_LINE];
	char		opened[MAX_LINE] = "";
	char	   *field[5];
	uint8_t    *image = NULL;
	const char *reason = "";
	FilterView	filter;
	uint64_t	hashes_wrong = 0;
	uint64_t	answers_wrong = 0;
	int			lines = 0;

	if (file == NULL || fgets(line, sizeof(line), file) == NULL)
		bail_out("values.tsv cannot be read");
	while (fgets(line, sizeof(line), file) != NULL)
	{
		uint8_t		bytes[MAX_CANONICAL];
		size_t		length;
		uint64_t	hash;

		if (!split(line, 5, field))
			bail_out("a line of values.tsv does not have five fields");
		lines++;
		length = read_hex(field[2], strlen(field[2]), bytes, sizeof(bytes));
		hash = strtoull(field[3], NULL, 16);
		if (filter_hash_bytes(bytes, length) != hash)
			wrong(&hashes_wrong, "%s: the hash of %s is %016" PRIx64, field[0], field[1], filter_hash_bytes(bytes, length));

		if (strcmp(opened, field[0]) != 0)
		{
			free(image);
			strcpy(opened, field[0]);
			length = read_image(folder, opened, &image);
			if (length == 0 || filter_open(&filter, image, length, &reason) != FILTER_OK)
				bail_out("values.tsv names an image that does not open");
		}
		if (answer(&filter, filter_mix(hash)) != strtoul(field[4], NULL, 10))
			wrong(&answers_wrong, "%s: the answer for %s is %u, not %s", field[0], field[1], answer(&filter, filter_mix(hash)), field[4]);
	}
	fclose(file);
	free(image);
	none_wrong(hashes_wrong, "values.tsv: hashes are those of the canonical bytes");
	none_wrong(answers_wrong, "values.tsv: lookups in the images have its results");
	ok(lines > 150, "values.tsv: has values");
}

/* Every line of verdicts.tsv: the image is rejected for the listed reason, or accepted if there is none. */
static void
test_verdicts(const char *folder)
{
	FILE	   *file = open_file(folder, "verdicts", ".tsv", "r");
	char		line[3 * MAX_LINE];
	char	   *field[4];
	uint64_t	verdicts_wrong = 0;
	int			lines = 0;

	if (file == NULL || fgets(line, sizeof(line), file) == NULL)
		bail_out("verdicts.tsv cannot be read");
	while (fgets(line, sizeof(line), file) != NULL)
	{
		uint8_t		bytes[MAX_LINE + MAX_LINE / 2];
		uint8_t    *image;
		size_t		length;
		const char *reason = "";
		FilterView	filter;

		if (!split(line, 4, field))
			bail_out("a line of verdicts.tsv does not have four fields");
		lines++;
		length = read_hex(field[3], strlen(field[3]), bytes, sizeof(bytes));
		image = zeroed_memory(length);
		if (length > 0)
			memcpy(image, bytes, length);
		if (filter_open(&filter, image, length, &reason) == FILTER_OK)
			(void) filter_check_content(&filter, &reason);
		if (strcmp(reason, field[2]) != 0)
			wrong(&verdicts_wrong, "%s: \"%s\", not \"%s\"", field[0], reason, field[2]);
		free(image);
	}
	fclose(file);
	none_wrong(verdicts_wrong, "verdicts.tsv: every image is accepted, or rejected for the listed reason");
	ok(lines > 80, "verdicts.tsv: has images");
}

/* The positions of values in layers that are too large for a file: the examples of docs/format_examples.md, and others. */
static void
test_bloom_positions(void)
{
	static const struct
	{
		uint32_t	blocks,
					block_bits,
					probes;
		uint64_t	hash;
		uint64_t	block;
		unsigned	bit[10];		/* of the first probes */
	}			positions[] = {
		{1, 128, 8, UINT64_C(0x517a430dcf1f8a00), 0, {47, 9, 71, 43, 96, 58, 124, 29, 47, 47}},
		{1000, 512, 10, UINT64_C(0x517a430dcf1f8a00), 318, {190, 39, 285, 172, 385, 233, 498, 118, 33, 40}},
	};
	uint64_t	failed = 0;

	for (size_t i = 0; i < sizeof(positions) / sizeof(positions[0]); i++)
	{
		BloomLayer	layer = {positions[i].blocks, positions[i].block_bits, positions[i].probes, NULL};
		uint64_t	block = positions[i].block * (positions[i].block_bits / 8);
		uint64_t	bits_set;

		layer.bits = zeroed_memory(bloom_bytes(&layer));
		(void) bloom_add(&layer, positions[i].hash);
		bits_set = bloom_bits_set(&layer);
		for (int j = 0; j < 10; j++)
			if ((layer.bits[block + positions[i].bit[j] / 8] >> positions[i].bit[j] % 8 & 1) == 0)
				wrong(&failed, "position %u: bit %u is not set", (unsigned) i, positions[i].bit[j]);
		if (bits_set != positions[i].probes)
			wrong(&failed, "position %u: %u bits are set", (unsigned) i, (unsigned) bits_set);
		free(layer.bits);
	}
	none_wrong(failed, "bloom: bits are where docs/format.md puts them");
}

static void
test_cuckoo_positions(void)
{
	static const struct
	{
		uint32_t	pages,
					windows,
					slot_bits;
		uint64_t	hash;
		uint64_t	first_slot;
		uint32_t	window[2];
		uint32_t	fingerprint;
	}			positions[] = {
		{1, 4, 9, UINT64_C(0xd5a6f8c838df27c8), 0, {3, 3}, 56},
		{1, 4, 9, UINT64_C(0x81671e58d6b596af), 0, {2, 2}, 214},
		{5, 32000, 13, UINT64_C(0xd5a6f8c838df27c8), 4 * 64002, {5532, 30145}, 909},
		{1, 1, 6, UINT64_C(0x0000000000000000), 0, {0, 0}, 1},
		{1, 1, 32, UINT64_MAX, 0, {0, 0}, UINT32_C(0x7fffffff)},
	};
	uint64_t	failed = 0;

	for (size_t i = 0; i < sizeof(positions) / sizeof(positions[0]); i++)
	{
		CuckooLayer layer = cuckoo_layer(positions[i].pages, positions[i].windows, positions[i].slot_bits, false, 0, NULL);
		CuckooPosition position = cuckoo_position(&layer, positions[i].hash);

		if (position.first_bit != positions[i].first_slot * positions[i].slot_bits ||
			position.window[0] != positions[i].window[0] || position.window[1] != positions[i].window[1] ||
			position.fingerprint != positions[i].fingerprint)
			wrong(&failed, "position %u: bit %" PRIu64 ", windows %u and %u, fingerprint %u", (unsigned) i, position.first_bit,
				  position.window[0], position.window[1], position.fingerprint);
	}
	none_wrong(failed, "cuckoo: positions are those of docs/format.md");
}

int
main(int argc, char **argv)
{
	const char *folder = argc > 1 ? argv[argc - 1] : "test/golden";

	if (argc > 2 && strcmp(argv[1], "--write") == 0)
	{
		for (int i = 0; i < GOLDENS; i++)
			write_image(folder, &goldens[i]);
		write_values(folder);
		return EXIT_SUCCESS;
	}
	test_bytes(folder);
	test_headers(folder);
	test_values(folder);
	test_verdicts(folder);
	test_bloom_positions();
	test_cuckoo_positions();
	return done_testing();
}
