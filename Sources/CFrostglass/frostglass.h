/* Frostglass from C: blurs and backdrops of pixels in memory, on the CPU; blurs also in a CUDA device's memory.
 *
 * Any thread may call any function at any time, also in a process forked from one that has used the
 * library. No argument makes a function end the process, as long as pointers are null or point to the
 * memory that is described.
 *
 * Functions that can fail return a status. On failure they write one sentence into `error`, cut to
 * `error_size` bytes with the zero at its end, and set what they would create to null. `error` may be
 * null.
 *
 * docs/integrate/c.md is the guide.
 */
#ifndef FROSTGLASS_H
#define FROSTGLASS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The header's ABI version; `fg_abi_version()` is the library's. It grows when programs that were compiled
 * before would no longer work. */
#define FG_ABI_VERSION 1

/* The result of a call. */
typedef int32_t fg_status;
enum {
  FG_OK = 0,
  /* A null pointer where none is allowed, a structure of an unknown size, or a number outside its range. */
  FG_BAD_ARGUMENT = 1,
  /* A handle that was freed, or that never was valid. */
  FG_BAD_HANDLE = 2,
  /* A text of filters, regions or lengths that cannot be parsed. */
  FG_BAD_TEXT = 3,
  /* A value that a filter does not accept for an image of this size. */
  FG_BAD_VALUE = 4,
  /* An image that does not match the plan, whose stride is less than a row, or whose memory overlaps
   * another image. */
  FG_BAD_IMAGE = 5,
  /* The memory limit would be exceeded, or an image exceeds the largest size. */
  FG_TOO_LARGE = 6,
  /* Cancelled by the progress callback, `fg_cancel` or a time limit. */
  FG_CANCELLED = 7,
  /* A text is longer than the buffer for it. */
  FG_BUFFER_TOO_SMALL = 8,
  /* An internal error. */
  FG_FAILED = 9,
  /* frostglass_files.h only: a file that does not exist or may not be read. */
  FG_NO_INPUT = 10,
  /* A file that is no image, or a damaged one. */
  FG_BAD_FILE = 11,
  /* A file that cannot be written there or in that format. */
  FG_CANNOT_WRITE = 12,
  /* A backend that does not work here, or not in this process. */
  FG_UNAVAILABLE = 13
};

/* Channels and samples of a pixel, in memory order. 16-bit and float samples have the machine's byte order,
 * and their addresses are multiples of their size. Floats from 0 to 1 are black to white. */
enum {
  FG_GRAY8 = 1,
  FG_GRAY16 = 2,
  FG_GRAYF32 = 3,
  FG_RGB8 = 4,
  FG_RGB16 = 5,
  FG_RGBF32 = 6,
  FG_RGBA8 = 7,
  FG_RGBA16 = 8,
  FG_RGBAF32 = 9,
  /* Blue first, as in OpenCV, Cairo and most compositors. Formats with an unused fourth byte (RGBX, BGRX)
   * are FG_RGBA8 or FG_BGRA8 with FG_OPAQUE. */
  FG_BGR8 = 10,
  FG_BGR16 = 11,
  FG_BGRF32 = 12,
  FG_BGRA8 = 13,
  FG_BGRA16 = 14,
  FG_BGRAF32 = 15
};

/* The alpha mode; ignored for formats without alpha. */
enum {
  /* Colors do not depend on alpha, as in PNG. */
  FG_STRAIGHT = 0,
  /* Colors are multiplied by alpha. */
  FG_PREMULTIPLIED = 1,
  /* The fourth channel is opaque everywhere: an input's fourth channel is ignored, and an output's is filled.
   * If filters or `FG_TRANSPARENT` edges make the image transparent, the result is `FG_STRAIGHT`. */
  FG_OPAQUE = 2
};

/* The transfer function of samples. */
enum {
  /* Encoded with the sRGB curve, or with another display curve, which is left alone. */
  FG_ENCODED = 0,
  /* Proportional to light. */
  FG_LINEAR = 1
};

