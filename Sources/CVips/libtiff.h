// What libtiff, which libvips brings along, is asked for where libvips reads a TIFF wrongly or not at
// all. There are no headers of it here.
#ifndef FROSTGLASS_CVIPS_LIBTIFF_H
#define FROSTGLASS_CVIPS_LIBTIFF_H

#include <dlfcn.h>
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

static inline ssize_t fg_tiff_read(void *data, void *target, ssize_t count) {
  FGTIFFBytes *bytes = (FGTIFFBytes *)data;
  const size_t left = bytes->place < bytes->count ? bytes->count - bytes->place : 0;
  const size_t part = VIPS_MIN(left, (size_t)VIPS_MAX(count, 0));
  memcpy(target, bytes->start + bytes->place, part);
  bytes->place += part;
  return (ssize_t)part;
}

static inline ssize_t fg_tiff_write(void *data, void *source, ssize_t count) { return -1; }

static inline uint64_t fg_tiff_seek(void *data, uint64_t offset, int whence) {
  FGTIFFBytes *bytes = (FGTIFFBytes *)data;
  const size_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? bytes->place : bytes->count;
  bytes->place = base + offset;
  return bytes->place;
}

static inline int fg_tiff_close(void *data) { return 0; }

static inline uint64_t fg_tiff_size(void *data) { return ((FGTIFFBytes *)data)->count; }

// Decodes the first picture of a TIFF to 8-bit RGBA as libtiff understands its colors, in the order of
// rows and columns in which they are stored.
static inline int fg_tiff_rgba(FGTIFFBytes *bytes, int width, int height, int orientation,
                               uint32_t *pixels) {
  typedef void *(*Open)(const char *, const char *, void *, ssize_t (*)(void *, void *, ssize_t),
                        ssize_t (*)(void *, void *, ssize_t), uint64_t (*)(void *, uint64_t, int),
                        int (*)(void *), uint64_t (*)(void *), void *, void *);
  typedef int (*Read)(void *, uint32_t, uint32_t, uint32_t *, int, int);
  typedef void (*Close)(void *);
  // What libvips is linked with is found by its own handle.
  void *library = dlopen("libvips.so.42", RTLD_LAZY | RTLD_NOLOAD);
  if (!library) library = dlopen(NULL, RTLD_LAZY);
  Open open = (Open)dlsym(library, "TIFFClientOpen");
  Read read = (Read)dlsym(library, "TIFFReadRGBAImageOriented");
  Close close = (Close)dlsym(library, "TIFFClose");
  if (!open || !read || !close) {
    vips_error("tiff", "%s", "libtiff cannot be found");
    return -1;
  }
  // Not mapped, read only.
  void *file = open("picture", "rm", bytes, fg_tiff_read, fg_tiff_write, fg_tiff_seek,
                    fg_tiff_close, fg_tiff_size, NULL, NULL);
  if (!file) return -1;
  const int is_read = read(file, width, height, pixels, orientation, 1);
  close(file);
  return is_read ? 0 : -1;
}

typedef struct {
  FGTIFFBytes bytes;
  int orientation;
  // All of the picture, once something of it was asked for.
  uint32_t *pixels;
} FGTIFFPicture;

static inline void fg_free_tiff_picture(VipsImage *image, FGTIFFPicture *picture) {
  g_free(picture->pixels);
  g_free(picture);
}

static inline int fg_make_tiff_rows(VipsRegion *out, void *seq, void *a, void *b, gboolean *stop) {
  FGTIFFPicture *picture = (FGTIFFPicture *)a;
  const int width = out->im->Xsize, height = out->im->Ysize;
  if (!picture->pixels) {
    uint32_t *pixels = g_try_malloc_n((size_t)width * height, sizeof(uint32_t));
    if (!pixels) {
      vips_error("tiff", "%s", "out of memory");
      return -1;
    }
    if (fg_tiff_rgba(&picture->bytes, width, height, picture->orientation, pixels)) {
      g_free(pixels);
      return -1;
    }
    picture->pixels = pixels;
  }
  for (int y = out->valid.top; y < out->valid.top + out->valid.height; y++) {
    VipsPel *to = VIPS_REGION_ADDR(out, out->valid.left, y);
    const uint32_t *from = picture->pixels + (size_t)y * width + out->valid.left;
    for (int x = 0; x < out->valid.width; x++, to += 3) {
      to[0] = from[x] & 255;
      to[1] = from[x] >> 8 & 255;
      to[2] = from[x] >> 16 & 255;
    }
  }
  return 0;
}

// An RGB image of a TIFF, decoded whole by libtiff and in one thread when it is first asked for. The
// source has to be there as long as the image is.
static inline VipsImage *fg_tiff_by_libtiff(VipsSource *source, int width, int height,
                                            int orientation) {
  size_t count = 0;
  const void *start = vips_source_map(source, &count);
  if (!start) return NULL;
  FGTIFFPicture *picture = g_new0(FGTIFFPicture, 1);
  picture->bytes.start = (const unsigned char *)start;
  picture->bytes.count = count;
  picture->orientation = orientation;
  VipsImage *image = vips_image_new();
  g_signal_connect(image, "postclose", G_CALLBACK(fg_free_tiff_picture), picture);
  vips_image_init_fields(image, width, height, 3, VIPS_FORMAT_UCHAR, VIPS_CODING_NONE,
                         VIPS_INTERPRETATION_sRGB, 1, 1);
  vips_image_set_int(image, VIPS_META_ORIENTATION, orientation);
  if (vips_image_pipelinev(image, VIPS_DEMAND_STYLE_THINSTRIP, NULL) ||
      vips_image_generate(image, NULL, fg_make_tiff_rows, NULL, picture, NULL)) {
    g_object_unref(image);
    return NULL;
  }
  return image;
}

#endif
