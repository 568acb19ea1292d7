/*
 * What the core calls in long loops, in each library that has a copy of it.
 */
#ifndef FILTER_MODULES_INTERRUPTS_H
#define FILTER_MODULES_INTERRUPTS_H

#include "postgres.h"

#include "miscadmin.h"

/* For filter_pause_hook. */
static inline void
check_for_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

#endif
