// What Swift cannot call by itself: libvips functions with variable arguments, and its macros.
#ifndef FROSTGLASS_CVIPS_SHIM_H
#define FROSTGLASS_CVIPS_SHIM_H

// Comes with libvips, which writes GIF files by it.
#include <cgif.h>
#include <dlfcn.h>
#include <errno.h>
#include <gio/gio.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#include <vips/vips.h>
// Not among the above.
#include <vips/vector.h>

/// Has the C library fill all memory that it gives out from now on with a byte; -1: not any more.
/// Elsewhere than in glibc it does nothing.
static inline void fgk_fill_new_memory(int byte) {
#ifdef M_PERTURB
  // 0 stands for no filling, so the complement of 255 has to have another bit set.
  mallopt(M_PERTURB, byte < 0 ? 0 : byte == 0xFF ? 0x100 : byte ^ 0xFF);
#else
  (void)byte;
#endif
}

// What libde265 is told of a picture that it takes memory for, as far as that matters here.
typedef struct {
  int format, width, height;
} FGPlaneSizes;

typedef int (*FGTakePlanes)(void *decoder, FGPlaneSizes *sizes, void *picture, void *data);

// How it takes and gives back memory unless a decoder is told otherwise.
typedef struct {
  FGTakePlanes take;
  void *give_back;
} FGPlaneFunctions;

static inline FGTakePlanes *fgk_usual_planes(void) {
  static FGTakePlanes usual;
  return &usual;
}

// Has planes taken with rows enough for 2 KiB each, also those of a color at half the size, whose rows
// are of 16 samples at least.
static inline int fgk_take_large_planes(void *decoder, FGPlaneSizes *sizes, void *picture,
                                       void *data) {
  const int height = sizes->height;
  const int least = 2 * (2048 / VIPS_MAX(16, sizes->width / 2) + 1);
  sizes->height = VIPS_MAX(height, least);
  const int is_taken = (*fgk_usual_planes())(decoder, sizes, picture, data);
  sizes->height = height;
  return is_taken;
}

/// Has libde265 take planes of 2 KiB and more from now on, so that they do not come from the cache that
/// glibc has for each thread. Without libde265 it does nothing.
static inline void fgk_use_large_planes(void) {
  void *library = dlopen("libde265.so.0", RTLD_LAZY);
  if (!library) return;
  FGPlaneFunctions *(*find)(void) = (FGPlaneFunctions * (*)(void))
      dlsym(library, "de265_get_default_image_allocation_functions");
  if (!find) return;
  FGPlaneFunctions *functions = find();
  *fgk_usual_planes() = functions->take;
  functions->take = fgk_take_large_planes;
}

static inline void fgk_ignore_log(const gchar *domain, GLogLevelFlags level, const gchar *message,
                                 gpointer data) {}

// Messages of libvips go nowhere: what matters also arrives in its error buffer.
static inline void fgk_silence_log(void) {
  g_log_set_handler("VIPS", G_LOG_LEVEL_MASK | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION,
                    fgk_ignore_log, NULL);
}

// Whether words have a text in them.
static inline int fgk_words_have(const char *words, size_t count, const char *text) {
  const size_t length = strlen(text);
  for (size_t at = 0; at + length <= count; at++) {
    if (memcmp(words + at, text, length) == 0) return 1;
  }
  return 0;
}

// Writes what others say to standard error, but for libjxl: each of its lines begins with the place in its
// source. Debian builds it without NDEBUG, and so it writes a line for each call that a damaged file makes
// fail, straight to `stderr`: libvips does not hear of that, nor can it be turned off. What it says before it
// ends the process is written.
static inline ssize_t fgk_write_error(void *unused, const char *words, size_t count) {
  (void)unused;
  size_t first = 0;
  while (first < count && words[first] != ' ') first++;
  if (fgk_words_have(words, first, "lib/jxl/") && !fgk_words_have(words, count, "JXL_ABORT") &&
      !fgk_words_have(words, count, "ASSERT:") && !fgk_words_have(words, count, "JXL_CHECK")) {
    return (ssize_t)count;
  }
  size_t done = 0;
  while (done < count) {
    const ssize_t written = write(STDERR_FILENO, words + done, count - done);
    if (written > 0) {
      done += (size_t)written;
    } else if (errno != EINTR) {
      break;
    }
  }
  return (ssize_t)done;
}

