/* Frostglass from C: blurs and backdrops of pixels in memory, on the CPU.
 *
 * Every function may be called by any thread at any time, and in a process that was forked from one that
 * has used the library. None ends the process, whatever it is given, as long as what it is told about
 * memory is true: pointers that are not null point to what they are said to point to.
 *
 * Functions that can fail return a status, and write one sentence that says what was wrong into `error`,
 * cut to `error_size` bytes with the zero at its end; `error` may be null. What they make is null then.
 *
 * The page docs/integrate/c.md goes through it.
 */
#ifndef FROSTGLASS_H
#define FROSTGLASS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What this header describes; `fg_abi_version()` is what the library has. It grows where programs that
 * were compiled before would not work any more. */
#define FG_ABI_VERSION 1

/* How a call ended. */
typedef int32_t fg_status;
enum {
  FG_OK = 0,
  /* A pointer that must not be null, a structure of an unknown size, a number outside its range. */
  FG_BAD_ARGUMENT = 1,
  /* An engine or a plan that was freed, or that never was one. */
  FG_BAD_HANDLE = 2,
  /* A text of filters, regions or lengths that cannot be read. */
  FG_BAD_TEXT = 3,
  /* A value that a filter does not take for a picture of this size. */
  FG_BAD_VALUE = 4,
  /* An image that is not what the plan was made for, whose rows are too near to each other, or whose
   * memory overlaps another's. */
  FG_BAD_IMAGE = 5,
  /* The memory limit would be exceeded, or a picture is larger than any may be. */
  FG_TOO_LARGE = 6,
  /* The progress callback asked for the end. */
  FG_CANCELLED = 7,
  /* A text is longer than the buffer it was to be written to. */
  FG_BUFFER_TOO_SMALL = 8,
  /* Something that should not happen did. */
  FG_FAILED = 9,
  /* Of frostglass_files.h alone: a file that is not there or may not be read. */
  FG_NO_INPUT = 10,
  /* A file that is no picture, or a damaged one. */
  FG_BAD_FILE = 11,
  /* A file that cannot be written there, or not in that format. */
  FG_CANNOT_WRITE = 12,
  /* A backend that does not work here, or not in this process. */
  FG_UNAVAILABLE = 13
};

/* Channels and samples of a pixel, in memory order. Samples of 16 bits and floats are in the machine's
 * byte order, and their addresses are multiples of their size; floats from 0 to 1 are black to white. */
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
  /* Blue first, as OpenCV, Cairo and most compositors have them. What has a fourth byte that says nothing
   * (RGBX, BGRX) is FG_RGBA8 or FG_BGRA8 with FG_OPAQUE. */
  FG_BGR8 = 10,
  FG_BGR16 = 11,
  FG_BGRF32 = 12,
  FG_BGRA8 = 13,
  FG_BGRA16 = 14,
  FG_BGRAF32 = 15
};

/* What colors mean beside their alpha; not looked at where there is none. */
enum {
  /* Colors do not depend on alpha, as PNG has them. */
  FG_STRAIGHT = 0,
  /* Colors are multiplied by alpha. */
  FG_PREMULTIPLIED = 1,
  /* The fourth channel is full everywhere: what an input has there is not looked at, and an output gets full
   * samples. Where filters or `FG_TRANSPARENT` edges make the picture transparent, the result is
   * `FG_STRAIGHT`. */
  FG_OPAQUE = 2
};

/* How samples relate to light. */
enum {
  /* By the sRGB curve, or another of displays that is left alone. */
  FG_ENCODED = 0,
  /* Proportional to light. */
  FG_LINEAR = 1
};

/* What blurs see beyond a picture's border. */
enum {
  /* The nearest pixel of the border. */
  FG_CLAMP = 0,
  /* The picture mirrored, the pixels of the border repeated. */
  FG_MIRROR = 1,
  /* The picture once more. */
  FG_WRAP = 2,
  /* Nothing: transparent black. */
  FG_TRANSPARENT = 3,
  /* The picture mirrored, the pixels of the border not repeated: OpenCV's usual border, and what torchvision and
   * NumPy call reflect. What SciPy calls reflect is FG_MIRROR. */
  FG_REFLECT_101 = 4
};

