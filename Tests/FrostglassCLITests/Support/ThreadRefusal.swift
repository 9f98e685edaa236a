import FrostglassCore
import Testing

/// A system that gives a program the threads that it asks for at its start, no others, and its libraries theirs.
enum ThreadRefusal {
  /// True if the library can be compiled here.
  static var isPossible: Bool { RunningService.has("cc") }

  /// The library that answers requests for threads, loaded before others.
  private static let code = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <pthread.h>
    #include <stdatomic.h>
    #include <string.h>
    typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*body)(void *), void *it) {
      static atomic_int made;
      Dl_info from;
      if (dladdr((void *)body, &from) && !strstr(from.dli_fname, ".so") && made++ >= GIVEN)
        return EAGAIN;
      return ((create *)dlsym(RTLD_NEXT, "pthread_create"))(thread, how, body, it);
    }

    """

  /// The environment in which a program gets no more.
  static func environment(in scratch: Scratch) throws -> [String: String] {
    try scratch.add("refusal.c", Array(code.utf8))
    let made = try scratch.shell(
      "cc -shared -fPIC -DGIVEN=\(ProcessNeeds.threads) -o refusal.so refusal.c -ldl")
    try #require(made.exitCode == 0, "\(made)")
    return ["LD_PRELOAD": scratch / "refusal.so"]
  }
}