/// Has libjxl write nothing to standard error from now on. The variable `stderr` becomes a stream of ours, as
/// glibc's manual allows; the descriptor is what it was. Elsewhere than in glibc it does nothing.
static inline void fgk_silence_jxl(void) {
  // As `cookie_io_functions_t`, which is declared nowhere unless all of GNU's extensions are asked for.
  typedef struct {
    void *read;
    ssize_t (*write)(void *, const char *, size_t);
    void *seek, *close;
  } Functions;
  FILE *(*open)(void *, const char *, Functions) =
      (FILE * (*)(void *, const char *, Functions)) dlsym(NULL, "fopencookie");
  if (!open) return;
  const Functions functions = {NULL, fgk_write_error, NULL, NULL};
  FILE *file = open(NULL, "w", functions);
  if (!file) return;
  setvbuf(file, NULL, _IONBF, 0);
  stderr = file;
}

// The file that libvips was loaded from; NULL where that cannot be found out.
static inline const char *fgk_library_file(void) {
  // Declared nowhere unless all of GNU's extensions are asked for.
  typedef struct {
    const char *file;
    void *start;
    const char *name;
    void *address;
  } Place;
  int (*find)(const void *, Place *) = (int (*)(const void *, Place *))dlsym(NULL, "dladdr");
  void *function = dlsym(NULL, "vips_init");
  Place place = {NULL};
  return find && function && find(function, &place) ? place.file : NULL;
}

// ---- reading

// Converts all bytes; -1 where they are broken or become more than `most`. Takes over the converter.
static inline ssize_t fgk_convert(GConverter *converter, const void *data, size_t count, void *target,
                                 size_t most) {
  size_t read = 0, written = 0;
  GConverterResult result = G_CONVERTER_CONVERTED;
  while (result == G_CONVERTER_CONVERTED && written < most) {
    gsize in = 0, out = 0;
    result = g_converter_convert(converter, (const char *)data + read, count - read,
                                 (char *)target + written, most - written,
                                 G_CONVERTER_INPUT_AT_END, &in, &out, NULL);
    read += in;
    written += out;
  }
  g_object_unref(converter);
  return result == G_CONVERTER_FINISHED ? (ssize_t)written : -1;
}

// Expands a zlib stream; -1 where it is broken or has more than `most` bytes.
static inline ssize_t fgk_inflate(const void *data, size_t count, void *target, size_t most) {
  return fgk_convert(G_CONVERTER(g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_ZLIB)), data, count,
                    target, most);
}

// Compresses bytes as gzip; -1 where they take more than `most` bytes.
static inline ssize_t fgk_gzip(const void *data, size_t count, void *target, size_t most) {
  return fgk_convert(G_CONVERTER(g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP, 9)), data, count,
                    target, most);
}

// How many bytes a zlib stream expands to, as far as it can be read and up to one more than `most`.
static inline size_t fgk_inflated_size(const void *data, size_t count, size_t most) {
  const size_t room = 1 << 16;
  char *bytes = (char *)g_malloc(room);
  GConverter *converter =
      G_CONVERTER(g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_ZLIB));
  size_t read = 0, written = 0;
  GConverterResult result = G_CONVERTER_CONVERTED;
  while (result == G_CONVERTER_CONVERTED && written <= most) {
    gsize in = 0, out = 0;
    result = g_converter_convert(converter, (const char *)data + read, count - read, bytes, room,
                                 G_CONVERTER_INPUT_AT_END, &in, &out, NULL);
    read += in;
    if (result != G_CONVERTER_ERROR) written += out;
  }
  g_object_unref(converter);
  g_free(bytes);
  return MIN(written, most + 1);
}

static inline VipsSource *fgk_source_from_bytes(const void *bytes, size_t count) {
  VipsBlob *blob = vips_blob_copy(bytes, count);
  VipsSource *source = vips_source_new_from_blob(blob);
  vips_area_unref(VIPS_AREA(blob));
  return source;
}

