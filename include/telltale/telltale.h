/* SPDX-License-Identifier: Apache-2.0 */
/* Recording from inside a training program, in C: scalars, texts, media, spans, counters and steps.
 * A call stores a few words in memory that the collector reads (`telltale run`, or one that
 * telltale_start starts); it takes tens of nanoseconds, never waits for a file, never prints, never
 * fails loudly, and keeps errno. What was recorded when a call returned survives the end of the
 * process, however it ends. Every function may be called by any thread, also in a signal handler,
 * before telltale_start and after telltale_stop: while nothing is recorded it costs one branch. For
 * C++ there is telltale.hpp. Link with `pkg-config --libs telltale-record`. */
#ifndef TELLTALE_TELLTALE_H_
#define TELLTALE_TELLTALE_H_

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#error "telltale records on Linux"
#endif
#define TELLTALE_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* For a value that belongs to no step. */
#define TELLTALE_NO_STEP INT64_MIN
/* For a value that is stored with the time of the call. */
#define TELLTALE_NOW INT64_MIN

/* Begins to record into the folder of a run, which is made where it is missing. NULL: into
 * $TELLTALE_RUN_DIR, as programs under `telltale run` do by themselves, without this call. A folder
 * other than that one gets a collector of its own where $TELLTALE_PROGRAM or the path has the
 * program telltale. Returns 1 when it records (as before: a second call changes nothing), 0 when it
 * cannot. */
TELLTALE_API int telltale_start(const char* run_dir);
/* Ends it; telltale_start may begin anew. At the end of a process this happens by itself. */
TELLTALE_API void telltale_stop(void);

/* Not 0 while something is recorded. Only telltale_recording reads it. */
TELLTALE_API extern uint32_t telltale_recording_now;
static inline int telltale_recording(void) {
  return __atomic_load_n(&telltale_recording_now, __ATOMIC_RELAXED) != 0;
}

/* The number of a name (a tag, the name of a span), the same for the same bytes as long as the
 * process lives, also after fork. 0: nothing is recorded, or the name is empty or longer than 4096
 * bytes. Keep the number: this call takes longer. */
TELLTALE_API uint32_t telltale_name(const char* text, size_t size);

/* A point of a curve. Never dropped. */
TELLTALE_API void telltale_scalar(uint32_t name, double value, int64_t step);
/* wall_ns: nanoseconds since 1970. */
TELLTALE_API void telltale_scalar_at(uint32_t name, double value, int64_t step, int64_t wall_ns);
/* A text, in UTF-8. Never dropped. */
TELLTALE_API void telltale_text(uint32_t name, const char* text, size_t size, int64_t step);
/* An encoded tensorflow.Summary.Value (an image, a histogram, audio …); its tag is the name's.
 * Never dropped. */
TELLTALE_API void telltale_value(uint32_t name, const void* summary_value, size_t size,
                                 int64_t step, int64_t wall_ns);
/* A fact of this process as JSON, under a key such as "config", "rank", "exception", "versions",
 * "summary". Never dropped. */
TELLTALE_API void telltale_note(const char* key, const char* json, size_t size);

/* A stretch of time on this thread; spans nest, and an end ends the innermost one. When the
 * collector is far behind, spans, instants, counters and heartbeats are dropped whole, and counted.
 */
TELLTALE_API void telltale_span_begin(uint32_t name);
TELLTALE_API void telltale_span_end(void);
/* A moment. */
TELLTALE_API void telltale_instant(uint32_t name);
/* A quantity of the moment, shown along the spans. */
TELLTALE_API void telltale_counter(uint32_t name, double value);

/* A step of the training begins on this thread. Not needed: a step that was not begun begins with
 * the end of the last one, the first of a process with telltale_start, or else with the process. */
TELLTALE_API void telltale_step_begin(int64_t step);
/* It ends; data_wait_ns of it were spent waiting for data, -1: unknown. Never dropped. */
TELLTALE_API void telltale_step_end(int64_t step, int64_t data_wait_ns);
/* The program is alive, and says so although it records nothing else. */
TELLTALE_API void telltale_heartbeat(void);
/* What could not be stored on a full disk is tried again. There is nothing else to wait for. */
TELLTALE_API void telltale_flush(void);

#ifdef __cplusplus
}
#endif

#endif /* TELLTALE_TELLTALE_H_ */
