/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flarestack's in-process profiler for C, and for languages that call C.
 *
 * Takes profiles of the program that calls it (CPU time, allocations, live heap), each sample
 * linked to the active span of its thread, and exports them as OTLP. The functions are thread-safe
 * unless they say otherwise, may be called before the start and after the stop, and never abort,
 * throw or write to the standard output.
 *
 *   flarestack_profiler_start(NULL);      // configured by OTEL_* variables
 *   ...
 *   flarestack_profiler_stop(5000);
 */
#ifndef FLARESTACK_PROFILER_C_H
#define FLARESTACK_PROFILER_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming, modernize-*): C names, in C. */

#define FLARESTACK_API __attribute__((visibility("default")))

/* Profile types. */
#define FLARESTACK_CPU 1u         /* CPU time, by a timer in each thread */
#define FLARESTACK_ALLOCATIONS 2u /* all allocations, sampled by their bytes */
#define FLARESTACK_LIVE_HEAP 4u   /* allocations that were not freed yet */

/* A field that is 0 or NULL takes its value from the environment, or the default. Initialize with
 * FLARESTACK_CONFIG_INIT, so that a newer library knows which fields there are. */
struct flarestack_config {
  size_t struct_size;
  const char* service_name;           /* OTEL_SERVICE_NAME */
  const char* resource_attributes;    /* OTEL_RESOURCE_ATTRIBUTES: "key=value,key=value" */
  const char* endpoint;               /* complete URL, http://HOST:PORT/v1development/profiles */
  const char* headers;                /* OTEL_EXPORTER_OTLP_HEADERS: "key=value,key=value" */
  const char* file;                   /* write here instead; %p is the process id */
  uint32_t types;                     /* FLARESTACK_CPU | ...; OTEL_PROFILING_TYPES */
  uint32_t cpu_interval_ms;           /* 10 */
  uint64_t allocation_interval_bytes; /* mean bytes between samples, 524288 */
  uint32_t export_interval_ms;        /* 10000 */
};
#define FLARESTACK_CONFIG_INIT \
  { sizeof(struct flarestack_config), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Starts the profiler. `config` may be NULL. Returns 0 if it runs now (also if it did before, or if
 * the environment disables it), and -1 if it cannot run. */
FLARESTACK_API int flarestack_profiler_start(const struct flarestack_config* config);

/* What did not work in the last start; empty: nothing. For the thread that called start. */
FLARESTACK_API const char* flarestack_profiler_error(void);

/* Exports what was recorded so far. Returns 0 once it was delivered or dropped for good, and -1 if
 * that takes longer than the timeout. */
FLARESTACK_API int flarestack_profiler_flush(uint32_t timeout_ms);

/* Stops, exports the rest, and returns as flush does. May be started again. */
FLARESTACK_API int flarestack_profiler_stop(uint32_t timeout_ms);

/* No samples are taken between these two, in any thread. They nest. */
FLARESTACK_API void flarestack_profiler_pause(void);
FLARESTACK_API void flarestack_profiler_resume(void);

/* The active span of the calling thread. Samples of the thread link to it until it changes. Each
 * call costs a few nanoseconds. Ids must not be all zero. */
struct flarestack_span {
  uint8_t trace_id[16];
  uint8_t span_id[8];
  uint8_t trace_flags;
};
FLARESTACK_API void flarestack_span_attach(const struct flarestack_span* span);
FLARESTACK_API void flarestack_span_detach(void);

/* Copies the active span of the calling thread. Returns 1, or 0 if there is none. */
FLARESTACK_API int flarestack_span_current(struct flarestack_span* span);

/* Labels of the calling thread, which become attributes of its samples. A key is registered once;
 * -1: there are 256 others. Values have at most 255 bytes; an empty one removes the label. Returns
 * 0, or -1 if the labels of the thread take more than 612 bytes. */
FLARESTACK_API int flarestack_label_key(const char* name);
FLARESTACK_API int flarestack_label_set(int key, const char* value, size_t value_bytes);

/* Copies the value of a label of the calling thread, at most 255 bytes. Returns its length. */
FLARESTACK_API size_t flarestack_label_current(int key, char value[255]);

/* Counters since the start of the process. */
struct flarestack_stats {
  size_t struct_size;
  uint64_t samples;
  uint64_t lost_samples; /* the buffer was full */
  uint64_t exports_sent;
  uint64_t exports_dropped; /* rejected, or too many were waiting */
};
FLARESTACK_API void flarestack_profiler_stats(struct flarestack_stats* stats);

/* NOLINTEND(readability-identifier-naming, modernize-*) */

#ifdef __cplusplus
}
#endif

#endif
