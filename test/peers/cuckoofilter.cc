/*
 * The cuckoo filter of efficient/cuckoofilter, 12 bits (0.18%), a power of two of buckets.
 *
 * hashutil.h, which needs OpenSSL, is not included, and its default hash class is replaced.
 */
#include "cuckoo_adapter.h"

#define CUCKOO_FILTER_HASHUTIL_H_
#define cuckoofilter efficient
namespace efficient
{
typedef GivenHash TwoIndependentMultiplyShift;
}
#include "cuckoofilter.h"

const Contender cuckoofilter_contenders[] = {
	CuckooAdapter<efficient::CuckooFilter<uint64_t, 12>, 12>::contender("cuckoofilter, 12 bits, 2^n buckets"),
	{},
};