/* The pixels that blurs read beyond an image's border. */
enum {
  /* The nearest border pixel. */
  FG_CLAMP = 0,
  /* The image mirrored, with border pixels repeated. */
  FG_MIRROR = 1,
  /* The image repeated. */
  FG_WRAP = 2,
  /* Transparent black. */
  FG_TRANSPARENT = 3,
  /* The image mirrored, with border pixels not repeated: OpenCV's default, and reflect in torchvision and NumPy.
   * SciPy's reflect is FG_MIRROR. */
  FG_REFLECT_101 = 4
};

/* The largest error of a plan against the mathematical truth. */
enum {
  /* Certified under 1 level of 255. */
  FG_EXACT = 0,
  /* Certified under 2. */
  FG_FAST = 1,
  /* Certified under 2 codes of 65535, for 16-bit images; constants keep their code. Computes in floats, slower. */
  FG_EXACT16 = 2
};

/* The use of a mask. */
enum {
  /* The effect shows where the mask covers. */
  FG_MASK_SHOW = 0,
  /* The same, and the filters read covered pixels only. */
  FG_MASK_CONFINE = 1,
  /* Standard deviations are multiplied by the coverage. */
  FG_MASK_SCALE = 2,
  /* Covered pixels are replaced by the colors around them before the filters read the image, so nothing of
   * them is left in the result. A mask that covers nothing, or whose coverage is doubtful, is an error.
   * `grow` is a margin; 4 pixels is a good value. */
  FG_MASK_REDACT = 3,
  /* The same, but replaced by `color`. */
  FG_MASK_REDACT_COLOR = 4
};

/* The channel of an image that is the mask. */
enum {
  /* Alpha, or luma if there is no alpha or the image is opaque. */
  FG_CHANNEL_AUTO = 0,
  FG_CHANNEL_LUMA = 1,
  FG_CHANNEL_ALPHA = 2,
  FG_CHANNEL_RED = 3,
  FG_CHANNEL_GREEN = 4,
  FG_CHANNEL_BLUE = 5
};

/* A set of threads and limits, reused for image after image. */
typedef struct fg_engine fg_engine;
/* A plan of filters for images of one size and format, which can be run any number of times. */
typedef struct fg_plan fg_plan;

/* A structure's first member is its size, as `sizeof` gives it. All others may be 0 unless noted, and 0 is
 * the default. */

/* Pixels in memory owned by the caller. */
typedef struct fg_image {
  size_t struct_size;
  /* The first row, in a buffer of `stride * (height - 1)` bytes and one row of pixels. Bytes between rows are
   * not touched. */
  void *data;
  /* In pixels: 1 to 16777216 each, 1099511627776 together. */
  int64_t width;
  int64_t height;
  /* The distance from one row to the next, in bytes: at least one row of pixels; 0 for rows without gaps. */
  int64_t stride;
  /* `FG_GRAY8` to `FG_BGRAF32`. */
  int32_t format;
  /* `FG_STRAIGHT`, `FG_PREMULTIPLIED` or `FG_OPAQUE`. */
  int32_t alpha;
  /* `FG_ENCODED` or `FG_LINEAR`. */
  int32_t transfer;
  /* 0. */
  int32_t reserved;
} fg_image;

typedef struct fg_engine_options {
  size_t struct_size;
  /* 1 to 1024; 0 for one on each core. */
  int64_t threads;
  /* The memory that one plan's runs and mask images may take in addition to images, in bytes; 0 for half of
   * the machine's memory. */
  int64_t memory_limit;
} fg_engine_options;

/* The area that filters act on: the union of `regions` and `picture`. With neither, or with a `picture` that
 * covers nothing, the result is the input. Regions outside the image are errors. */
