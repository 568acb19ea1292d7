/*
 * A builder as bytes that travel between the processes of one server: its parameters, the kind of its values, the
 * filter that it has streamed into, if there is one, with the number of its values, hashes and witnesses.
 */
#ifndef FILTER_BUILD_TRANSFER_H
#define FILTER_BUILD_TRANSFER_H

#include "postgres.h"

#include "build/builder.h"

/* The bytes of a builder, palloc'd. as_filter: the filter of the values instead of their hashes. Error 54000. */
extern bytea *filter_builder_serialize(FilterBuilder *builder, bool as_filter);

/* A builder in the context. It borrows hashes from the bytes (see filter_builder_borrow). */
extern FilterBuilder *filter_builder_deserialize(MemoryContext context, bytea *bytes);

#endif
