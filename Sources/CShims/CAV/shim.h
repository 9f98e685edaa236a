// libavformat, libavcodec and libavutil. What their headers have as macros with casts does not import into
// Swift; chapters can only be made by hand.
#ifndef FROSTGLASS_CAV_SHIM_H
#define FROSTGLASS_CAV_SHIM_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/dict.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>

// A time that is not known.
static inline int64_t fgk_av_no_time(void) { return AV_NOPTS_VALUE; }
// The end of a file, or of what a codec has to give.
static inline int fgk_av_end(void) { return AVERROR_EOF; }
// More has to be given, or taken, first.
static inline int fgk_av_again(void) { return AVERROR(EAGAIN); }
// What was given makes no sense.
static inline int fgk_av_invalid(void) { return AVERROR_INVALIDDATA; }
// Whether an error is one of the system, and its number; 0 where it is libav's own.
static inline int fgk_av_system_error(int code) {
  return code < 0 && code > -4096 ? AVUNERROR(code) : 0;
}
// Whether subtitles are words, and no pictures.
static inline bool fgk_av_is_text(enum AVCodecID codec) {
  const AVCodecDescriptor *known = avcodec_descriptor_get(codec);
  return known && (known->props & AV_CODEC_PROP_TEXT_SUB);
}
// The microseconds in which containers count.
static inline AVRational fgk_av_microseconds(void) { return AV_TIME_BASE_Q; }

// Gives a file that is to be written one chapter more; 0, or an error.
static inline int fgk_av_add_chapter(
    AVFormatContext *to, const AVChapter *from, int64_t start, int64_t end) {
  AVChapter *chapter = av_mallocz(sizeof(AVChapter));
  if (!chapter) return AVERROR(ENOMEM);
  AVChapter **all = av_realloc_array(to->chapters, to->nb_chapters + 1, sizeof(*all));
  if (!all) {
    av_free(chapter);
    return AVERROR(ENOMEM);
  }
  chapter->id = from->id;
  chapter->time_base = from->time_base;
  chapter->start = start;
  chapter->end = end;
  av_dict_copy(&chapter->metadata, from->metadata, 0);
  to->chapters = all;
  to->chapters[to->nb_chapters++] = chapter;
  return 0;
}

// Opens what a context's descriptor is of in place of its path, and nothing else.
static inline int fgk_av_open_descriptor(
    AVFormatContext *context, AVIOContext **io, const char *url, int flags, AVDictionary **options) {
  if (!context->url || strcmp(url, context->url) != 0) return AVERROR(EACCES);
  char own[64];
  snprintf(own, sizeof(own), "file:/proc/self/fd/%d", (int)(intptr_t)context->opaque);
  return avio_open2(io, own, flags, &context->interrupt_callback, options);
}
// A context to be opened under any path, which reads an open file from its beginning; NULL where memory lacks.
static inline AVFormatContext *fgk_av_reading(int descriptor) {
  AVFormatContext *context = avformat_alloc_context();
  if (!context) return NULL;
  context->opaque = (void *)(intptr_t)descriptor;
  context->io_open = fgk_av_open_descriptor;
  return context;
}

#endif