typedef struct fg_mask {
  size_t struct_size;
  /* Shapes as in docs/use/regions.md, such as "40,30,200,100; ellipse(10%,10%,30%,40%)", or null. */
  const char *regions;
  /* The distance over which coverage falls to 0 outside, such as "20" or "2%", or null for a sharp border. */
  const char *feather;
  /* The distance that borders are moved outward, or inward if negative; or null. */
  const char *grow;
  /* A mask image with the coverage of each pixel, of the input's size, or null. It is copied. */
  const fg_image *picture;
  /* The channel of `picture`, `FG_CHANNEL_AUTO` to `FG_CHANNEL_BLUE`. */
  int32_t channel;
  /* `FG_MASK_SHOW` to `FG_MASK_REDACT_COLOR`. */
  int32_t use;
  /* 1 to act outside instead, otherwise 0. */
  int32_t inverted;
  /* 0xRRGGBB for `FG_MASK_REDACT_COLOR`; 0 otherwise. */
  int32_t color;
} fg_mask;

typedef struct fg_plan_options {
  size_t struct_size;
  /* The description of the input. Its memory and stride are ignored. Required. */
  const fg_image *input;
  /* The area that the filters act on; null for the whole image. */
  const fg_mask *mask;
  /* `FG_CLAMP` to `FG_REFLECT_101`. */
  int32_t edge;
  /* `FG_EXACT`, `FG_FAST` or `FG_EXACT16`. */
  int32_t quality;
  /* 1 to work in linear light, otherwise 0. */
  int32_t linear_light;
  /* 0. */
  int32_t reserved;
  /* Pixels per point, 0.001 to 1000; 0 is 1. */
  double scale;
} fg_plan_options;

/* The properties of a plan and one of its results. */
typedef struct fg_plan_info {
  size_t struct_size;
  /* The description of the result. Its memory is null, its stride that of rows without gaps. Filters that turn
   * gray into color or add transparency give it channels that the input lacks. */
  fg_image result;
  /* The number of results. */
  size_t results;
  /* The largest error of a result's sample before rounding, for any input: in levels of 255, on premultiplied
   * values. It is the sum of the errors of kernels, of filters that approximate by definition, and of
   * arithmetic. */
  double certified_error;
  double kernel_error;
  double model_error;
  double arithmetic_error;
  /* The memory that a run takes in addition to images, in bytes, with the mask that the plan keeps; or the
   * memory to make that mask, if it was more. A run on images in another channel order may copy them, which
   * takes more and is refused beyond the engine's limit. */
  int64_t memory;
  /* Multiply-adds per pixel and channel. */
  double multiply_adds;
} fg_plan_info;

/* A progress callback. The thread that called `fg_plan_run` or `fg_apply` calls it now and then with the share
 * that is done, 0 to 1, never less than before. It returns 0 to go on, anything else to stop. It must return, and
 * must not create or run a plan itself. A stopped run ends within some milliseconds, unless filters are slow. */
typedef int32_t (*fg_progress)(void *context, double done);

/* A progress callback that stops the run once `context`, an `int32_t`, is not 0. Other threads can stop a run
 * with it, at the cost of reading the number. */
int32_t fg_stop_when_set(void *context, double done);

typedef struct fg_run_options {
  size_t struct_size;
  /* May be null. */
  fg_progress progress;
  /* The argument of `progress`, and the run's name for `fg_cancel`. */
  void *context;
} fg_run_options;

/* Cancels all running calls with this context, from any thread. They soon return `FG_CANCELLED`, without waiting
 * for a progress callback. Calls that have not begun yet are not cancelled.
 *
 * Returns the number of cancelled calls; 0 for a null context. */
size_t fg_cancel(void *context);

/* Creates an engine.
 *
 * - options: may be null.
 * - engine: receives the engine; free it with `fg_engine_free`. */
fg_status fg_engine_create(
    const fg_engine_options *options, fg_engine **engine, char *error, size_t error_size);

