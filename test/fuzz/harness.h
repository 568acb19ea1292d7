/*
 * The fuzz harnesses: each takes any bytes, and aborts if the core breaks a promise on them. They keep nothing from one
 * call to the next, so that an input that fails fails again.
 *
 * libfuzzer.c drives one of them from libFuzzer; test/unit/test_corpus.c replays the files in corpus/ and crashes/.
 */
#ifndef FUZZ_HARNESS_H
#define FUZZ_HARNESS_H

#include <stddef.h>
#include <stdint.h>

/* The bytes are an image, perhaps: open it, and do everything with it. */
extern void fuzz_image(const uint8_t *bytes, size_t length);

/* The bytes are operations on a few filters, which are compared with exact multisets. */
extern void fuzz_model(const uint8_t *bytes, size_t length);

/* The bytes are one layer's geometry and operations on it, which is compared with a layer kept in the plainest way. */
extern void fuzz_layer(const uint8_t *bytes, size_t length);

/* The bytes are capacities and rates: the sizes chosen are possible, sufficient and what they say. */
extern void fuzz_sizing(const uint8_t *bytes, size_t length);

/* The bytes are numbers to sort and to merge. */
extern void fuzz_sort(const uint8_t *bytes, size_t length);

#endif
