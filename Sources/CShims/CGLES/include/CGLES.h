// EGL and OpenGL ES 3.2. Extension functions come through eglGetProcAddress, so no prototypes are asked for.
//
// What stands here under the libraries' names is for this program alone: drivers are not to find it.
#pragma GCC visibility push(hidden)
#define KHRONOS_STATIC
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>
#include <GLES2/gl2ext.h>

/// The library that cannot be opened; `NULL` where all can.
const char *_Nullable CGLESMissing(void);
#pragma GCC visibility pop
