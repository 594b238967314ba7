/*
 * A profile as an OTLP ExportProfilesServiceRequest (proto/otlp.proto; development revision 1). Each sample
 * type becomes a Profile of its own, and each sample has one aggregated value: receivers reject other shapes.
 * Attributes of the resource are inline texts, which all collectors read.
 *
 * Source of the rules: opentelemetry-proto v1.11 profiles.proto; what receivers insist on beyond it:
 * Pyroscope pkg/ingester/otlp, the collector's pdata/pprofile.
 */
#ifndef OTELPROF_ENCODE_OTLP_H
#define OTELPROF_ENCODE_OTLP_H

#include "config/resource.h"
#include "encode/buffer.h"
#include "profile/profile.h"

/* A number about the profile itself, an attribute of it: "otelprof.dropped.samples_ring_full". */
struct otlp_figure {
    const char *name;
    int64_t value;
};

struct otlp_request {
    const struct profile *profile;   /* sealed */
    uint32_t first, end;             /* the samples [first, end) of it */
    const struct resource *resource; /* NULL: none */
    const struct otlp_figure *figures;
    size_t figure_count; /* at most OTLP_MAX_FIGURES */
};

enum { OTLP_MAX_FIGURES = 64 };

/*
 * Appends the message to |out|: 0, -ENODATA if no sample of the range has a value (receivers reject empty
 * profiles), or -ENOMEM; |out| is as it was then. Any one thread; not in signal handlers.
 */
int otlp_encode(const struct otlp_request *request, struct encode_buffer *out);

#endif
