// What libtiff, which libvips brings along, is asked for where libvips reads a TIFF wrongly or not at
// all. There are no headers of it here.
#ifndef FROSTGLASS_CVIPS_LIBTIFF_H
#define FROSTGLASS_CVIPS_LIBTIFF_H

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <vips/vips.h>

// What it reads, as a file.
typedef struct {
  const unsigned char *start;
  size_t count, place;
} FGTIFFBytes;

static inline ssize_t fgk_tiff_read(void *data, void *target, ssize_t count) {
  FGTIFFBytes *bytes = (FGTIFFBytes *)data;
  const size_t left = bytes->place < bytes->count ? bytes->count - bytes->place : 0;
  const size_t part = VIPS_MIN(left, (size_t)VIPS_MAX(count, 0));
  memcpy(target, bytes->start + bytes->place, part);
  bytes->place += part;
  return (ssize_t)part;
}

static inline ssize_t fgk_tiff_write(void *data, void *source, ssize_t count) { return -1; }

static inline uint64_t fgk_tiff_seek(void *data, uint64_t offset, int whence) {
  FGTIFFBytes *bytes = (FGTIFFBytes *)data;
  const size_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? bytes->place : bytes->count;
  bytes->place = base + offset;
  return bytes->place;
}

static inline int fgk_tiff_close(void *data) { return 0; }

static inline uint64_t fgk_tiff_size(void *data) { return ((FGTIFFBytes *)data)->count; }

// What is to be read: a picture, and how its samples are stored.
typedef struct {
  uint32_t width, height;
  // Of its directory in the file.
  uint64_t place;
  uint32_t samples, bits;
  VipsInterpretation interpretation;
  VipsBandFormat format;
  // Whether libtiff itself makes 8-bit RGBA of it, as it understands the colors.
  int is_rgba;
  // Whether each sample has its own strips or tiles.
  int is_planar;
  // Whether white is 0.
  int is_inverted;
} FGTIFFLayout;

static inline void *fgk_tiff_function(const char *name) {
  // What libvips is linked with is found by its own handle.
  void *library = dlopen("libvips.so.42", RTLD_LAZY | RTLD_NOLOAD);
  if (!library) library = dlopen(NULL, RTLD_LAZY);
  return dlsym(library, name);
}

// Whether libtiff knows a compression; 1 where that cannot be found out.
static inline int fgk_tiff_has_codec(uint16_t compression) {
  int (*find)(uint16_t) = (int (*)(uint16_t))fgk_tiff_function("TIFFIsCODECConfigured");
  return find ? find(compression) : 1;
}

// Opens a file at the directory of a picture; not mapped, read only. Without `options` libtiff does as usual.
static inline void *fgk_tiff_open(FGTIFFBytes *bytes, uint64_t place, void *options) {
  typedef void *(*Open)(const char *, const char *, void *, ssize_t (*)(void *, void *, ssize_t),
                        ssize_t (*)(void *, void *, ssize_t), uint64_t (*)(void *, uint64_t, int),
                        int (*)(void *), uint64_t (*)(void *), void *, void *);
  typedef void *(*OpenWith)(const char *, const char *, void *, ssize_t (*)(void *, void *, ssize_t),
                            ssize_t (*)(void *, void *, ssize_t),
                            uint64_t (*)(void *, uint64_t, int), int (*)(void *),
                            uint64_t (*)(void *), void *, void *, void *);
  Open open = (Open)fgk_tiff_function("TIFFClientOpen");
  OpenWith open_with = (OpenWith)fgk_tiff_function("TIFFClientOpenExt");
  int (*choose)(void *, uint64_t) = (int (*)(void *, uint64_t))fgk_tiff_function("TIFFSetSubDirectory");
  void (*close)(void *) = (void (*)(void *))fgk_tiff_function("TIFFClose");
  if (!open || (options && !open_with) || !choose || !close) {
    vips_error("tiff", "%s", "libtiff cannot be found");
    return NULL;
  }
  void *file = options ? open_with("picture", "rm", bytes, fgk_tiff_read, fgk_tiff_write, fgk_tiff_seek,
                                   fgk_tiff_close, fgk_tiff_size, NULL, NULL, options)
                       : open("picture", "rm", bytes, fgk_tiff_read, fgk_tiff_write, fgk_tiff_seek,
                              fgk_tiff_close, fgk_tiff_size, NULL, NULL);
  if (file && !choose(file, place)) {
    close(file);
    return NULL;
  }
  return file;
}

