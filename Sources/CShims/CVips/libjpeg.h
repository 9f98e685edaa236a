// Rows of a JPEG by libjpeg itself, which libvips reads them with, too: libvips passes on that libjpeg warned, but
// not of what, and never hears what it warns of in the last rows and behind them.
#ifndef FROSTGLASS_CVIPS_LIBJPEG_H
#define FROSTGLASS_CVIPS_LIBJPEG_H

#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <vips/vips.h>
// Both come with libvips, and want the above.
#include <jpeglib.h>
#include <jerror.h>

typedef struct {
  // First, as libjpeg passes on where it is.
  struct jpeg_error_mgr errors;
  struct jpeg_decompress_struct codec;
  struct jpeg_source_mgr input;
  struct jpeg_progress_mgr progress;
  jmp_buf failed;
  // Where the file is, and what stands in it that libjpeg was not given yet.
  VipsSource *source;
  const unsigned char *next;
  size_t left;
  int shrink;
  int is_created, is_failed;
  // Whether there are data at all behind what was read; otherwise the file lacks the marker at its end.
  int lacks_end;
  // Whether all pixels are there.
  int has_rows;
  int row;
  // Room for a row of libjpeg's.
  JSAMPROW room;
} FGJPEG;

// What is remembered of a source: libjpeg's words on data that belong to no pixel, and why there are no more rows.
// (libvips' words are the whole process's, and what failed behind may have taken them.)
#define FG_JPEG_DOUBT "frostglass-jpeg-doubt"
#define FG_JPEG_FAILURE "frostglass-jpeg-failure"

// Returns NULL where there is nothing to say, or nothing was read yet.
static inline const char *fgk_source_words(VipsSource *source, const char *kind) {
  return (const char *)g_object_get_data(G_OBJECT(source), kind);
}

// Remembers the first words of a kind.
static inline void fgk_remember_jpeg(FGJPEG *jpeg, const char *kind, const char *words) {
  if (!fgk_source_words(jpeg->source, kind))
    g_object_set_data_full(G_OBJECT(jpeg->source), kind, g_strdup(words), g_free);
}

static inline void fgk_doubt_jpeg(FGJPEG *jpeg) {
  char words[JMSG_LENGTH_MAX];
  jpeg->errors.format_message((j_common_ptr)&jpeg->codec, words);
  fgk_remember_jpeg(jpeg, FG_JPEG_DOUBT, words);
}

static inline void fgk_fail_jpeg(FGJPEG *jpeg, const char *words) {
  fgk_remember_jpeg(jpeg, FG_JPEG_FAILURE, words);
  vips_error("jpeg", "%s", words);
  jpeg->is_failed = 1;
  longjmp(jpeg->failed, 1);
}

// Behind the last row there is nothing to lose.
static inline void fgk_jpeg_error(j_common_ptr codec) {
  FGJPEG *jpeg = (FGJPEG *)codec->err;
  if (jpeg->has_rows) {
    fgk_doubt_jpeg(jpeg);
    longjmp(jpeg->failed, 1);
  }
  char words[JMSG_LENGTH_MAX];
  codec->err->format_message(codec, words);
  fgk_fail_jpeg(jpeg, words);
}

static const char fgk_jpeg_is_short[] = "its data end before its last row";

// Where pixels are lost, what libjpeg would go on from with a warning ends it. What is merely odd does not.
static inline void fgk_jpeg_message(j_common_ptr codec, int level) {
  FGJPEG *jpeg = (FGJPEG *)codec->err;
  if (level >= 0) return;
  switch (codec->err->msg_code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_JFIF_MAJOR: return;
    case JWRN_HIT_MARKER: fgk_fail_jpeg(jpeg, fgk_jpeg_is_short); return;
    case JWRN_BOGUS_PROGRESSION:
    case JWRN_NOT_SEQUENTIAL:
    case JWRN_EXTRANEOUS_DATA: fgk_doubt_jpeg(jpeg); return;
    default: fgk_jpeg_error(codec);
  }
}