/* How near to the mathematical truth a plan must come. */
enum {
  /* Certified under 1 level of 255. */
  FG_EXACT = 0,
  /* Certified under 2. */
  FG_FAST = 1
};

/* What a mask does. */
enum {
  /* The effect shows where it covers. */
  FG_MASK_SHOW = 0,
  /* The same, and the filters see only what is covered. */
  FG_MASK_CONFINE = 1,
  /* Standard deviations are multiplied by the coverage. */
  FG_MASK_SCALE = 2,
  /* Covered pixels are replaced, before the filters see the picture, by the colors around them: nothing of
   * them is left in the result. A mask that covers nothing, or of which it is doubtful what it covers, is
   * an error; `grow` is a margin, for which 4 pixels serve. */
  FG_MASK_REDACT = 3,
  /* The same, replaced by `color`. */
  FG_MASK_REDACT_COLOR = 4
};

/* Which channel of a picture is a mask. */
enum {
  /* Alpha where there is one, luma otherwise, and of what is opaque. */
  FG_CHANNEL_AUTO = 0,
  FG_CHANNEL_LUMA = 1,
  FG_CHANNEL_ALPHA = 2,
  FG_CHANNEL_RED = 3,
  FG_CHANNEL_GREEN = 4,
  FG_CHANNEL_BLUE = 5
};

/* Threads, kept for picture after picture. */
typedef struct fg_engine fg_engine;
/* All that is to be done to pictures of one size and format, decided: to be run any number of times. */
typedef struct fg_plan fg_plan;

/* A structure's first member is its size, as `sizeof` gives it; all others may be 0 where nothing else is
 * said, and what is 0 is as usual. */

/* Pixels in the caller's memory, which stays his. */
typedef struct fg_image {
  size_t struct_size;
  /* The first row; `stride * (height - 1)` bytes and a row's pixels are there. Others are not touched. */
  void *data;
  /* In pixels: 1 to 16777216 each, 1099511627776 together. */
  int64_t width;
  int64_t height;
  /* From one row to the next, in bytes: a row's pixels or more; 0 for rows without gaps. */
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
  /* Bytes that one plan's runs, and its masks' pictures, may take beside images; 0 for half of the
   * machine's memory. */
  int64_t memory_limit;
} fg_engine_options;

/* Where filters act. What `regions` and `picture` cover counts together. With neither, or with a picture that
 * covers nothing, nothing is covered, and the result is the input; regions outside of the picture are errors,
 * as they are mistakes. */
typedef struct fg_mask {
  size_t struct_size;
  /* Shapes as in docs/use/regions.md, such as "40,30,200,100; ellipse(10%,10%,30%,40%)", or null. */
  const char *regions;
  /* How far coverage takes to fall to 0 outside, such as "20" or "2%", or null for a sharp border. */
  const char *feather;
  /* How far borders are moved outward, inward where negative; or null. */
  const char *grow;
  /* Coverage of each pixel, of the picture's own size, or null. It is copied. */
  const fg_image *picture;
  /* `FG_CHANNEL_AUTO` to `FG_CHANNEL_BLUE`, of `picture`. */
  int32_t channel;
  /* `FG_MASK_SHOW` to `FG_MASK_REDACT_COLOR`. */
  int32_t use;
  /* Whether the outside is meant: 0 or 1. */
  int32_t inverted;
  /* 0xRRGGBB, of `FG_MASK_REDACT_COLOR`; 0 otherwise. */
  int32_t color;
} fg_mask;

typedef struct fg_plan_options {
  size_t struct_size;
  /* What the input will be like. Its memory is not looked at, nor its stride. Needed. */
  const fg_image *input;
  /* Where the filters act; null for everywhere. */
  const fg_mask *mask;
  /* `FG_CLAMP` to `FG_REFLECT_101`. */
  int32_t edge;
  /* `FG_EXACT` or `FG_FAST`. */
  int32_t quality;
  /* Whether to work in linear light: 0 or 1. */
  int32_t linear_light;
  /* 0. */
  int32_t reserved;
  /* Pixels per point, 0.001 to 1000; 0 is 1. */
  double scale;
} fg_plan_options;

