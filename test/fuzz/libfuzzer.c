/*
 * The entry point of libFuzzer, for the harness that HARNESS names.
 */
#include "harness.h"

extern int	LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	HARNESS(bytes, length);
	return 0;
}
