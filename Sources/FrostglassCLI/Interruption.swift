internal import Frostglass
internal import FrostglassStills
internal import Glibc
internal import Synchronization

/// Ends the process on Ctrl-C and its like, without the files it had begun.
///
/// A thread of its own does this, since a signal handler may do next to nothing; the handler wakes
/// it through a pipe. Blocking the signals and waiting for them would not do: the task pool parks
/// the main thread with all signals unblocked.
enum Interruption {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  private static let ending = Mutex<(@Sendable () -> Void)?>(nil)
  private static let fatal = Mutex<Int32?>(nil)
  private static let lastWords = Mutex<(@Sendable () -> Void)?>(nil)

  /// What a shell is about to see of this process; `nil` unless a signal is ending it.
  static var exitCode: Int32? { fatal.withLock { $0 }.map { 128 + $0 } }

  /// From now on a signal removes temporary files, then ends the process as it would have done; a
  /// shell sees 128 plus the signal's number. Where there is no thread for that, it ends the process at once.
  static func watch() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let reader = ends[0]
    wakeUp = ends[1]
    let isHeard = BackgroundThread.start {
      var signal = next(reader)
      if let ending = ending.withLock({ $0 }) {
        ending()
        signal = next(reader)
      }
      end(signal)
    }
    guard isHeard else {
      // Handlers that nobody hears would keep signals from ending the process at all.
      for end in ends { close(end) }
      return
    }
    for signal in signals { handle(signal) }
  }

  private static func next(_ reader: Int32) -> Int32 {
    var number: UInt8 = 0
    while read(reader, &number, 1) != 1 {}
    return Int32(number)
  }

  /// Lets a command end in its own way on the first signal; the second ends the process at once.
  static func onFirst(_ end: @escaping @Sendable () -> Void) { ending.withLock { $0 = end } }

  /// - Parameter words: says where things stand; called once everything is cleaned up.
  static func onEnd(_ words: @escaping @Sendable () -> Void) {
    lastWords.withLock { $0 = words }
  }

  private static func handle(_ signal: Int32) {
    var action = sigaction()
    sigaction(signal, nil, &action)
    // `nohup`, and shells for what they start in the background, want it ignored.
    guard unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != ignored else {
      return
    }
    action.__sigaction_handler.sa_handler = noteSignal
    action.sa_flags = SA_RESTART
    sigaction(signal, &action, nil)
  }

  private static func end(_ signal: Int32) {
    fatal.withLock { $0 = signal }
    TemporaryFiles.ofProcess.removeAll()
    // A second signal ends the process at once, also when the terminal takes no more words.
    for signal in signals { Glibc.signal(signal, SIG_DFL) }
    lastWords.withLock { $0 }?()
    // Dying of the signal, not exiting, tells a shell that its loop is meant too.
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, signal)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(signal)
    // The first process of a container does not die of signals.
    _exit(128 + signal)
  }
}

/// `SIG_IGN` as a number; functions cannot be compared.
private let ignored = 1

/// Where the handler writes. A plain number, set before there is a handler.
nonisolated(unsafe) private var wakeUp: Int32 = -1

private func noteSignal(_ signal: Int32) {
  let code = errno
  var number = UInt8(truncatingIfNeeded: signal)
  write(wakeUp, &number, 1)
  errno = code
}
