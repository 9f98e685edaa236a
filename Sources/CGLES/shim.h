// Extension functions come through eglGetProcAddress, so no prototypes are asked for.
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>
#include <GLES2/gl2ext.h>
