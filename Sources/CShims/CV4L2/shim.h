// Video4Linux, the kernel's interface to cameras. Requests are macros that hold the size of what is handed
// over, which do not import into Swift.
#ifndef FROSTGLASS_CV4L2_SHIM_H
#define FROSTGLASS_CV4L2_SHIM_H

#include <linux/videodev2.h>

#define FG_V4L2_REQUEST(name, macro) \
  static inline unsigned long fgk_v4l2_##name(void) { return macro; }

FG_V4L2_REQUEST(capabilities, VIDIOC_QUERYCAP)
FG_V4L2_REQUEST(next_format, VIDIOC_ENUM_FMT)
FG_V4L2_REQUEST(next_size, VIDIOC_ENUM_FRAMESIZES)
FG_V4L2_REQUEST(get_format, VIDIOC_G_FMT)
FG_V4L2_REQUEST(try_format, VIDIOC_TRY_FMT)
FG_V4L2_REQUEST(set_format, VIDIOC_S_FMT)
FG_V4L2_REQUEST(get_parameters, VIDIOC_G_PARM)
FG_V4L2_REQUEST(set_parameters, VIDIOC_S_PARM)
FG_V4L2_REQUEST(request_buffers, VIDIOC_REQBUFS)
FG_V4L2_REQUEST(query_buffer, VIDIOC_QUERYBUF)
FG_V4L2_REQUEST(queue, VIDIOC_QBUF)
FG_V4L2_REQUEST(dequeue, VIDIOC_DQBUF)
FG_V4L2_REQUEST(start, VIDIOC_STREAMON)
FG_V4L2_REQUEST(stop, VIDIOC_STREAMOFF)

#undef FG_V4L2_REQUEST

// Four letters as the number that formats are called by.
#define FG_V4L2_FORMAT(name) \
  static inline unsigned fgk_v4l2_##name(void) { return V4L2_PIX_FMT_##name; }

FG_V4L2_FORMAT(YUYV)
FG_V4L2_FORMAT(NV12)
FG_V4L2_FORMAT(YUV420)
FG_V4L2_FORMAT(GREY)
FG_V4L2_FORMAT(MJPEG)

#undef FG_V4L2_FORMAT

#endif