static inline void fgk_tiff_end(void *file) {
  void (*close)(void *) = (void (*)(void *))fgk_tiff_function("TIFFClose");
  if (close) close(file);
}

// Decodes a picture to 8-bit RGB as libtiff understands its colors, in the order of rows and columns
// in which they are stored. There is room for RGBA.
static inline int fgk_tiff_rgb(void *file, const FGTIFFLayout *layout, void *pixels) {
  typedef int (*Read)(void *, uint32_t, uint32_t, uint32_t *, int, int);
  typedef int (*Get)(void *, uint32_t, ...);
  Read read = (Read)fgk_tiff_function("TIFFReadRGBAImageOriented");
  Get get = (Get)fgk_tiff_function("TIFFGetFieldDefaulted");
  uint16_t orientation = 1;
  // 274 is the tag of the orientation.
  if (!read || !get || !get(file, 274, &orientation) ||
      !read(file, layout->width, layout->height, (uint32_t *)pixels, orientation, 1))
    return -1;
  const size_t count = (size_t)layout->width * layout->height;
  const uint32_t *from = (const uint32_t *)pixels;
  unsigned char *to = (unsigned char *)pixels;
  for (size_t i = 0; i < count; i++, to += 3) {
    const uint32_t pixel = from[i];
    to[0] = pixel & 255;
    to[1] = pixel >> 8 & 255;
    to[2] = pixel >> 16 & 255;
  }
  return 0;
}

// A floating-point number of 16 bits.
static inline float fgk_half(uint16_t half) {
  const int exponent = half >> 10 & 31;
  const float part = half & 1023;
  const float value = exponent == 0    ? part / (1 << 24)
                      : exponent == 31 ? (part ? NAN : INFINITY)
                                       : ldexpf(1024 + part, exponent - 25);
  return half & 0x8000 ? -value : value;
}

// Puts a sample into its place; integers are stretched to 8 or 16 bits.
static inline void fgk_tiff_put(const FGTIFFLayout *layout, const unsigned char *row, uint32_t index,
                               void *pixels, size_t place) {
  const uint32_t bits = layout->bits;
  if (layout->format == VIPS_FORMAT_FLOAT) {
    float value;
    if (bits == 16) {
      uint16_t half;
      memcpy(&half, row + 2 * (size_t)index, 2);
      value = fgk_half(half);
    } else {
      memcpy(&value, row + 4 * (size_t)index, 4);
    }
    ((float *)pixels)[place] = layout->is_inverted ? 1 - value : value;
    return;
  }
  uint32_t value = 0;
  if (bits == 16) {
    uint16_t word;
    memcpy(&word, row + 2 * (size_t)index, 2);
    value = word;
  } else {
    // The highest bit comes first.
    const size_t first = (size_t)index * bits;
    for (uint32_t bit = 0; bit < bits; bit++) {
      const size_t at = first + bit;
      value = value << 1 | (row[at / 8] >> (7 - at % 8) & 1);
    }
  }
  const uint32_t most = (1u << bits) - 1;
  if (layout->is_inverted) value = most - value;
  if (layout->format == VIPS_FORMAT_UCHAR)
    ((unsigned char *)pixels)[place] = (value * 255 + most / 2) / most;
  else
    ((uint16_t *)pixels)[place] = ((uint64_t)value * 65535 + most / 2) / most;
}

