// EGL and OpenGL ES, opened when they are first called: a program that is linked with this is linked with
// neither, so it starts where they are missing, and as fast as without them.
//
// Each function here is found by its name, once, and called through. Where the libraries are missing it does
// nothing and gives 0, as a system without displays does; `CGLESMissing` says so in words. Functions of
// extensions come through eglGetProcAddress as anywhere else.

#include "CGLES.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static void *libraries[2];
static const char *missing;

static void openLibraries(void) {
  static const char *const names[2] = {"libEGL.so.1", "libGLESv2.so.2"};
  for (int index = 0; index < 2 && !missing; index++) {
    libraries[index] = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    if (!libraries[index]) missing = names[index];
  }
}

const char *CGLESMissing(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, openLibraries);
  return missing;
}

/// The function of a name; `NULL` where a library is missing, or has none.
static void *find(_Atomic(void *) *place, const char *name) {
  void *function = atomic_load_explicit(place, memory_order_relaxed);
  if (function || CGLESMissing()) return function;
  function = dlsym(libraries[name[0] == 'g'], name);
  atomic_store_explicit(place, function, memory_order_relaxed);
  return function;
}

#define GIVES(Type, name, parameters, arguments)           \
  Type name parameters {                                   \
    static _Atomic(void *) place;                          \
    Type(*function) parameters = find(&place, #name);      \
    return function ? function arguments : (Type)0;        \
  }

#define DOES(name, parameters, arguments)                  \
  void name parameters {                                   \
    static _Atomic(void *) place;                          \
    void (*function) parameters = find(&place, #name);     \
    if (function) function arguments;                      \
  }

EGLint eglGetError(void) {
  static _Atomic(void *) place;
  EGLint (*function)(void) = find(&place, "eglGetError");
  return function ? function() : EGL_NOT_INITIALIZED;
}

GIVES(EGLBoolean, eglBindAPI, (EGLenum api), (api))
GIVES(EGLBoolean, eglChooseConfig,
  (EGLDisplay dpy, const EGLint *attrib_list, EGLConfig *configs, EGLint config_size,
   EGLint *num_config),
  (dpy, attrib_list, configs, config_size, num_config))
GIVES(EGLContext, eglCreateContext,
  (EGLDisplay dpy, EGLConfig config, EGLContext share_context, const EGLint *attrib_list),
  (dpy, config, share_context, attrib_list))
GIVES(EGLSurface, eglCreatePbufferSurface,
  (EGLDisplay dpy, EGLConfig config, const EGLint *attrib_list),
  (dpy, config, attrib_list))
GIVES(EGLBoolean, eglDestroyContext, (EGLDisplay dpy, EGLContext ctx), (dpy, ctx))
GIVES(EGLBoolean, eglDestroySurface, (EGLDisplay dpy, EGLSurface surface), (dpy, surface))
GIVES(EGLContext, eglGetCurrentContext, (void), ())

// EGL 1.5's function, which drivers of phones do not export; before it there was an extension's, and before that
// one that takes native displays alone.
EGLDisplay CGLESPlatformDisplay(enum CGLESWay way, EGLenum platform, void *native) {
  static _Atomic(void *) place;
  if (way == CGLESNewest) {
    EGLDisplay (*function)(EGLenum, void *, const EGLAttrib *) = find(&place, "eglGetPlatformDisplay");
    if (function) return function(platform, native, NULL);
    way = CGLESExtension;
  }
  if (way == CGLESExtension) {
    const char *extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    PFNEGLGETPLATFORMDISPLAYEXTPROC extension =
      extensions && strstr(extensions, "EGL_EXT_platform_base")
        ? (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT") : NULL;
    if (extension) return extension(platform, native, NULL);
  }
  // A device is no native display.
  static _Atomic(void *) oldest;
  EGLDisplay (*function)(void *) = find(&oldest, "eglGetDisplay");
  return function && platform != EGL_PLATFORM_DEVICE_EXT ? function(native) : EGL_NO_DISPLAY;
}

GIVES(__eglMustCastToProperFunctionPointerType, eglGetProcAddress,
  (const char *procname),
  (procname))
GIVES(EGLBoolean, eglInitialize,
  (EGLDisplay dpy, EGLint *major, EGLint *minor),
  (dpy, major, minor))
GIVES(EGLBoolean, eglMakeCurrent,
  (EGLDisplay dpy, EGLSurface draw, EGLSurface read, EGLContext ctx),
  (dpy, draw, read, ctx))
GIVES(const char *, eglQueryString, (EGLDisplay dpy, EGLint name), (dpy, name))
GIVES(EGLBoolean, eglReleaseThread, (void), ())
GIVES(EGLBoolean, eglTerminate, (EGLDisplay dpy), (dpy))
DOES(glActiveTexture, (GLenum texture), (texture))
DOES(glAttachShader, (GLuint program, GLuint shader), (program, shader))
DOES(glBeginQuery, (GLenum target, GLuint id), (target, id))
DOES(glBindBuffer, (GLenum target, GLuint buffer), (target, buffer))
DOES(glBindBufferBase, (GLenum target, GLuint index, GLuint buffer), (target, index, buffer))
DOES(glBindFramebuffer, (GLenum target, GLuint framebuffer), (target, framebuffer))
DOES(glBindImageTexture,
  (GLuint unit, GLuint texture, GLint level, GLboolean layered, GLint layer, GLenum access,
   GLenum format),
  (unit, texture, level, layered, layer, access, format))
DOES(glBindTexture, (GLenum target, GLuint texture), (target, texture))
DOES(glBufferData,
  (GLenum target, GLsizeiptr size, const void *data, GLenum usage),
  (target, size, data, usage))
DOES(glCopyBufferSubData,
  (GLenum readTarget, GLenum writeTarget, GLintptr readOffset, GLintptr writeOffset,
    GLsizeiptr size),
  (readTarget, writeTarget, readOffset, writeOffset, size))
DOES(glBufferSubData,
  (GLenum target, GLintptr offset, GLsizeiptr size, const void *data),
  (target, offset, size, data))
GIVES(GLenum, glCheckFramebufferStatus, (GLenum target), (target))
GIVES(GLenum, glClientWaitSync,
  (GLsync sync, GLbitfield flags, GLuint64 timeout),
  (sync, flags, timeout))
DOES(glCompileShader, (GLuint shader), (shader))
DOES(glCopyTexSubImage2D,
  (GLenum target, GLint level, GLint xoffset, GLint yoffset, GLint x, GLint y, GLsizei width,
   GLsizei height),
  (target, level, xoffset, yoffset, x, y, width, height))
GIVES(GLuint, glCreateProgram, (void), ())
GIVES(GLuint, glCreateShader, (GLenum type), (type))
DOES(glDeleteBuffers, (GLsizei n, const GLuint *buffers), (n, buffers))
DOES(glDeleteFramebuffers, (GLsizei n, const GLuint *framebuffers), (n, framebuffers))
DOES(glDeleteProgram, (GLuint program), (program))
DOES(glDeleteQueries, (GLsizei n, const GLuint *ids), (n, ids))
DOES(glDeleteShader, (GLuint shader), (shader))
DOES(glDeleteSync, (GLsync sync), (sync))
DOES(glDeleteTextures, (GLsizei n, const GLuint *textures), (n, textures))
DOES(glDisable, (GLenum cap), (cap))
DOES(glDispatchCompute,
  (GLuint num_groups_x, GLuint num_groups_y, GLuint num_groups_z),
  (num_groups_x, num_groups_y, num_groups_z))
DOES(glDrawArrays, (GLenum mode, GLint first, GLsizei count), (mode, first, count))
DOES(glEnable, (GLenum cap), (cap))
DOES(glEndQuery, (GLenum target), (target))
GIVES(GLsync, glFenceSync, (GLenum condition, GLbitfield flags), (condition, flags))
DOES(glFinish, (void), ())
DOES(glFlush, (void), ())
DOES(glFramebufferTexture2D,
  (GLenum target, GLenum attachment, GLenum textarget, GLuint texture, GLint level),
  (target, attachment, textarget, texture, level))
DOES(glGenBuffers, (GLsizei n, GLuint *buffers), (n, buffers))
DOES(glGenFramebuffers, (GLsizei n, GLuint *framebuffers), (n, framebuffers))
DOES(glGenQueries, (GLsizei n, GLuint *ids), (n, ids))
DOES(glGenTextures, (GLsizei n, GLuint *textures), (n, textures))
GIVES(GLenum, glGetError, (void), ())
GIVES(GLenum, glGetGraphicsResetStatus, (void), ())
DOES(glGetIntegerv, (GLenum pname, GLint *data), (pname, data))
DOES(glGetProgramBinary,
  (GLuint program, GLsizei bufSize, GLsizei *length, GLenum *binaryFormat, void *binary),
  (program, bufSize, length, binaryFormat, binary))
DOES(glGetProgramInfoLog,
  (GLuint program, GLsizei bufSize, GLsizei *length, GLchar *infoLog),
  (program, bufSize, length, infoLog))
DOES(glGetProgramiv, (GLuint program, GLenum pname, GLint *params), (program, pname, params))
DOES(glGetShaderInfoLog,
  (GLuint shader, GLsizei bufSize, GLsizei *length, GLchar *infoLog),
  (shader, bufSize, length, infoLog))
DOES(glGetShaderiv, (GLuint shader, GLenum pname, GLint *params), (shader, pname, params))
GIVES(const GLubyte *, glGetString, (GLenum name), (name))
GIVES(const GLubyte *, glGetStringi, (GLenum name, GLuint index), (name, index))
DOES(glGetTexParameteriv, (GLenum target, GLenum pname, GLint *params), (target, pname, params))
GIVES(GLint, glGetUniformLocation, (GLuint program, const GLchar *name), (program, name))
DOES(glInvalidateFramebuffer,
  (GLenum target, GLsizei numAttachments, const GLenum *attachments),
  (target, numAttachments, attachments))
DOES(glLinkProgram, (GLuint program), (program))
GIVES(void *, glMapBufferRange,
  (GLenum target, GLintptr offset, GLsizeiptr length, GLbitfield access),
  (target, offset, length, access))
DOES(glMemoryBarrier, (GLbitfield barriers), (barriers))
DOES(glPixelStorei, (GLenum pname, GLint param), (pname, param))
DOES(glProgramBinary,
  (GLuint program, GLenum binaryFormat, const void *binary, GLsizei length),
  (program, binaryFormat, binary, length))
DOES(glProgramParameteri, (GLuint program, GLenum pname, GLint value), (program, pname, value))
DOES(glReadPixels,
  (GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type, void *pixels),
  (x, y, width, height, format, type, pixels))
DOES(glScissor, (GLint x, GLint y, GLsizei width, GLsizei height), (x, y, width, height))
DOES(glShaderSource,
  (GLuint shader, GLsizei count, const GLchar *const*string, const GLint *length),
  (shader, count, string, length))
DOES(glTexParameteri, (GLenum target, GLenum pname, GLint param), (target, pname, param))
DOES(glTexStorage2D,
  (GLenum target, GLsizei levels, GLenum internalformat, GLsizei width, GLsizei height),
  (target, levels, internalformat, width, height))
DOES(glTexSubImage2D,
  (GLenum target, GLint level, GLint xoffset, GLint yoffset, GLsizei width, GLsizei height,
   GLenum format, GLenum type, const void *pixels),
  (target, level, xoffset, yoffset, width, height, format, type, pixels))
DOES(glUniform1f, (GLint location, GLfloat v0), (location, v0))
DOES(glUniform1i, (GLint location, GLint v0), (location, v0))
DOES(glUniform2i, (GLint location, GLint v0, GLint v1), (location, v0, v1))
DOES(glUniform3f, (GLint location, GLfloat v0, GLfloat v1, GLfloat v2), (location, v0, v1, v2))
DOES(glUniform3i, (GLint location, GLint v0, GLint v1, GLint v2), (location, v0, v1, v2))
DOES(glUniform4f,
  (GLint location, GLfloat v0, GLfloat v1, GLfloat v2, GLfloat v3),
  (location, v0, v1, v2, v3))
DOES(glUniform4i,
  (GLint location, GLint v0, GLint v1, GLint v2, GLint v3),
  (location, v0, v1, v2, v3))
GIVES(GLboolean, glUnmapBuffer, (GLenum target), (target))
DOES(glUseProgram, (GLuint program), (program))
DOES(glViewport, (GLint x, GLint y, GLsizei width, GLsizei height), (x, y, width, height))
