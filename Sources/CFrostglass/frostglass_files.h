/* Frostglass from C, with files and GPUs: all of frostglass.h, and what is here. It is in
 * libfrostglass-files, which is linked instead of libfrostglass, and needs libvips.
 *
 * Files are read and written as the command does: told by their contents, upright, in sRGB, with what they
 * say beside the pixels; damaged files are errors, and a file is written whole or not at all.
 *
 * What frostglass.h says of threads and errors holds here. Of forks it holds for engines on the CPU that
 * work on pixels in memory: files and GPUs need threads that a forked process has not, and where its
 * parent has used them they are refused with `FG_UNAVAILABLE`.
 *
 * The page docs/integrate/c.md goes through it.
 */
#ifndef FROSTGLASS_FILES_H
#define FROSTGLASS_FILES_H

#include "frostglass.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What computes pictures. All give the same pictures. */
enum {
  /* A GPU where one works and is faster, else the CPU. */
  FG_BACKEND_AUTO = 0,
  /* The CPU, with all cores. */
  FG_BACKEND_FAST = 1,
  /* A GPU with OpenGL ES, also where the CPU plays one. */
  FG_BACKEND_GL = 2,
  /* The CPU, with the code that defines what is right: slow. */
  FG_BACKEND_REFERENCE = 3
};

typedef struct fg_backend_options {
  size_t struct_size;
  /* 1 to 1024; 0 for one on each core. */
  int64_t threads;
  /* Bytes that one plan's runs, or one file, may take; 0 for half of the machine's memory. */
  int64_t memory_limit;
  /* GPUs by their numbers in `frostglass doctor`'s list or parts of their names, separated by commas, or
   * "all"; null for the first. Only with `FG_BACKEND_GL`. */
  const char *devices;
  /* `FG_BACKEND_AUTO` to `FG_BACKEND_REFERENCE`. */
  int32_t backend;
  /* 0. */
  int32_t reserved;
} fg_backend_options;

/* Makes an engine that computes on a backend; everything takes it that takes an engine. One that
 * `fg_engine_create` made is on the CPU. A GPU is started with the first plan or file. Plans on a GPU tell
 * their progress as 0 every 50 milliseconds, and when they are done.
 *
 * - options: may be null, for `FG_BACKEND_AUTO`.
 * - engine: gets it, to be freed with `fg_engine_free`. */
fg_status fg_engine_create_on(
    const fg_backend_options *options, fg_engine **engine, char *error, size_t error_size);

/* A picture that was read, with what its file says beside the pixels. */
typedef struct fg_picture fg_picture;
/* Bytes that the library made. */
typedef struct fg_data fg_data;

/* How files are read, and what is refused. */
typedef struct fg_decode_options {
  size_t struct_size;
  /* The most pixels a picture may have; 0 for 500 million. */
  int64_t most_pixels;
  /* Bytes that it may take; 0 for half of the machine's memory, or as the engine says. */
  int64_t memory_limit;
  /* Which frame of an animation is read, from 1; 0 for the first, or all where all can be used. */
  int64_t frame;
  /* Whether pixels keep the file's color profile and are not converted to sRGB: 0 or 1. */
  int32_t keep_profile;
  /* 0. */
  int32_t reserved;
} fg_decode_options;

/* How files are written. */
typedef struct fg_encode_options {
  size_t struct_size;
  /* "jpeg", "png", "apng", "webp", "avif", "heic", "jxl", "gif", "tiff", "bmp", "ppm" or "pfm"; null for
   * what the file's name ends with, and for bytes that of the picture that was read, else PNG. */
  const char *format;
  /* What transparent pixels are put on where the format has no alpha, such as "#fff"; null for white. */
  const char *background;
  /* 1 to 100; 0 for the format's usual. */
  int32_t quality;
  /* From 1, fast, to 10, small; 0 for the format's usual. */
  int32_t effort;
  /* 0 or 1: whether every pixel comes back as it is, where the format can. */
  int32_t lossless;
  /* 0 or 1: whether nothing but pixels, and a profile that they need, is written. */
  int32_t strip;
  /* 0 or 1: whether a file that is there is replaced. */
  int32_t overwrite;
  /* 0. */
  int32_t reserved;
} fg_encode_options;

