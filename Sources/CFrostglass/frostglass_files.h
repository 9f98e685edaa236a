/* Frostglass from C, with files and GPUs, in addition to frostglass.h. Link libfrostglass-files instead of
 * libfrostglass; it needs libvips.
 *
 * Files are read and written as by the command: their format is recognized by their contents, images are
 * upright and in sRGB, and metadata is kept. Damaged files are errors. A file is written whole or not at all.
 *
 * The rules of frostglass.h for threads and errors hold here. The rule for forks holds for CPU engines that
 * work on pixels in memory. Files and GPUs need threads that a forked process does not have, so they are
 * refused with `FG_UNAVAILABLE` if the parent has used them.
 *
 * docs/integrate/c.md is the guide.
 */
#ifndef FROSTGLASS_FILES_H
#define FROSTGLASS_FILES_H

#include "frostglass.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The backend that computes images. All give the same images. */
enum {
  /* A GPU if one works and is faster, otherwise the CPU. */
  FG_BACKEND_AUTO = 0,
  /* The CPU, with all cores. */
  FG_BACKEND_FAST = 1,
  /* A GPU with OpenGL ES, or an emulation of one on the CPU. */
  FG_BACKEND_GL = 2,
  /* The CPU, with the slow reference code that defines the correct result. */
  FG_BACKEND_REFERENCE = 3
};

typedef struct fg_backend_options {
  size_t struct_size;
  /* 1 to 1024; 0 for one on each core. */
  int64_t threads;
  /* The memory that one plan's runs, or one file, may take, in bytes; 0 for half of the machine's memory. */
  int64_t memory_limit;
  /* GPUs by their numbers in `frostglass doctor` or by parts of their names, separated by commas, or "all";
   * null for the first. Only with `FG_BACKEND_GL`. */
  const char *devices;
  /* `FG_BACKEND_AUTO` to `FG_BACKEND_REFERENCE`. */
  int32_t backend;
  /* 0. */
  int32_t reserved;
} fg_backend_options;

/* Creates an engine that computes on a backend. Every function that takes an engine takes it. Engines of
 * `fg_engine_create` run on the CPU. A GPU is started with the first plan or file. Plans on a GPU report
 * progress 0 every 50 milliseconds, and 1 when they are done.
 *
 * - options: may be null, for `FG_BACKEND_AUTO`.
 * - engine: receives the engine; free it with `fg_engine_free`. */
fg_status fg_engine_create_on(
    const fg_backend_options *options, fg_engine **engine, char *error, size_t error_size);

/* A decoded image, with its file's metadata. */
typedef struct fg_picture fg_picture;
/* Bytes owned by the library. */
typedef struct fg_data fg_data;

/* Options and limits for reading files. */
typedef struct fg_decode_options {
  size_t struct_size;
  /* The largest number of pixels; 0 for 500 million. */
  int64_t most_pixels;
  /* The memory that decoding may take, in bytes; 0 for the engine's limit, or without an engine for half of the
   * machine's memory. */
  int64_t memory_limit;
  /* The frame of an animation to read, from 1; 0 for the first, or for all if all can be used. */
  int64_t frame;
  /* 1 to keep the file's color profile instead of converting to sRGB, otherwise 0. */
  int32_t keep_profile;
  /* 0. */
  int32_t reserved;
} fg_decode_options;

/* Options for writing files. */
typedef struct fg_encode_options {
  size_t struct_size;
  /* "jpeg", "png", "apng", "webp", "avif", "heic", "jxl", "gif", "tiff", "bmp", "ppm" or "pfm". Null for the
   * format of the file's name; for bytes, the format of the image that was read, or PNG without one. */
  const char *format;
  /* The background of transparent pixels in formats without alpha, such as "#fff"; null for white. */
  const char *background;
  /* 1 to 100; 0 for the format's default. */
  int32_t quality;
  /* From 1, fast, to 10, small; 0 for the format's default. */
  int32_t effort;
  /* 1 for lossless encoding if the format supports it, otherwise 0. */
  int32_t lossless;
  /* 1 to write no metadata, except a color profile that the pixels need; otherwise 0. */
  int32_t strip;
  /* 1 to replace an existing file, otherwise 0. */
  int32_t overwrite;
  /* 0. */
  int32_t reserved;
} fg_encode_options;