/* What a plan is like, as a whole or one of its results. */
typedef struct fg_plan_info {
  size_t struct_size;
  /* What comes out. Its memory is null, its stride that of rows without gaps. Filters that make colors of gray,
   * or that make a picture transparent, give it channels that the input has not. */
  fg_image result;
  /* How many results there are. */
  size_t results;
  /* How far a sample of the result can be from the true one before it is rounded, for any input: in
   * levels of 255, on premultiplied values. The parts from kernels, from filters that approximate by
   * definition, and from arithmetic add up to it. */
  double certified_error;
  double kernel_error;
  double model_error;
  double arithmetic_error;
  /* Bytes that a run takes beside images, with what the plan keeps of a picture that is a mask; or what
   * making that took, if it was more. */
  int64_t memory;
  /* Multiply-adds per pixel and channel. */
  double multiply_adds;
} fg_plan_info;

/* Told now and then how much of a run is done, 0 to 1, never less than before, by the thread that called
 * `fg_plan_run` or `fg_apply`; returns 0 to go on, anything else to stop. It must return, and can make or run no
 * plan itself. A run that is stopped ends within some milliseconds where filters are not slow ones. */
typedef int32_t (*fg_progress)(void *context, double done);

/* A progress callback that stops the run once `context`, an `int32_t`, is not 0: for runs that other threads
 * stop, at no more than reading it. */
int32_t fg_stop_when_set(void *context, double done);

typedef struct fg_run_options {
  size_t struct_size;
  /* Or null. */
  fg_progress progress;
  /* What `progress` is given, and what `fg_cancel` knows the run by. */
  void *context;
} fg_run_options;

/* Stops all runs that go on with this context, from any thread: they end soon, with `FG_CANCELLED`, without being
 * asked. What has not begun yet is not stopped.
 *
 * Returns how many there are; a null context has none. */
size_t fg_cancel(void *context);

/* Makes an engine.
 *
 * - options: may be null.
 * - engine: gets it, to be freed with `fg_engine_free`. */
fg_status fg_engine_create(
    const fg_engine_options *options, fg_engine **engine, char *error, size_t error_size);

/* Frees an engine; null is none. Its plans stay, and what runs goes on. */
fg_status fg_engine_free(fg_engine *engine);

/* Decides what filters will do to pictures of one size and format.
 *
 * - filters: such as "blur(20px) saturate(180%)", as in docs/use/filter-text.md; several with `filter_count`
 *   texts make a plan with as many results, each of its text, for which shared work is done once.
 * - plan: gets it, to be freed with `fg_plan_free`. */
fg_status fg_plan_create(
    fg_engine *engine, const char *const *filters, size_t filter_count,
    const fg_plan_options *options, fg_plan **plan, char *error, size_t error_size);

/* Frees a plan; null is none. What runs goes on. */
fg_status fg_plan_free(fg_plan *plan);

/* Says what a plan's result with this number, counted from 0, is like.
 *
 * - info: filled; its `struct_size` is set by the caller. */
fg_status fg_plan_describe(
    fg_plan *plan, size_t result, fg_plan_info *info, char *error, size_t error_size);

/* Writes a plan for people: its steps, what it costs and what it guarantees; as `frostglass plan` does.
 *
 * - text: UTF-8 with a zero at the end; may be null with a size of 0, to learn the length.
 * - needed: gets the bytes of the text with its zero; may be null. */
fg_status fg_plan_text(
    fg_plan *plan, char *text, size_t size, size_t *needed, char *error, size_t error_size);

/* Runs a plan; several threads may run one at the same time.
 *
 * - input: as the plan was made for; only read, unless it is the output, too. Its colors may be in the other
 *   order than the plan's input had them: `FG_BGR8` for `FG_RGB8`.
 * - outputs: memory for each result, as `fg_plan_describe` says they are (`FG_STRAIGHT` is taken for
 *   `FG_OPAQUE`, too), with colors in any order; of no use when this fails. They overlap neither the input
 *   nor each other: side by side in the same rows is possible. A
 *   single output may be the input itself, with the same stride: on the CPU nothing is then written that
 *   is more than two pixels away from what a mask covers, and where the run fails or is stopped, what
 *   the mask covers may be blurred in part.
 * - options: may be null. */