/* Reads a file.
 *
 * - path: bytes as the system has them.
 * - options: may be null.
 * - picture: gets it, to be freed with `fg_picture_free`. */
fg_status fg_decode_file(
    const char *path, const fg_decode_options *options, fg_picture **picture, char *error,
    size_t error_size);

/* Reads a file's bytes; everything else is as for files. */
fg_status fg_decode_bytes(
    const void *bytes, size_t size, const fg_decode_options *options, fg_picture **picture,
    char *error, size_t error_size);

/* Shows a picture's pixels: upright, with straight alpha or none.
 *
 * - image: filled; its `struct_size` is set by the caller. Its memory is there until the picture is freed,
 *   and may be changed. */
fg_status fg_picture_image(fg_picture *picture, fg_image *image, char *error, size_t error_size);

/* Frees a picture and its pixels; null is none. No other call may be using its pixels. */
fg_status fg_picture_free(fg_picture *picture);

/* Writes pixels as a file.
 *
 * - image: encoded, not linear. Depth and channels become what the format has.
 * - like: whose metadata is written along, and whose format is the usual one; or null.
 * - options: may be null. */
fg_status fg_encode_file(
    const fg_image *image, fg_picture *like, const char *path, const fg_encode_options *options,
    char *error, size_t error_size);

/* Makes a file's bytes of pixels; everything else is as for files.
 *
 * - data: gets them, to be freed with `fg_data_free`. */
fg_status fg_encode_bytes(
    const fg_image *image, fg_picture *like, const fg_encode_options *options, fg_data **data,
    char *error, size_t error_size);

/* Shows bytes; they are there until the data is freed. */
fg_status fg_data_bytes(
    fg_data *data, const void **bytes, size_t *size, char *error, size_t error_size);

/* Frees bytes; null is none. */
fg_status fg_data_free(fg_data *data);

/* What is done from file to file. */
typedef struct fg_file_options {
  size_t struct_size;
  /* Mask, edge, quality, light and scale; its `input` is not looked at. Or null. */
  const fg_plan_options *plan;
  /* Or null. */
  const fg_decode_options *decode;
  /* Or null. */
  const fg_encode_options *encode;
  /* Or null. Progress is told by the thread that called. */
  const fg_run_options *run;
  /* When it is given up, with `FG_CANCELLED`; 0 for never. */
  double seconds;
} fg_file_options;

/* What was done from file to file. */
typedef struct fg_file_info {
  size_t struct_size;
  /* Of the result, in pixels. */
  int64_t width;
  int64_t height;
  /* That were written: more than 1 of an animation. */
  int64_t frames;
  /* In levels of 255, as in `fg_plan_info`. */
  double certified_error;
  /* What computed it, such as "fast". */
  char backend[16];
  /* What was written, such as "jpeg". */
  char format[16];
} fg_file_info;

/* Blurs, or does what filters do, from file to file: rows are read, computed and written side by side, so
 * that only some are in memory. The bytes are those of the command.
 *
 * - filters: as of `fg_plan_create`; empty for none.
 * - options: may be null.
 * - info: filled, where it is not null; its `struct_size` is set by the caller. */
fg_status fg_apply_file(
    fg_engine *engine, const char *filters, const char *input, const char *output,
    const fg_file_options *options, fg_file_info *info, char *error, size_t error_size);

/* The same from a file's bytes to bytes.
 *
 * - data: gets them, to be freed with `fg_data_free`. */
fg_status fg_apply_bytes(
    fg_engine *engine, const char *filters, const void *bytes, size_t size,
    const fg_file_options *options, fg_data **data, fg_file_info *info, char *error,
    size_t error_size);

#ifdef __cplusplus
}
#endif

#endif
