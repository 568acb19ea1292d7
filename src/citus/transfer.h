/*
 * States that are handed over to another process, or to another server of a Citus cluster.
 */
#ifndef FILTER_CITUS_TRANSFER_H
#define FILTER_CITUS_TRANSFER_H

#include "collect/builder.h"

/*
 * The hashes of a state. Error 0A000 if the state streams, since the values in its filter would be missing. It does so only
 * if nothing has shown that it will be handed over.
 */
extern HashSet *transfer_hashes(FilterBuilder *state);

#endif