static inline VipsImage *fgk_load(VipsSource *source) {
  return vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                                    VIPS_FAIL_ON_ERROR, NULL);
}

// A PNG of which nothing is expanded that follows its rows: once libpng has the last one, it expands all that is left.
typedef struct {
  VipsImage *image;
  VipsSource *source;
  // Where the data are in the file, and the bytes of a row before they were compressed.
  gint64 start, end, row;
  // True once rows before the last ones were read: until then the source may be anywhere.
  int has_begun;
} FGBoundedPNG;

static inline void fgk_free_bounded_png(VipsImage *image, FGBoundedPNG *png) {
  g_object_unref(png->image);
  g_object_unref(png->source);
  g_free(png);
}

// libvips reads 16 rows at a time. Before the last of them, no more may be left than they take uncompressed, with what
// chunks and blocks have around them.
static inline int fgk_make_bounded_rows(VipsRegion *out, void *seq, void *a, void *b,
                                       gboolean *stop) {
  VipsRegion *in = (VipsRegion *)seq;
  FGBoundedPNG *png = (FGBoundedPNG *)b;
  VipsRect part = out->valid;
  const int bottom = VIPS_RECT_BOTTOM(&part), last = (out->im->Ysize - 1) / 16 * 16;
  if (part.top < last) {
    part.height = MIN(bottom, last) - part.top;
    if (vips_region_prepare(in, &part)) return -1;
    png->has_begun = 1;
    if (bottom <= last) return vips_region_region(out, in, &part, part.left, part.top);
    vips_region_copy(in, out, &part, part.left, part.top);
    part.top = last;
    part.height = bottom - last;
  }
  if (last > 0 && !png->has_begun) {
    const VipsRect before = {0, last - 1, out->im->Xsize, 1};
    if (vips_region_prepare(in, &before)) return -1;
    png->has_begun = 1;
  }
  const gint64 position = last > 0 ? png->source->read_position : png->start;
  const gint64 rows = (out->im->Ysize - last) * png->row;
  if (png->end - position > rows + rows / 32 + (1 << 16)) {
    vips_error("png", "%s", "more data follow its last row than belong there");
    return -1;
  }
  if (vips_region_prepare(in, &part)) return -1;
  vips_region_copy(in, out, &part, part.left, part.top);
  return 0;
}

static inline VipsImage *fgk_load_bounded_png(VipsSource *source, gint64 start, gint64 end,
                                             gint64 row) {
  VipsImage *whole = fgk_load(source);
  if (!whole) return NULL;
  FGBoundedPNG *png = g_new0(FGBoundedPNG, 1);
  *png = (FGBoundedPNG){whole, (VipsSource *)g_object_ref(source), start, end, row, 0};
  VipsImage *image = vips_image_new();
  g_signal_connect(image, "postclose", G_CALLBACK(fgk_free_bounded_png), png);
  if (vips_image_pipelinev(image, VIPS_DEMAND_STYLE_THINSTRIP, whole, NULL) ||
      vips_image_generate(image, vips_start_one, fgk_make_bounded_rows, vips_stop_one, whole,
                          png)) {
    g_object_unref(image);
    return NULL;
  }
  return image;
}

// A page of a TIFF, or one of its subdirectories.
static inline VipsImage *fgk_load_tiff(VipsSource *source, int page,
                                      int subdirectory) {
  return vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                                    VIPS_FAIL_ON_ERROR, "page", page, "subifd", subdirectory, NULL);
}

// Frames of an animation, one below the other: `count` from `first` on, -1 for all.
static inline VipsImage *fgk_load_frames(VipsSource *source, int first,
                                        int count) {
  return vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                                    VIPS_FAIL_ON_ERROR, "page", first, "n", count, NULL);
}

static inline size_t fgk_byte_count(VipsImage *image) { return VIPS_IMAGE_SIZEOF_IMAGE(image); }