// Decodes the samples of a picture, from strips or tiles, with all samples of a pixel together or each
// in its own.
static inline int fgk_tiff_samples(void *file, const FGTIFFLayout *layout, void *pixels) {
  typedef int (*Get)(void *, uint32_t, ...);
  typedef ssize_t (*Read)(void *, uint32_t, void *, ssize_t);
  typedef ssize_t (*Measure)(void *);
  typedef int (*Ask)(void *);
  Get get = (Get)fgk_tiff_function("TIFFGetFieldDefaulted");
  Ask ask = (Ask)fgk_tiff_function("TIFFIsTiled");
  if (!get || !ask) return -1;
  const int is_tiled = ask(file);
  Read read = (Read)fgk_tiff_function(is_tiled ? "TIFFReadEncodedTile" : "TIFFReadEncodedStrip");
  Measure measure = (Measure)fgk_tiff_function(is_tiled ? "TIFFTileSize" : "TIFFStripSize");
  Measure measure_row = (Measure)fgk_tiff_function(is_tiled ? "TIFFTileRowSize" : "TIFFScanlineSize");
  if (!read || !measure || !measure_row) return -1;
  const uint32_t width = layout->width, height = layout->height;
  uint32_t wide = width, high = height;
  // Width and height of tiles, or the rows of a strip.
  if (is_tiled ? !get(file, 322, &wide) || !get(file, 323, &high) : !get(file, 278, &high)) return -1;
  if (!is_tiled) high = VIPS_MIN(high, height);
  const ssize_t size = measure(file), stride = measure_row(file);
  const uint32_t each = layout->is_planar ? 1 : layout->samples;
  // What it has to be, so that nothing is read beyond it.
  if (!wide || !high || stride <= 0 || size <= 0 || size > 1 << 30 || size / stride < high ||
      (uint64_t)stride * 8 < (uint64_t)wide * each * layout->bits) {
    vips_error("tiff", "%s", "its strips or tiles make no sense");
    return -1;
  }
  unsigned char *part = (unsigned char *)g_try_malloc(size);
  if (!part) {
    vips_error("tiff", "%s", "out of memory");
    return -1;
  }
  const uint32_t planes = layout->is_planar ? layout->samples : 1;
  uint32_t number = 0;
  int failed = 0;
  for (uint32_t plane = 0; plane < planes && !failed; plane++)
    for (uint32_t top = 0; top < height && !failed; top += high)
      for (uint32_t left = 0; left < width && !failed; left += wide, number++) {
        const uint32_t rows = VIPS_MIN(high, height - top), columns = VIPS_MIN(wide, width - left);
        const ssize_t wanted = (ssize_t)rows * stride;
        if (read(file, number, part, is_tiled ? size : wanted) < wanted) {
          vips_error("tiff", "%s", "a strip or tile ends too soon");
          failed = -1;
          break;
        }
        for (uint32_t y = 0; y < rows; y++) {
          const unsigned char *row = part + (size_t)y * stride;
          size_t place = ((size_t)(top + y) * width + left) * layout->samples + plane;
          for (uint32_t x = 0; x < columns; x++)
            for (uint32_t sample = 0; sample < each; sample++)
              fgk_tiff_put(layout, row, x * each + sample, pixels,
                          place + (size_t)x * layout->samples + sample);
        }
      }
  g_free(part);
  return failed;
}

// The first words that libtiff says of a picture's data.
typedef struct {
  int is_decoding;
  char words[256];
} FGTIFFDoubt;

static inline int fgk_tiff_hear(void *file, void *data, const char *module, const char *format,
                               va_list values) {
  FGTIFFDoubt *doubt = (FGTIFFDoubt *)data;
  if (doubt->is_decoding && !doubt->words[0])
    vsnprintf(doubt->words, sizeof doubt->words, format, values);
  return 1;
}

// Decodes the strips or tiles of a picture, and keeps what libtiff says on the way and not how they look.
static inline void fgk_tiff_listen(void *file, FGTIFFDoubt *doubt) {
  typedef ssize_t (*Read)(void *, uint32_t, void *, ssize_t);
  const int is_tiled = ((int (*)(void *))fgk_tiff_function("TIFFIsTiled"))(file);
  const uint32_t count = ((uint32_t (*)(void *))fgk_tiff_function(
      is_tiled ? "TIFFNumberOfTiles" : "TIFFNumberOfStrips"))(file);
  const ssize_t size = ((ssize_t (*)(void *))fgk_tiff_function(
      is_tiled ? "TIFFTileSize" : "TIFFStripSize"))(file);
  Read read = (Read)fgk_tiff_function(is_tiled ? "TIFFReadEncodedTile" : "TIFFReadEncodedStrip");
  void *part = size > 0 && size <= 1 << 30 ? g_try_malloc(size) : NULL;
  doubt->is_decoding = part != NULL;
  for (uint32_t i = 0; part && i < count && !doubt->words[0]; i++) read(file, i, part, size);
  g_free(part);
}