/* Decodes a file.
 *
 * - path: in the system's encoding.
 * - options: may be null.
 * - picture: receives the image; free it with `fg_picture_free`. */
fg_status fg_decode_file(
    const char *path, const fg_decode_options *options, fg_picture **picture, char *error,
    size_t error_size);

/* Decodes a file's bytes, otherwise as `fg_decode_file`. */
fg_status fg_decode_bytes(
    const void *bytes, size_t size, const fg_decode_options *options, fg_picture **picture,
    char *error, size_t error_size);

/* Gets a decoded image's pixels: upright, with straight alpha or none.
 *
 * - image: filled in; the caller sets its `struct_size`. Its memory is valid until `picture` is freed, and may
 *   be changed. */
fg_status fg_picture_image(fg_picture *picture, fg_image *image, char *error, size_t error_size);

/* Frees a decoded image and its pixels; null is ignored. No other call may be using its pixels. */
fg_status fg_picture_free(fg_picture *picture);

/* Encodes pixels as a file.
 *
 * - image: encoded, not linear. Depth and channels are converted to those of the format.
 * - like: the source of metadata and of the default format; may be null.
 * - options: may be null. */
fg_status fg_encode_file(
    const fg_image *image, fg_picture *like, const char *path, const fg_encode_options *options,
    char *error, size_t error_size);

/* Encodes pixels as a file's bytes, otherwise as `fg_encode_file`.
 *
 * - data: receives the bytes; free them with `fg_data_free`. */
fg_status fg_encode_bytes(
    const fg_image *image, fg_picture *like, const fg_encode_options *options, fg_data **data,
    char *error, size_t error_size);

/* Gets the bytes of data; they are valid until the data is freed. */
fg_status fg_data_bytes(
    fg_data *data, const void **bytes, size_t *size, char *error, size_t error_size);

/* Frees data and its bytes; null is ignored. */
fg_status fg_data_free(fg_data *data);

/* Options for processing one file into another. */
typedef struct fg_file_options {
  size_t struct_size;
  /* Mask, edge, quality, light and scale; its `input` is ignored. May be null. */
  const fg_plan_options *plan;
  /* May be null. */
  const fg_decode_options *decode;
  /* May be null. */
  const fg_encode_options *encode;
  /* May be null. The calling thread calls `progress`. */
  const fg_run_options *run;
  /* The time limit, after which it fails with `FG_CANCELLED`; 0 for none. */
  double seconds;
} fg_file_options;

/* The result of processing one file into another. */
typedef struct fg_file_info {
  size_t struct_size;
  /* The result's size, in pixels. */
  int64_t width;
  int64_t height;
  /* The number of frames written; more than 1 for an animation. */
  int64_t frames;
  /* In levels of 255, as in `fg_plan_info`. */
  double certified_error;
  /* The backend, such as "fast". */
  char backend[16];
  /* The format written, such as "jpeg". */
  char format[16];
} fg_file_info;

/* Filters one file into another. Rows are read, computed and written concurrently, so that only some are in
 * memory. The bytes are those of the command.
 *
 * - filters: as for `fg_plan_create`; empty for none.
 * - options: may be null.
 * - info: filled in if not null; the caller sets its `struct_size`. */
fg_status fg_apply_file(
    fg_engine *engine, const char *filters, const char *input, const char *output,
    const fg_file_options *options, fg_file_info *info, char *error, size_t error_size);

/* Filters a file's bytes into bytes, otherwise as `fg_apply_file`.
 *
 * - data: receives the bytes; free them with `fg_data_free`. */
fg_status fg_apply_bytes(
    fg_engine *engine, const char *filters, const void *bytes, size_t size,
    const fg_file_options *options, fg_data **data, fg_file_info *info, char *error,
    size_t error_size);

#ifdef __cplusplus
}
#endif

#endif
