package import FrostglassConfinement
package import Glibc
internal import Synchronization

/// This program, started again as a process of its own that works for this one.
///
/// It has three descriptors of this process, a socket and two memories that large bodies go through, and
/// next to nothing of its environment. It ends with the thread that started it, whatever ends that.
package final class ChildProcess: Sendable {
  package let process: pid_t
  /// The socket that carries orders to it and frames from it.
  package let socket: FrameSocket
  /// The process group that ends with it: its own, or none.
  private let group: pid_t?
  /// True while the process can be killed. Once it is waited for, its process ID may be reused.
  private let isThere = Mutex(true)

  /// The command line and memory sizes that it is started with.
  package struct Command: Sendable {
    var program: String
    var arguments: [String]
    /// Bytes of the memories for files of orders and for answers; what finds no room there goes through
    /// the socket.
    var orderBytes: Int
    var answerBytes: Int
    /// True if it stays in the process group of who starts it, and ends with that group.
    var sharesGroup: Bool

    package init(
      program: String, arguments: [String], orderBytes: Int, answerBytes: Int,
      sharesGroup: Bool = false
    ) {
      self.sharesGroup = sharesGroup
      self.program = program
      self.arguments = arguments
      self.orderBytes = orderBytes
      self.answerBytes = answerBytes
    }
  }

  /// Starts it. The same thread must end it, with `end()`.
  ///
  /// - Throws: `SystemRefusal`.
  package init(_ command: Command) throws(SystemRefusal) {
    let ends = try SocketPair()
    defer { close(ends.second) }
    let (orders, answers): (SharedMemory, SharedMemory)
    do {
      (orders, answers) = (
        try SharedMemory(count: max(command.orderBytes, 1)),
        try SharedMemory(count: max(command.answerBytes, 1))
      )
      process = try Self.spawn(
        command, [ends.second, orders.descriptor, answers.descriptor])
    } catch {
      close(ends.first)
      throw error
    }
    group = command.sharesGroup ? nil : process
    // Only this end is non-blocking: the service polls several descriptors.
    _ = fcntl(ends.first, F_SETFL, O_NONBLOCK)
    for option in [SO_SNDBUF, SO_RCVBUF] {
      var bytes: Int32 = 1 << 20
      setsockopt(ends.first, SOL_SOCKET, option, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }
    socket = FrameSocket(descriptor: ends.first, outgoing: orders, incoming: answers)
  }

  deinit { close(socket.descriptor) }

  /// Kills it and its process group, from any thread; at its end nothing happens.
  func kill() {
    isThere.withLock { if $0 { _ = Glibc.kill(group.map { -$0 } ?? process, SIGKILL) } }
  }

  /// The way a process ended.
  package enum End: Sendable, Hashable, CustomStringConvertible {
    case code(Int32)
    case signal(Int32)

    package var description: String {
      switch self {
      case .code(let code): "ended with code \(code)"
      case .signal(let signal): "was ended by signal \(signal)"
      }
    }
  }

  /// Kills it, unless it has exited, and waits for its end. Must not be called twice.
  package func end() -> End {
    kill()
    var info = siginfo_t()
    while waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    var status: Int32 = 0
    isThere.withLock { isThere in
      isThere = false
      guard let group else { return _ = waitpid(process, &status, 0) }
      // If this process adopts orphans, it must reap the worker's children.
      var other: Int32 = 0
      while true {
        let ended = waitpid(-group, &other, 0)
        if ended == process { status = other }
        if ended < 0, errno != EINTR { return }
      }
    }
    let signal = status & 0x7F
    return signal == 0 ? .code(status >> 8 & 0xFF) : .signal(signal)
  }

  /// True once its end of the socket is closed, as when it has ended, with nothing left to be read.
  package var hasEnded: Bool {
    var byte: UInt8 = 0
    return recv(socket.descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
  }

  /// Bytes of memory that it holds; 0 where that cannot be known.
  var memory: Int { ProcessMemory(of: process)?.resident ?? 0 }

  /// The variables that it inherits, which name libraries, drivers and fonts.
  ///
  /// In addition it gets a home, as libraries would ask for one over a socket, and settings that keep Swift from
  /// starting a program to describe a crash, and Mesa from caching shaders in files.
  private static let variables = [
    "FONTCONFIG_FILE", "FONTCONFIG_PATH", "FONTCONFIG_SYSROOT", "FROSTGLASS_MODELS",
    "GALLIUM_DRIVER", "GLIBC_TUNABLES",
    "LD_LIBRARY_PATH", "LIBGL_ALWAYS_SOFTWARE", "LIBGL_DRIVERS_PATH", "LIBHEIF_PLUGIN_PATH",
    "SSL_CERT_FILE", "VIPSHOME", "__EGL_VENDOR_LIBRARY_DIRS", "__EGL_VENDOR_LIBRARY_FILENAMES",
  ]

  /// Starts the program with descriptors from 3 on, and nothing else of this process.
  ///
  /// Unless it shares one, it has a process group of its own, so that ^C in a terminal is for its parent to act upon, and
  /// all signals as they are for a new program.
  private static func spawn(
    _ command: Command, _ descriptors: [Int32]
  ) throws(SystemRefusal) -> pid_t {
    // Under numbers that are not among those that they replace.
    let copies = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, 16) }
    defer { for copy in copies where copy >= 0 { close(copy) } }
    guard copies.allSatisfy({ $0 >= 0 }) else { throw SystemRefusal(code: EMFILE) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in STDIN_FILENO...STDERR_FILENO {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    let places = [ConfinedChild.socket, ConfinedChild.orders, ConfinedChild.answers]
    for (copy, place) in zip(copies, places) {
      posix_spawn_file_actions_adddup2(&actions, copy, place)
    }
    closeDescriptors(from: ConfinedChild.answers + 1, by: &actions)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(
        (command.sharesGroup ? 0 : POSIX_SPAWN_SETPGROUP) | POSIX_SPAWN_SETSIGMASK
          | POSIX_SPAWN_SETSIGDEF))

    let environment =
      ["HOME=/", "SWIFT_BACKTRACE=enable=no", "MESA_SHADER_CACHE_DISABLE=true"]
      + variables.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
    var process = pid_t()
    let refusal = withWords([command.program] + command.arguments) { words in
      withWords(environment) { environment in
        posix_spawn(&process, command.program, &actions, &attributes, words, environment)
      }
    }
    guard refusal == 0 else { throw SystemRefusal(code: refusal) }
    return process
  }

  private static func withWords<Value>(
    _ words: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
  ) -> Value {
    let copies = words.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}

/// The memory of a process, as the kernel counts it.
struct ProcessMemory: Sendable, Hashable {
  /// Bytes that it holds.
  let resident: Int
  /// Bytes that are mapped for it alone to write to, touched or not: what a limit of its data counts.
  let writable: Int

  /// - Returns: `nil` where that cannot be known, as of a process that has ended.
  init?(of process: Int32) {
    guard let file = fopen("/proc/\(process)/statm", "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    // Pages of: addresses, memory that is held, that is shared, code, nothing, data with the stack.
    let text = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let pages = String(decoding: text, as: UTF8.self).split { $0.isWhitespace }
      .compactMap { Int($0) }
    guard pages.count > 5 else { return nil }
    let size = Int(getpagesize())
    resident = pages[1] * size
    writable = pages[5] * size
  }
}