/* Frees an engine; null is ignored. Its plans stay valid, and runs go on. */
fg_status fg_engine_free(fg_engine *engine);

/* Plans filters for images of one size and format.
 *
 * - filters: `filter_count` texts such as "blur(20px) saturate(180%)", as in docs/use/filter-text.md. The plan
 *   has one result for each text, and shared work is done once.
 * - plan: receives the plan; free it with `fg_plan_free`. */
fg_status fg_plan_create(
    fg_engine *engine, const char *const *filters, size_t filter_count,
    const fg_plan_options *options, fg_plan **plan, char *error, size_t error_size);

/* Frees a plan; null is ignored. Runs go on. */
fg_status fg_plan_free(fg_plan *plan);

/* Describes a plan's result with this number, counted from 0.
 *
 * - info: filled in; the caller sets its `struct_size`. */
fg_status fg_plan_describe(
    fg_plan *plan, size_t result, fg_plan_info *info, char *error, size_t error_size);

/* Writes a readable plan: its steps, cost and guarantees, as `frostglass plan` does.
 *
 * - text: receives UTF-8 with a zero at the end; may be null with a size of 0, to query the length.
 * - needed: receives the number of bytes with the zero; may be null. */
fg_status fg_plan_text(
    fg_plan *plan, char *text, size_t size, size_t *needed, char *error, size_t error_size);

/* Runs a plan. Several threads may run the same plan at the same time.
 *
 * - input: matches the plan's input. It is only read, unless it is the output, too. Its colors may have the
 *   other order: `FG_BGR8` for `FG_RGB8`.
 * - outputs: an image for each result, as `fg_plan_describe` describes them (`FG_STRAIGHT` is accepted for
 *   `FG_OPAQUE`), with colors in either order. Their contents are undefined on failure. They must overlap
 *   neither the input nor each other, but may be side by side in the same rows. A single output may be the
 *   input itself, with the same stride. On the CPU, pixels more than two pixels away from the mask's coverage
 *   are not written then, and if the run fails or is stopped, covered pixels may be blurred in part.
 * - options: may be null. */
fg_status fg_plan_run(
    fg_plan *plan, const fg_image *input, const fg_image *outputs, size_t output_count,
    const fg_run_options *options, char *error, size_t error_size);

/* The layout of luma and chroma planes, with one chroma sample for 2 × 2 pixels. Odd sides of an image are
 * rounded up in chroma planes. */
enum {
  /* 8 bits: a luma plane, and a plane of interleaved chroma, blue first. */
  FG_NV12 = 1,
  /* 8 bits: luma, blue and red difference planes. YV12 has the last two exchanged. */
  FG_I420 = 2,
  /* As NV12, with 16-bit words whose upper bits count. All 16 bits are written. */
  FG_P010 = 3
};

/* The color matrix of planes. */
enum { FG_BT709 = 0, FG_BT601 = 1, FG_BT2020 = 2 };

/* The position of chroma samples in 2 × 2 pixels: between the left two, as in most video; in the middle, as in
 * JPEG; on the first. */
enum { FG_SITING_LEFT = 0, FG_SITING_CENTER = 1, FG_SITING_TOP_LEFT = 2 };

/* An image in planes, in memory owned by the caller. */
typedef struct fg_planes {
  size_t struct_size;
  /* The first rows of luma, then of chroma; the third is null for layouts with two planes. */
  void *data[3];
  /* The distances from one row to the next, in bytes; 0 for rows without gaps. */
  int64_t stride[3];
  /* The image's size, in pixels. */
  int64_t width;
  int64_t height;
  /* `FG_NV12`, `FG_I420` or `FG_P010`. */
  int32_t layout;
  /* `FG_BT709`, `FG_BT601` or `FG_BT2020`. */
  int32_t matrix;
  /* 1 if black is 0 and white the largest code, otherwise 0. */
  int32_t full_range;
  /* `FG_SITING_LEFT`, `FG_SITING_CENTER` or `FG_SITING_TOP_LEFT`. */
  int32_t siting;
} fg_planes;