// Computes whole rows into memory without gaps.
static inline int fgk_read_rows(VipsRegion *region, int top, int count, void *target) {
  const VipsRect rows = {0, top, region->im->Xsize, count};
  if (vips_region_prepare(region, &rows)) return -1;
  const size_t bytes = VIPS_IMAGE_SIZEOF_LINE(region->im);
  for (int y = 0; y < count; y++)
    memcpy((char *)target + y * bytes, VIPS_REGION_ADDR(region, 0, top + y), bytes);
  return 0;
}

// Rows of an image of tiles: those of the tiles that lie side by side.
typedef struct {
  int tile_width, tile_height;
  // The first row that is there; -1 for none.
  int first;
  char *rows;
} FGTileRows;

// Fills the store with the tiles' rows around `y`, 16 tiles at a time.
static inline int fgk_load_tile_rows(VipsRegion *region, FGTileRows *store, int y) {
  const int first = y / store->tile_height * store->tile_height;
  const int width = region->im->Xsize, columns = 16 * store->tile_width;
  const size_t pixel = VIPS_IMAGE_SIZEOF_PEL(region->im);
  const size_t bytes = VIPS_IMAGE_SIZEOF_LINE(region->im);
  store->first = -1;
  for (int left = 0; left < width; left += columns) {
    const VipsRect part = {left, first, VIPS_MIN(columns, width - left),
                           VIPS_MIN(store->tile_height, region->im->Ysize - first)};
    if (vips_region_prepare(region, &part)) return -1;
    for (int row = 0; row < part.height; row++)
      memcpy(store->rows + row * bytes + left * pixel,
             VIPS_REGION_ADDR(region, left, first + row), part.width * pixel);
  }
  store->first = first;
  return 0;
}

static inline int fgk_make_tile_rows(VipsRegion *out, void *seq, void *image, void *data,
                                    gboolean *stop) {
  FGTileRows *store = (FGTileRows *)data;
  const size_t pixel = VIPS_IMAGE_SIZEOF_PEL(out->im), bytes = VIPS_IMAGE_SIZEOF_LINE(out->im);
  const VipsRect area = out->valid;
  for (int y = area.top; y < area.top + area.height; y++) {
    const int isThere = store->first >= 0 && y >= store->first &&
                        y < store->first + store->tile_height;
    if (!isThere && fgk_load_tile_rows((VipsRegion *)seq, store, y)) return -1;
    memcpy(VIPS_REGION_ADDR(out, area.left, y),
           store->rows + (y - store->first) * bytes + area.left * pixel, area.width * pixel);
  }
  return 0;
}

// The same image, computed a row of tiles at a time and in one thread. For each tile that is asked
// for again, libvips searches a list of all tiles in its cache: of a picture 500,000 pixels wide, in
// tiles of 16, every row took seconds.
static inline int fgk_by_tile_rows(VipsImage *in, VipsImage **out, int tile_width, int tile_height) {
  VipsImage *made = vips_image_new();
  // It reads from the other one as long as it lives.
  g_object_ref(in);
  vips_object_local(VIPS_OBJECT(made), in);
  FGTileRows *store = VIPS_NEW(made, FGTileRows);
  store->tile_width = tile_width;
  store->tile_height = tile_height;
  store->first = -1;
  store->rows = VIPS_ARRAY(made, VIPS_IMAGE_SIZEOF_LINE(in) * tile_height, char);
  if (!store->rows || vips_image_pipelinev(made, VIPS_DEMAND_STYLE_THINSTRIP, in, NULL) ||
      vips_image_generate(made, vips_start_one, fgk_make_tile_rows, vips_stop_one, in, store)) {
    g_object_unref(made);
    return -1;
  }
  *out = made;
  return 0;
}

