/*
 * The result of a core function. The glue turns each status into one ereport; the core itself never prints, exits or
 * allocates.
 */
#ifndef FILTER_STATUS_H
#define FILTER_STATUS_H

typedef enum FilterStatus
{
	FILTER_OK = 0,
	FILTER_FULL,				/* there is no room: continue in a larger image (filter_plan_growth) */
	FILTER_BAD_RATE,
	FILTER_TOO_LARGE,			/* the image would exceed FILTER_MAX_IMAGE_BYTES */
	FILTER_TOO_MANY_LAYERS,		/* the filter would need more than FILTER_MAX_LAYERS layers */
	FILTER_OTHER_GEOMETRY,		/* the operation needs layers of the same geometry */
	FILTER_BAD_IMAGE			/* the bytes are not an image; the reason is returned separately */
} FilterStatus;

#endif
