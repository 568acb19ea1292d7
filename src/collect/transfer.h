/*
 * A builder as bytes that are passed between the processes of one server, or the servers of a Citus cluster: its
 * parameters, the kind of its values, and the hashes.
 */
#ifndef FILTER_COLLECT_TRANSFER_H
#define FILTER_COLLECT_TRANSFER_H

#include "collect/builder.h"

/* The bytes of a builder, which must not have streamed, palloc'd. Error 54000 if they are too many. */
extern bytea *filter_builder_serialize(FilterBuilder *builder);

/* A builder in the context. The bytes are checked, since a user can pass any to Citus: error 22P03 or 08P01. */
extern FilterBuilder *filter_builder_deserialize(MemoryContext context, bytea *bytes);

#endif
