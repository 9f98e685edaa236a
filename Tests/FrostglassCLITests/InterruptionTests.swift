import Glibc
import Testing

/// Signals that end a command.
@Suite(.enabled(if: RunningService.has("cc"), "needs a C compiler")) struct InterruptionTests {
  /// Refuses threads to the program itself; libraries get theirs.
  private static let refusal = """
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

  /// Where no thread can be had that hears signals, they end the command as they end any.
  @Test(arguments: [SIGINT, SIGTERM]) func signalsEndItWithoutAThreadToHearThem(
    _ signal: Int32
  ) throws {
    let scratch = try Scratch()
    try scratch.add("refusal.c", Array(Self.refusal.utf8))
    let made = try scratch.shell("cc -shared -fPIC -o refusal.so refusal.c -ldl")
    try #require(made.exitCode == 0, "\(made)")
    #expect(mkfifo(scratch / "in.png", 0o600) == 0)
    let running = try RunningCommand(
      CommandRun.executable, ["blur", "in.png", "out.png", "--sigma", "2"], in: scratch.path,
      environment: ["LD_PRELOAD": scratch / "refusal.so"])
    // It waits for a picture that nobody writes.
    let pipe = open(scratch / "in.png", O_WRONLY)
    running.send(signal)
    close(pipe)
    let run = try running.end()
    #expect(run.signal == signal, "\(run)")
    #expect(!scratch.names.contains("out.png"))
  }
}