// What libtiff warns of in a picture whose directory is at `place`; empty where there is nothing. libvips, which
// reads it, does not hear of that. Before version 4.5 libtiff tells all of the process alone, and it stays empty.
static inline FGTIFFDoubt fgk_tiff_doubt(VipsSource *source, uint64_t place) {
  typedef void (*Set)(void *, int (*)(void *, void *, const char *, const char *, va_list), void *);
  FGTIFFDoubt doubt = {0};
  void *(*make)(void) = (void *(*)(void))fgk_tiff_function("TIFFOpenOptionsAlloc");
  size_t count = 0;
  const void *start = vips_source_map(source, &count);
  if (!make || !start) return doubt;
  FGTIFFBytes bytes = {(const unsigned char *)start, count, 0};
  void *options = make();
  ((Set)fgk_tiff_function("TIFFOpenOptionsSetErrorHandlerExtR"))(options, fgk_tiff_hear, &doubt);
  ((Set)fgk_tiff_function("TIFFOpenOptionsSetWarningHandlerExtR"))(options, fgk_tiff_hear, &doubt);
  void *file = fgk_tiff_open(&bytes, place, options);
  ((void (*)(void *))fgk_tiff_function("TIFFOpenOptionsFree"))(options);
  if (!file) return doubt;
  fgk_tiff_listen(file, &doubt);
  fgk_tiff_end(file);
  return doubt;
}

typedef struct {
  FGTIFFBytes bytes;
  FGTIFFLayout layout;
  // All of the picture, once something of it was asked for.
  void *pixels;
} FGTIFFPicture;

static inline void fgk_free_tiff_picture(VipsImage *image, FGTIFFPicture *picture) {
  g_free(picture->pixels);
  g_free(picture);
}

static inline int fgk_decode_tiff(VipsImage *image, FGTIFFPicture *picture) {
  const FGTIFFLayout *layout = &picture->layout;
  // libtiff makes four bytes of a pixel before they are three.
  const size_t each = layout->is_rgba ? 4 : VIPS_IMAGE_SIZEOF_PEL(image);
  void *pixels = g_try_malloc_n((size_t)layout->width * layout->height, each);
  if (!pixels) {
    vips_error("tiff", "%s", "out of memory");
    return -1;
  }
  void *file = fgk_tiff_open(&picture->bytes, layout->place, NULL);
  const int failed =
      !file || (layout->is_rgba ? fgk_tiff_rgb : fgk_tiff_samples)(file, layout, pixels);
  if (file) fgk_tiff_end(file);
  if (failed)
    g_free(pixels);
  else
    picture->pixels = pixels;
  return failed ? -1 : 0;
}

static inline int fgk_make_tiff_rows(VipsRegion *out, void *seq, void *a, void *b, gboolean *stop) {
  FGTIFFPicture *picture = (FGTIFFPicture *)a;
  if (!picture->pixels && fgk_decode_tiff(out->im, picture)) return -1;
  const size_t pixel = VIPS_IMAGE_SIZEOF_PEL(out->im), row = VIPS_IMAGE_SIZEOF_LINE(out->im);
  for (int y = out->valid.top; y < out->valid.top + out->valid.height; y++)
    memcpy(VIPS_REGION_ADDR(out, out->valid.left, y),
           (char *)picture->pixels + y * row + out->valid.left * pixel, out->valid.width * pixel);
  return 0;
}

// An image of a TIFF, decoded whole by libtiff and in one thread when it is first asked for. The
// source has to be there as long as the image is.
static inline VipsImage *fgk_tiff_by_libtiff(VipsSource *source, FGTIFFLayout layout) {
  size_t count = 0;
  const void *start = vips_source_map(source, &count);
  if (!start) return NULL;
  FGTIFFPicture *picture = g_new0(FGTIFFPicture, 1);
  picture->bytes.start = (const unsigned char *)start;
  picture->bytes.count = count;
  picture->layout = layout;
  VipsImage *image = vips_image_new();
  g_signal_connect(image, "postclose", G_CALLBACK(fgk_free_tiff_picture), picture);
  vips_image_init_fields(image, layout.width, layout.height, layout.is_rgba ? 3 : layout.samples,
                         layout.format, VIPS_CODING_NONE, layout.interpretation, 1, 1);
  if (vips_image_pipelinev(image, VIPS_DEMAND_STYLE_THINSTRIP, NULL) ||
      vips_image_generate(image, NULL, fgk_make_tiff_rows, NULL, picture, NULL)) {
    g_object_unref(image);
    return NULL;
  }
  return image;
}

#endif