/* A plan of filters for images in planes, which can be run on frame after frame. */
typedef struct fg_planes_plan fg_planes_plan;

/* Plans filters for images in planes.
 *
 * Blurs work on each plane separately, other filters on converted colors. Samples outside a mask keep their
 * bytes. A redaction hides up to three more pixels on each side, because chroma samples are shared.
 *
 * - options: as for `fg_plan_create`, with a null `input`; null for the defaults.
 * - like: describes the images. Its memory is ignored.
 * - plan: receives the plan; free it with `fg_planes_plan_free`. */
fg_status fg_planes_plan_create(
    fg_engine *engine, const char *filters, const fg_plan_options *options, const fg_planes *like,
    fg_planes_plan **plan, char *error, size_t error_size);

/* Runs a plan on a frame.
 *
 * - input, output: match the plan's images. Their planes must not share memory.
 * - options: may be null. */
fg_status fg_planes_plan_run(
    fg_planes_plan *plan, const fg_planes *input, const fg_planes *output,
    const fg_run_options *options, char *error, size_t error_size);

/* Frees a plan; null is ignored. Runs go on. */
fg_status fg_planes_plan_free(fg_planes_plan *plan);

/* Plans and runs filters on a single image. */
fg_status fg_apply(
    fg_engine *engine, const char *filters, const fg_image *input, const fg_image *output,
    const fg_run_options *options, char *error, size_t error_size);

/* Runs a plan with one result on images in a CUDA device's memory: the plan's kernels are put into a stream, nothing
 * is copied to or from the device, and the call does not wait for them.
 *
 * Gaussians of 8-bit images of up to 524280 rows run there, without masks, linear light and `FG_EXACT16`, and with
 * `FG_TRANSPARENT` edges on RGBA alone. Other plans, processes forked after CUDA was started, and machines without
 * NVIDIA's driver for CUDA 11.8 or newer and a GPU of compute capability 7.0 or newer, are `FG_UNAVAILABLE` with the
 * reason. The driver compiles the kernels in the first call in a context.
 *
 * - input, output: as for `fg_plan_run`, but `data` is a device address, and both have the same order of colors and
 *   do not overlap. RGBA begins at a multiple of 4 bytes, as do its rows.
 * - stream: a `CUstream` or `cudaStream_t` of the images' context, or of their device's primary one where their memory
 *   belongs to none; null for the legacy default stream. Contexts that were used must not be destroyed or reset. */
fg_status fg_plan_run_device(
    fg_plan *plan, const fg_image *input, const fg_image *output, void *stream, char *error,
    size_t error_size);

/* Plans and runs filters on a single image in a CUDA device's memory, as `fg_plan_run_device`. */
fg_status fg_apply_device(
    fg_engine *engine, const char *filters, const fg_image *input, const fg_image *output,
    void *stream, char *error, size_t error_size);

/* Writes all filters with their parameters as JSON, as `frostglass filters --json` does.
 *
 * - text, needed: as for `fg_plan_text`. */
fg_status fg_catalog_json(char *text, size_t size, size_t *needed, char *error, size_t error_size);

/* Returns the library's ABI version. If it is not `FG_ABI_VERSION`, the header does not match the library. */
int32_t fg_abi_version(void);

/* Returns the library's version, such as "0.2.0". */
const char *fg_version(void);

/* Returns the library's size of a structure of this header by its name, such as `fg_sizeof("fg_image")`; 0 for
 * other names, also those of frostglass_files.h. */
size_t fg_sizeof(const char *name);

/* Returns a status's name, such as "FG_BAD_IMAGE"; "unknown" for other numbers. */
const char *fg_status_name(fg_status status);

#ifdef __cplusplus
}
#endif

#endif