// An image whose pixels `generate` makes, in strips as wide as the image; `release` gives `maker` back when the image
// goes. Unless `base` is NULL, its width, its samples and everything except the pixels are those of `base`.
static inline VipsImage *fgk_new_made(VipsImage *base, int width, int height, int bands,
                                     VipsBandFormat format, VipsInterpretation interpretation,
                                     VipsGenerateFn generate, void *maker,
                                     void (*release)(VipsImage *, void *)) {
  VipsImage *image = vips_image_new();
  g_signal_connect(image, "postclose", G_CALLBACK(release), maker);
  if (!base)
    vips_image_init_fields(image, width, height, bands, format, VIPS_CODING_NONE, interpretation, 1, 1);
  if (vips_image_pipelinev(image, VIPS_DEMAND_STYLE_THINSTRIP, base, NULL)) {
    g_object_unref(image);
    return NULL;
  }
  image->Ysize = height;
  image->Bands = bands;
  if (vips_image_generate(image, NULL, generate, NULL, maker, NULL)) {
    g_object_unref(image);
    return NULL;
  }
  return image;
}

// Says why rows cannot be made.
static inline void fgk_fail(const char *reason) { vips_error("frostglass", "%s", reason); }

static inline void *fgk_region_place(VipsRegion *region, int x, int y) {
  return VIPS_REGION_ADDR(region, x, y);
}

static inline void *fgk_region_row(VipsRegion *region, int y) {
  return VIPS_REGION_ADDR(region, 0, y);
}

// ---- converting

static inline int fgk_retag(VipsImage *in, VipsImage **out, VipsInterpretation interpretation,
                           double xres, double yres) {
  return vips_copy(in, out, "interpretation", interpretation, "xres", xres, "yres", yres, NULL);
}

static inline int fgk_upright(VipsImage *in, VipsImage **out) { return vips_autorot(in, out, NULL); }

// The same for each of some frames that are below each other, in an image that is in memory.
static inline int fgk_upright_frames(VipsImage *in, VipsImage **out, int frames) {
  const int height = in->Ysize / frames;
  VipsImage **upright = g_new0(VipsImage *, frames);
  int failed = 0;
  for (int i = 0; i < frames && !failed; i++) {
    VipsImage *frame = NULL;
    failed = vips_extract_area(in, &frame, 0, i * height, in->Xsize, height, NULL) ||
             vips_autorot(frame, &upright[i], NULL);
    if (frame) g_object_unref(frame);
  }
  failed = failed || vips_arrayjoin(upright, out, frames, "across", 1, NULL);
  for (int i = 0; i < frames; i++)
    if (upright[i]) g_object_unref(upright[i]);
  g_free(upright);
  return failed;
}

static inline int fgk_bands(VipsImage *in, VipsImage **out, int first, int count) {
  return vips_extract_band(in, out, first, "n", count, NULL);
}

static inline int fgk_colourspace(VipsImage *in, VipsImage **out, VipsInterpretation space) {
  return vips_colourspace(in, out, space, NULL);
}

// Gray and alpha become gray three times and alpha.
static inline int fgk_spread_gray(VipsImage *in, VipsImage **out) {
  VipsImage *gray = NULL;
  if (vips_extract_band(in, &gray, 0, NULL)) return -1;
  VipsImage *parts[3] = {gray, gray, in};
  int failed = vips_bandjoin(parts, out, 3, NULL);
  g_object_unref(gray);
  return failed;
}

// Another size. Colors count as much as their alpha, which is full scale at `max_alpha`; 0 means that
// there is none.
static inline int fgk_scale(VipsImage *in, VipsImage **out, double x, double y, VipsKernel kernel,
                           double max_alpha) {
  const int hasAlpha = max_alpha != 0;
  // libvips 8.14 shrinks 16 bits with weights of 12, whose sum may be 0.15 % off.
  if (!hasAlpha && in->BandFmt != VIPS_FORMAT_USHORT)
    return vips_resize(in, out, x, "vscale", y, "kernel", kernel, NULL);
  VipsImage *made[4] = {NULL, NULL, NULL, NULL};
  int failed = (hasAlpha ? vips_premultiply(in, &made[0], "max_alpha", max_alpha, NULL)
                         : vips_cast_float(in, &made[0], NULL)) ||
               vips_resize(made[0], &made[1], x, "vscale", y, "kernel", kernel, NULL) ||
               (hasAlpha ? vips_unpremultiply(made[1], &made[2], "max_alpha", max_alpha, NULL)
                         : vips_copy(made[1], &made[2], NULL)) ||
               (in->BandFmt == VIPS_FORMAT_FLOAT ? vips_copy(made[2], &made[3], NULL)
                                                 : vips_rint(made[2], &made[3], NULL)) ||
               vips_cast(made[3], out, in->BandFmt, NULL);
  for (int i = 0; i < 4; i++)
    if (made[i]) g_object_unref(made[i]);
  return failed;
}

