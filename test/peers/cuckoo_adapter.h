/*
 * The functions of a Contender for the cuckoo filters in C++ that share the interface of the first one
 * (efficient/cuckoofilter). Their namespace is renamed where they are compiled, since they share that, too.
 *
 * They hash keys themselves, with a class that can be replaced: here, by one that returns its argument.
 */
#ifndef PEERS_CUCKOO_ADAPTER_H
#define PEERS_CUCKOO_ADAPTER_H

#include "contender.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <iostream>
#include <random>
#include <string>

struct GivenHash
{
	uint64_t
	operator()(uint64_t hash) const
	{
		return hash;
	}
};

/* bits_per_slot: as stored, which are fewer than those of the fingerprint in a table that sorts its buckets. */
template <typename Filter, size_t bits_per_slot>
struct CuckooAdapter
{
	static void *
	create(uint64_t values)
	{
		return new Filter(values);
	}

	static void
	destroy(void *set)
	{
		delete(Filter *) set;
	}

	static uint64_t
	bytes(const void *set)
	{
		return ((const Filter *) set)->SizeInBytes();
	}

	static uint64_t
	slots(const void *set)
	{
		return bytes(set) * 8 / bits_per_slot;
	}

	static size_t
	add(void *set, const uint64_t *hashes, size_t count)
	{
		Filter	   *filter = (Filter *) set;
		size_t		added = 0;

		while (added < count && filter->Add(hashes[added]) == 0)
			added++;
		return added;
	}

	static size_t
	count(const void *set, const uint64_t *hashes, size_t count)
	{
		const Filter *filter = (const Filter *) set;
		size_t		found = 0;

		for (size_t i = 0; i < count; i++)
			found += filter->Contain(hashes[i]) == 0;
		return found;
	}

	static size_t
	remove(void *set, const uint64_t *hashes, size_t count)
	{
		Filter	   *filter = (Filter *) set;
		size_t		removed = 0;

		for (size_t i = 0; i < count; i++)
			removed += filter->Delete(hashes[i]) == 0;
		return removed;
	}

	static constexpr Contender
	contender(const char *name)
	{
		Contender	made = {};

		made.name = name;
		made.kind = CONTENDER_CUCKOO;
		made.create = create;
		made.destroy = destroy;
		made.bytes = bytes;
		made.slots = slots;
		made.add = add;
		made.count = count;
		made.remove = remove;
		return made;
	}
};

#endif