// Programs write some ten scans, a few some sixty. Each goes through all pixels, however short it is.
static inline void fgk_watch_jpeg(j_common_ptr codec) {
  if (((j_decompress_ptr)codec)->input_scan_number > 200)
    fgk_fail_jpeg((FGJPEG *)codec->err, "it has more than 200 scans");
}

static inline void fgk_start_jpeg_input(j_decompress_ptr codec) {}

// Gives libjpeg so little at a time that it looks at each code: where there is more, it takes bad codes for good ones.
static inline boolean fgk_fill_jpeg_input(j_decompress_ptr codec) {
  static const JOCTET end[2] = {0xFF, JPEG_EOI};
  FGJPEG *jpeg = (FGJPEG *)codec->err;
  const size_t count = VIPS_MIN(jpeg->left, DCTSIZE2 * 8 - 1);
  jpeg->lacks_end = count == 0;
  codec->src->next_input_byte = count ? jpeg->next : end;
  codec->src->bytes_in_buffer = count ? count : sizeof end;
  jpeg->next += count;
  jpeg->left -= count;
  return TRUE;
}

static inline void fgk_skip_jpeg_input(j_decompress_ptr codec, long count) {
  FGJPEG *jpeg = (FGJPEG *)codec->err;
  if (count <= 0) return;
  const size_t here = VIPS_MIN((size_t)count, codec->src->bytes_in_buffer);
  const size_t behind = VIPS_MIN((size_t)count - here, jpeg->left);
  codec->src->next_input_byte += here;
  codec->src->bytes_in_buffer -= here;
  jpeg->next += behind;
  jpeg->left -= behind;
}

static inline void fgk_end_jpeg_input(j_decompress_ptr codec) {}

// Fails unless each component has come, and where the file lacks its end, with all its bits.
static inline void fgk_demand_whole_jpeg(FGJPEG *jpeg) {
  const struct jpeg_decompress_struct *codec = &jpeg->codec;
  for (int part = 0; part < codec->num_components; part++) {
    int is_whole = codec->comp_info[part].quant_table != NULL;
    if (is_whole && codec->progressive_mode) {
      const int *missing = codec->coef_bits[part];
      is_whole = missing[0] >= 0;
      for (int i = 0; i < DCTSIZE2 && jpeg->lacks_end; i++) is_whole = is_whole && missing[i] == 0;
    }
    if (!is_whole) fgk_fail_jpeg(jpeg, fgk_jpeg_is_short);
  }
}

static inline void fgk_start_jpeg(FGJPEG *jpeg, VipsImage *image) {
  struct jpeg_decompress_struct *codec = &jpeg->codec;
  jpeg_create_decompress(codec);
  jpeg->is_created = 1;
  jpeg->input = (struct jpeg_source_mgr){.init_source = fgk_start_jpeg_input,
                                         .fill_input_buffer = fgk_fill_jpeg_input,
                                         .skip_input_data = fgk_skip_jpeg_input,
                                         .resync_to_restart = jpeg_resync_to_restart,
                                         .term_source = fgk_end_jpeg_input};
  codec->src = &jpeg->input;
  jpeg->progress.progress_monitor = fgk_watch_jpeg;
  codec->progress = &jpeg->progress;
  jpeg_read_header(codec, TRUE);
  codec->scale_num = 1;
  codec->scale_denom = jpeg->shrink;
  jpeg_start_decompress(codec);
  if ((int)codec->output_width < image->Xsize || (int)codec->output_height < image->Ysize ||
      codec->output_components != image->Bands)
    fgk_fail_jpeg(jpeg, "its headers contradict each other");
  jpeg->room = (JSAMPROW)codec->mem->alloc_large(
      (j_common_ptr)codec, JPOOL_IMAGE, (size_t)codec->output_width * codec->output_components);
  if (jpeg_has_multiple_scans(codec)) fgk_demand_whole_jpeg(jpeg);
}