// A part of an image; where it begins is in Xoffset and Yoffset, negative.
static inline int fgk_crop(VipsImage *in, VipsImage **out, int x, int y, int width, int height) {
  return vips_extract_area(in, out, x, y, width, height, NULL);
}

// The same of the part that people look at first.
static inline int fgk_attention(VipsImage *in, VipsImage **out, int width, int height) {
  return vips_smartcrop(in, out, width, height, "interesting", VIPS_INTERESTING_ATTENTION, NULL);
}

// An image on a larger one that is filled with a color, a sample for each band.
static inline int fgk_embed(VipsImage *in, VipsImage **out, int x, int y, int width, int height,
                           const double *color, int bands) {
  VipsArrayDouble *background = vips_array_double_new(color, bands);
  int failed = vips_embed(in, out, x, y, width, height, "extend", VIPS_EXTEND_BACKGROUND,
                          "background", background, NULL);
  vips_area_unref(VIPS_AREA(background));
  return failed;
}

// The same samples with another meaning, and with fields of their own.
static inline int fgk_tagged(VipsImage *in, VipsImage **out, VipsInterpretation interpretation) {
  return vips_copy(in, out, "interpretation", interpretation, NULL);
}

// Through the embedded profile to sRGB. A profile that does not support the intent is replaced by a
// built-in one, as is one that is not there.
static inline int fgk_profile_to_srgb(VipsImage *in, VipsImage **out, VipsIntent intent, int depth) {
  return vips_icc_transform(in, out, "srgb", "embedded", TRUE, "intent", intent,
                            "black_point_compensation", TRUE, "depth", depth, NULL);
}

// CMYK without a profile, by the one that libvips brings along.
static inline int fgk_cmyk_to_srgb(VipsImage *in, VipsImage **out, int depth) {
  return vips_icc_transform(in, out, "srgb", "input_profile", "cmyk", "intent",
                            VIPS_INTENT_RELATIVE, "black_point_compensation", TRUE, "depth", depth,
                            NULL);
}

// L*a*b* relative to D50, as files have it, to sRGB; alpha follows at its full scale. (libvips' own
// conversion takes the white point for D65's; its way through littleCMS is two levels off.)
static inline int fgk_lab_to_srgb(VipsImage *in, VipsImage **out, VipsInterpretation space) {
  static const double d50[3] = {96.42, 100, 82.49};
  // XYZ relative to D50, 100 at white, to linear sRGB: adapted by Bradford's cones.
  static const double matrix[9] = {3.1338561,  -1.6168667, -0.4906146, -0.9787684, 1.9161415,
                                   0.0334540, 0.0719453,  -0.2289914, 1.4052427};
  double part[9];
  for (int i = 0; i < 9; i++) part[i] = matrix[i] / 100;
  VipsArrayDouble *white = vips_array_double_new(d50, 3);
  const int hasAlpha = in->Coding == VIPS_CODING_NONE && in->Bands > 3;
  VipsImage *made[9] = {NULL};
  made[0] = vips_image_new_matrix_from_array(3, 3, part, 9);
  int failed = !made[0] || vips_extract_band(in, &made[1], 0, "n", 3, NULL) ||
               vips_colourspace(made[1], &made[2], VIPS_INTERPRETATION_LAB, NULL) ||
               vips_Lab2XYZ(made[2], &made[3], "temp", white, NULL) ||
               vips_recomb(made[3], &made[4], made[0], NULL) ||
               vips_copy(made[4], &made[5], "interpretation", VIPS_INTERPRETATION_scRGB, NULL) ||
               vips_colourspace(made[5], &made[6], space, NULL);
  if (!failed && hasAlpha) {
    // libvips has unsigned alpha beside signed colors.
    const int wraps = in->BandFmt == VIPS_FORMAT_SHORT;
    failed = vips_extract_band(in, &made[7], 3, NULL) ||
             (wraps ? vips_copy(made[7], &made[8], "format", VIPS_FORMAT_USHORT, NULL)
                    : vips_cast(made[7], &made[8], made[6]->BandFmt, NULL)) ||
             vips_bandjoin2(made[6], made[8], out, NULL);
  } else if (!failed) {
    *out = made[6];
    made[6] = NULL;
  }
  for (int i = 0; i < 9; i++)
    if (made[i]) g_object_unref(made[i]);
  vips_area_unref(VIPS_AREA(white));
  return failed;
}

