/*
 * The fuzz harnesses: each takes arbitrary bytes, and aborts if the core violates an invariant on them. They keep no
 * state between calls, so that an input that fails will fail again.
 *
 * libfuzzer.c drives one of them from libFuzzer; test/unit/test_corpus.c replays the files in corpus/ and crashes/.
 */
#ifndef FUZZ_HARNESS_H
#define FUZZ_HARNESS_H

#include <stddef.h>
#include <stdint.h>

/* The bytes may be an image: open it, and run every operation on it. */
extern void fuzz_image(const uint8_t *bytes, size_t length);

/* The bytes are operations on a few filters, which are compared with exact multisets. */
extern void fuzz_model(const uint8_t *bytes, size_t length);

/* The bytes are a layer's geometry and operations on it. It is compared with a layer in the simplest possible form. */
extern void fuzz_layer(const uint8_t *bytes, size_t length);

/* The bytes are capacities and rates: the chosen sizes are valid, sufficient and correctly reported. */
extern void fuzz_sizing(const uint8_t *bytes, size_t length);

/* The bytes are numbers to sort and to merge. */
extern void fuzz_sort(const uint8_t *bytes, size_t length);

#endif