// Reads to the marker that ends the file. Arithmetic codes may end anywhere: where it is missing, they do not tell
// whether more is.
static inline void fgk_end_jpeg(FGJPEG *jpeg) {
  struct jpeg_decompress_struct *codec = &jpeg->codec;
  while (codec->output_scanline < codec->output_height) jpeg_read_scanlines(codec, &jpeg->room, 1);
  jpeg->has_rows = !codec->arith_code;
  jpeg_finish_decompress(codec);
  if (jpeg->lacks_end && codec->arith_code) fgk_fail_jpeg(jpeg, fgk_jpeg_is_short);
}

static inline void fgk_read_jpeg_row(FGJPEG *jpeg, VipsRegion *out) {
  const size_t bytes = VIPS_IMAGE_SIZEOF_LINE(out->im);
  // A smaller picture has what fits into its size whole.
  const int is_cropped = (int)jpeg->codec.output_width > out->im->Xsize;
  JSAMPROW place = VIPS_REGION_ADDR(out, 0, jpeg->row), row = is_cropped ? jpeg->room : place;
  jpeg_read_scanlines(&jpeg->codec, &row, 1);
  if (is_cropped) memcpy(place, row, bytes);
  // CMYK is stored inverted, as Adobe's programs have it.
  if (out->im->Bands == 4)
    for (size_t i = 0; i < bytes; i++) place[i] = 255 - place[i];
  jpeg->row++;
}

static inline int fgk_make_jpeg_rows(VipsRegion *out, void *seq, void *a, void *b, gboolean *stop) {
  FGJPEG *jpeg = (FGJPEG *)a;
  if (jpeg->is_failed || out->valid.top != jpeg->row) return -1;
  if (setjmp(jpeg->failed)) return jpeg->has_rows ? 0 : -1;
  if (!jpeg->is_created) fgk_start_jpeg(jpeg, out->im);
  while (jpeg->row < VIPS_RECT_BOTTOM(&out->valid)) fgk_read_jpeg_row(jpeg, out);
  if (jpeg->row == out->im->Ysize) fgk_end_jpeg(jpeg);
  return 0;
}

static inline void fgk_free_jpeg(VipsImage *image, FGJPEG *jpeg) {
  if (jpeg->is_created) jpeg_destroy_decompress(&jpeg->codec);
  g_object_unref(jpeg->source);
  g_free(jpeg);
}

// Opens a JPEG at 1/shrink of its size (1, 2, 4 or 8): its decoder leaves out what would be averaged away. All but the
// pixels is as libvips reads it. Rows fail where they cannot be decoded as they were written.
static inline VipsImage *fgk_load_jpeg(VipsSource *source, int shrink) {
  size_t count = 0;
  const void *start = vips_source_map(source, &count);
  VipsImage *header = start ? vips_image_new_from_source(source, "", "access",
                                                         VIPS_ACCESS_SEQUENTIAL, "shrink", shrink, NULL)
                            : NULL;
  if (!header) return NULL;
  FGJPEG *jpeg = g_new0(FGJPEG, 1);
  jpeg->source = (VipsSource *)g_object_ref(source);
  jpeg->next = (const unsigned char *)start;
  jpeg->left = count;
  jpeg->shrink = shrink;
  jpeg->codec.err = jpeg_std_error(&jpeg->errors);
  jpeg->errors.error_exit = fgk_jpeg_error;
  jpeg->errors.emit_message = fgk_jpeg_message;
  VipsImage *rows = vips_image_new(), *image = NULL;
  g_signal_connect(rows, "postclose", G_CALLBACK(fgk_free_jpeg), jpeg);
  const int failed = vips_image_pipelinev(rows, VIPS_DEMAND_STYLE_THINSTRIP, header, NULL) ||
                     vips_image_generate(rows, NULL, fgk_make_jpeg_rows, NULL, jpeg, NULL) ||
                     vips_sequential(rows, &image, "tile_height", 8, NULL);
  g_object_unref(header);
  g_object_unref(rows);
  return failed ? NULL : image;
}

#endif
