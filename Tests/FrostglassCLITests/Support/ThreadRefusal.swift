import Testing

/// A system that gives a program no threads, and its libraries theirs.
enum ThreadRefusal {
  /// Whether one can be made here.
  static var isPossible: Bool { RunningService.has("cc") }

  /// Loaded before others, it answers who asks for a thread.
  private static let code = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <pthread.h>
    #include <string.h>
    typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*body)(void *), void *it) {
      Dl_info from;
      if (dladdr((void *)body, &from) && !strstr(from.dli_fname, ".so")) return EAGAIN;
      return ((create *)dlsym(RTLD_NEXT, "pthread_create"))(thread, how, body, it);
    }

    """

  /// The environment in which a program gets none.
  static func environment(in scratch: Scratch) throws -> [String: String] {
    try scratch.add("refusal.c", Array(code.utf8))
    let made = try scratch.shell("cc -shared -fPIC -o refusal.so refusal.c -ldl")
    try #require(made.exitCode == 0, "\(made)")
    return ["LD_PRELOAD": scratch / "refusal.so"]
  }
}
