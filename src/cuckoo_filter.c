/*
 * The module's entry. Everything it offers is reached through SQL functions; see the files beside this one.
 */
#include "compat.h"

FILTER_MODULE_MAGIC;
