// EGL and OpenGL ES 3.2. Extension functions come through eglGetProcAddress, so no prototypes are asked for.
//
// What stands here under the libraries' names is for this program alone: drivers are not to find it.
#pragma GCC visibility push(hidden)
#define KHRONOS_STATIC
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>
#include <GLES2/gl2ext.h>

/// Ways to a display, the newest first.
enum CGLESWay {
  /// EGL 1.5's function, or the next way where there is none.
  CGLESNewest,
  /// That of EGL_EXT_platform_base, or the next way where there is none.
  CGLESExtension,
  /// That of EGL 1.0, for native displays.
  CGLESNative
};

/// The display of a platform; `NULL` where there is none.
EGLDisplay _Nullable CGLESPlatformDisplay(
  enum CGLESWay way, EGLenum platform, void *_Nullable native);

/// The library that cannot be opened; `NULL` where all can.
const char *_Nullable CGLESMissing(void);
#pragma GCC visibility pop