// Colors divided by alpha, which is full scale at `max_alpha`.
static inline int fgk_unpremultiply(VipsImage *in, VipsImage **out, double max_alpha) {
  VipsImage *made[2] = {NULL, NULL};
  int failed = vips_unpremultiply(in, &made[0], "max_alpha", max_alpha, NULL) ||
               vips_rint(made[0], &made[1], NULL) || vips_cast(made[1], out, in->BandFmt, NULL);
  for (int i = 0; i < 2; i++)
    if (made[i]) g_object_unref(made[i]);
  return failed;
}

// Samples times a factor, the nearest that a format has.
static inline int fgk_scaled(VipsImage *in, VipsImage **out, double factor, VipsBandFormat format) {
  VipsImage *made[1] = {NULL};
  int failed = vips_linear1(in, &made[0], factor, format == VIPS_FORMAT_FLOAT ? 0 : 0.5, NULL) ||
               vips_cast(made[0], out, format, NULL);
  if (made[0]) g_object_unref(made[0]);
  return failed;
}

// The first bands, and one more unless that is -1.
static inline int fgk_colors_and(VipsImage *in, VipsImage **out, int colors, int alpha,
                                VipsInterpretation interpretation) {
  VipsImage *made[3] = {NULL};
  int failed = vips_extract_band(in, &made[0], 0, "n", colors, NULL);
  if (!failed && alpha >= 0) {
    failed = vips_extract_band(in, &made[1], alpha, NULL) ||
             vips_bandjoin2(made[0], made[1], &made[2], NULL);
  }
  failed = failed || fgk_tagged(made[2] ? made[2] : made[0], out, interpretation);
  for (int i = 0; i < 3; i++)
    if (made[i]) g_object_unref(made[i]);
  return failed;
}

// Samples of ICCLab (TIFF photometric 9), unsigned and offset, as L*a*b*; what else there is, such as
// alpha, stays.
static inline int fgk_from_icclab(VipsImage *in, VipsImage **out) {
  const int isDeep = in->BandFmt == VIPS_FORMAT_USHORT;
  double scale[8], offset[8];
  if (in->Bands > 8) return -1;
  for (int i = 0; i < 8; i++) {
    scale[i] = i > 2 ? 1 : i > 0 ? (isDeep ? 1.0 / 256 : 1) : isDeep ? 100.0 / 65280 : 100.0 / 255;
    offset[i] = i == 1 || i == 2 ? -128 : 0;
  }
  VipsImage *made = NULL;
  int failed = vips_linear(in, &made, scale, offset, in->Bands, NULL) ||
               vips_copy(made, out, "interpretation", VIPS_INTERPRETATION_LAB, NULL);
  if (made) g_object_unref(made);
  return failed;
}

// ---- text

// The coverage of a text in Pango markup, cropped to its ink, with its place in Xoffset and Yoffset.
// At 72 dots per inch a point is a pixel. `width` 0 means that lines end only where the text says so.
static inline VipsImage *fgk_text(const char *markup, const char *font, int width, VipsAlign align,
                                 int spacing) {
  VipsImage *out = NULL;
  if (vips_text(&out, markup, "font", font, "width", width, "align", align, "spacing", spacing,
                "wrap", VIPS_TEXT_WRAP_WORD_CHAR, "dpi", 72, NULL))
    return NULL;
  return out;
}

// Whether libvips was built with Pango.
static inline gboolean fgk_has_text(void) {
  return vips_type_find("VipsOperation", "text") != 0;
}

