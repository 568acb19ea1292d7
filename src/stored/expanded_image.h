/*
 * Filters as expanded objects (utils/expandeddatum.h): the flat image in one piece, so that reading it costs no copy.
 */
#ifndef FILTER_STORED_EXPANDED_IMAGE_H
#define FILTER_STORED_EXPANDED_IMAGE_H

#include "postgres.h"

#include "utils/expandeddatum.h"

typedef struct ExpandedImage
{
	ExpandedObjectHeader header;
	struct varlena *image;		/* in the object's context */
} ExpandedImage;

/* Initialize an object in its own context; the caller sets the image later. */
extern void expanded_image_init(ExpandedImage *expanded, MemoryContext context);

/* The object of an expanded datum. */
extern ExpandedImage *expanded_image_get(Datum datum);

#endif