fg_status fg_plan_run(
    fg_plan *plan, const fg_image *input, const fg_image *outputs, size_t output_count,
    const fg_run_options *options, char *error, size_t error_size);

/* How planes of brightness and color differences are laid out, with a color sample for 2 × 2 pixels. Odd sides
 * of a picture are rounded up in planes of colors. */
enum {
  /* Bytes; a plane of brightness, and one in which blue and red differences take turns. */
  FG_NV12 = 1,
  /* Bytes; planes of brightness, blue and red differences. YV12 has the last two exchanged. */
  FG_I420 = 2,
  /* As NV12, in 16-bit words whose upper bits count. All 16 are written. */
  FG_P010 = 3
};

/* Which colors the samples of planes stand for. */
enum { FG_BT709 = 0, FG_BT601 = 1, FG_BT2020 = 2 };

/* Where color samples lie: on the left two of four pixels, as most video has them; in the middle, as JPEG has
 * them; on the first. */
enum { FG_SITING_LEFT = 0, FG_SITING_CENTER = 1, FG_SITING_TOP_LEFT = 2 };

/* A picture in planes, in the caller's memory, which stays his. */
typedef struct fg_planes {
  size_t struct_size;
  /* The first rows: of brightness, then of color differences; the third is null where there are two planes. */
  void *data[3];
  /* From one row to the next, in bytes; 0 for rows without gaps. */
  int64_t stride[3];
  /* Of the picture, in pixels. */
  int64_t width;
  int64_t height;
  /* `FG_NV12`, `FG_I420` or `FG_P010`. */
  int32_t layout;
  /* `FG_BT709`, `FG_BT601` or `FG_BT2020`. */
  int32_t matrix;
  /* Whether black is 0 and white the largest code: 0 or 1. */
  int32_t full_range;
  /* `FG_SITING_LEFT`, `FG_SITING_CENTER` or `FG_SITING_TOP_LEFT`. */
  int32_t siting;
} fg_planes;

/* All that is to be done to pictures in planes, decided: to be run on frame after frame. */
typedef struct fg_planes_plan fg_planes_plan;

/* Decides what filters will do to pictures in planes.
 *
 * Blurs work on each plane by itself, other filters by way of colors; what a mask leaves alone keeps its bytes.
 * A redaction hides up to three pixels more to each side, as colors are shared.
 *
 * - options: as of `fg_plan_create`, with a null `input`; null is as usual.
 * - like: what pictures will be like. Its memory is not looked at.
 * - plan: gets it, to be freed with `fg_planes_plan_free`. */
fg_status fg_planes_plan_create(
    fg_engine *engine, const char *filters, const fg_plan_options *options, const fg_planes *like,
    fg_planes_plan **plan, char *error, size_t error_size);

/* Runs a plan on a frame.
 *
 * - input, output: as the plan was made for; planes of the output are other memory than those of the input.
 * - options: may be null. */
fg_status fg_planes_plan_run(
    fg_planes_plan *plan, const fg_planes *input, const fg_planes *output,
    const fg_run_options *options, char *error, size_t error_size);

/* Frees a plan; null is none. What runs goes on. */
fg_status fg_planes_plan_free(fg_planes_plan *plan);

/* Plans and runs at once: for one picture. */
fg_status fg_apply(
    fg_engine *engine, const char *filters, const fg_image *input, const fg_image *output,
    const fg_run_options *options, char *error, size_t error_size);

/* Writes all filters with their parameters as JSON, as `frostglass filters --json` does.
 *
 * - text, needed: as of `fg_plan_text`. */
fg_status fg_catalog_json(char *text, size_t size, size_t *needed, char *error, size_t error_size);

/* The library's ABI version; other than `FG_ABI_VERSION` it is not the header's. */
int32_t fg_abi_version(void);

/* The library's version, such as "0.2.0". */
const char *fg_version(void);

/* The size of a structure of this header in the library, by its name: `fg_sizeof("fg_image")`. 0 for other
 * names, those of frostglass_files.h too. */
size_t fg_sizeof(const char *name);

/* A status as a word, such as "FG_BAD_IMAGE"; "unknown" for other numbers. */
const char *fg_status_name(fg_status status);

#ifdef __cplusplus
}
#endif

#endif