// ---- writing

// What a saver left in a target in memory, to be given back with vips_area_unref. (libvips 8.14's own
// vips_target_steal crashes where a saver ended the target.)
static inline VipsArea *fgk_target_contents(VipsTarget *target, const void **start, size_t *count) {
  VipsBlob *blob = NULL;
  g_object_get(target, "blob", &blob, NULL);
  if (blob) *start = vips_blob_get(blob, count);
  return VIPS_AREA(blob);
}

static inline int fgk_save_jpeg(VipsImage *in, VipsTarget *to, int quality, gboolean strip) {
  return vips_jpegsave_target(in, to, "Q", quality, "strip", strip, NULL);
}

static inline int fgk_save_png(VipsImage *in, VipsTarget *to, int effort, gboolean strip) {
  return vips_pngsave_target(in, to, "compression", effort, "filter", VIPS_FOREIGN_PNG_FILTER_ALL,
                             "strip", strip, NULL);
}

// Every frame of a lossy animation is a key frame. Others hold what changed in blocks, whose borders
// libwebp's lossy compression draws as lines into flat colors.
static inline int fgk_save_webp(VipsImage *in, VipsTarget *to, int quality, gboolean lossless,
                               int effort, gboolean strip) {
  if (lossless)
    return vips_webpsave_target(in, to, "lossless", TRUE, "effort", effort, "strip", strip, NULL);
  return vips_webpsave_target(in, to, "Q", quality, "kmin", 0, "kmax", 1, "effort", effort, "strip",
                              strip, NULL);
}

static inline int fgk_save_gif(VipsImage *in, VipsTarget *to, int effort, gboolean strip) {
  return vips_gifsave_target(in, to, "effort", effort, "strip", strip, NULL);
}

// libcgif's flags, which are macros that Swift does not see.
enum {
  fgk_gif_animated = CGIF_ATTR_IS_ANIMATED,
  fgk_gif_once = CGIF_ATTR_NO_LOOP,
  fgk_gif_own_colors = CGIF_FRAME_ATTR_USE_LOCAL_TABLE,
  fgk_gif_alpha = CGIF_FRAME_ATTR_HAS_ALPHA,
  fgk_gif_differences = CGIF_FRAME_GEN_USE_TRANSPARENCY | CGIF_FRAME_GEN_USE_DIFF_WINDOW,
};

static inline int fgk_save_avif(VipsImage *in, VipsTarget *to, int quality, int bits, int effort,
                               gboolean strip) {
  return vips_heifsave_target(in, to, "Q", quality, "bitdepth", bits, "compression",
                              VIPS_FOREIGN_HEIF_COMPRESSION_AV1, "effort", effort, "strip", strip,
                              NULL);
}

// x265 takes 8, 10 and 12 bits, and no effort from libvips 8.14.
static inline int fgk_save_heic(VipsImage *in, VipsTarget *to, int quality, int bits,
                               gboolean strip) {
  return vips_heifsave_target(in, to, "Q", quality, "bitdepth", bits, "compression",
                              VIPS_FOREIGN_HEIF_COMPRESSION_HEVC, "strip", strip, NULL);
}

static inline int fgk_save_jxl(VipsImage *in, VipsTarget *to, int quality, gboolean lossless,
                              int effort, gboolean strip) {
  return vips_jxlsave_target(in, to, "Q", quality, "lossless", lossless, "effort", effort, "strip",
                             strip, NULL);
}

static inline int fgk_save_tiff(VipsImage *in, VipsTarget *to,
                               VipsForeignTiffPredictor predictor, gboolean big, gboolean strip) {
  return vips_tiffsave_target(in, to, "compression",
                              VIPS_FOREIGN_TIFF_COMPRESSION_DEFLATE, "predictor", predictor,
                              "bigtiff", big, "strip", strip, NULL);
}

// Whatever a suffix with options asks for, such as ".png[interlace]": files that nobody writes here
// and that are read, for tests.
static inline int fgk_save_variant(VipsImage *in, VipsTarget *to, const char *suffix) {
  return vips_image_write_to_target(in, suffix, to, NULL);
}

#endif
