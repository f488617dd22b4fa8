/* SPDX-License-Identifier: Apache-2.0 */
/* Writes TensorBoard event files from C, one write(2) a record: what a call wrote is in the file
 * when it returns, and what a full disk cut is taken away again. Independent of recording
 * (telltale.h). A writer may be used by several threads. Calls return 0, or -1 with errno. C++ has
 * telltale::SummaryWriter on top. */
#ifndef TELLTALE_WRITER_H_
#define TELLTALE_WRITER_H_

#include <stddef.h>
#include <stdint.h>

#ifndef TELLTALE_API
#define TELLTALE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* wall_seconds of a value that is stored with the time of the call. Seconds since 1970 otherwise.
 */
#define TELLTALE_WALL_NOW (-1.0)

typedef struct telltale_writer telltale_writer;

/* Makes the file, with its version record, or goes on behind what is there. NULL: it cannot be
 * opened; see errno. TensorBoard wants ".tfevents." in its name. */
TELLTALE_API telltale_writer* telltale_writer_open(const char* path);
TELLTALE_API void telltale_writer_close(telltale_writer* writer);

/* An encoded tensorflow.Event. */
TELLTALE_API int telltale_writer_event(telltale_writer* writer, const void* payload, size_t size);
/* An encoded Summary.Value, with its tag in it. */
TELLTALE_API int telltale_writer_value(telltale_writer* writer, const void* summary_value,
                                       size_t size, int64_t step, double wall_seconds);
/* A float, as every reader knows it (simple_value). */
TELLTALE_API int telltale_writer_scalar(telltale_writer* writer, const char* tag, size_t tag_size,
                                        double value, int64_t step, double wall_seconds);
/* In the bins that TensorBoard's writers have by default. No value, or none between -1e20 and 1e20:
 * EINVAL. */
TELLTALE_API int telltale_writer_histogram(telltale_writer* writer, const char* tag,
                                           size_t tag_size, const float* values, size_t count,
                                           int64_t step, double wall_seconds);
TELLTALE_API int telltale_writer_histogram_double(telltale_writer* writer, const char* tag,
                                                  size_t tag_size, const double* values,
                                                  size_t count, int64_t step, double wall_seconds);

/* The same histograms as an encoded Summary.Value, for telltale_value: the bytes it takes, which
 * were stored if they are no more than `capacity`; 0: EINVAL. TELLTALE_HISTOGRAM_BYTES and the
 * tag's are always enough. */
#define TELLTALE_HISTOGRAM_BYTES 25000
TELLTALE_API size_t telltale_histogram_value(const char* tag, size_t tag_size, const float* values,
                                             size_t count, void* out, size_t capacity);
TELLTALE_API size_t telltale_histogram_value_double(const char* tag, size_t tag_size,
                                                    const double* values, size_t count, void* out,
                                                    size_t capacity);

#ifdef __cplusplus
}
#endif

#endif /* TELLTALE_WRITER_H_ */
