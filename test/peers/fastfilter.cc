/*
 * The cuckoo filters of FastFilter/fastfilter_cpp: with a power of two of buckets; with any number ("stable"), of 12
 * bits (0.18%), 16 bits (0.012%), and of 13 bits of which 12 are stored, since buckets are sorted (0.09%).
 */
#include "cuckoo_adapter.h"

#define cuckoofilter fastfilter
#include "cuckoo/cuckoofilter.h"
#include "cuckoo/cuckoofilter_stable.h"

using fastfilter::CuckooFilter;
using fastfilter::CuckooFilterStable;
using fastfilter::PackedTable;
using fastfilter::SingleTable;

const Contender fastfilter_contenders[] = {
	CuckooAdapter<CuckooFilterStable<uint64_t, 12, SingleTable, GivenHash>, 12>::contender("fastfilter, 12 bits"),
	CuckooAdapter<CuckooFilter<uint64_t, 12, SingleTable, GivenHash>, 12>::contender("fastfilter, 12 bits, 2^n buckets"),
	CuckooAdapter<CuckooFilterStable<uint64_t, 13, PackedTable, GivenHash>, 12>::contender("fastfilter, 13 bits, sorted"),
	CuckooAdapter<CuckooFilterStable<uint64_t, 16, SingleTable, GivenHash>, 16>::contender("fastfilter, 16 bits"),
	{},
};
