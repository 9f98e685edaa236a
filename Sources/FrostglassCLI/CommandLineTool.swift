package import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassServer
internal import FrostglassStills
internal import Glibc
internal import Synchronization

/// The `frostglass` command: finds the subcommand, runs it, turns errors into words and exit codes.
package enum CommandLineTool {
  /// The reader and writer of video files, in the program that has it.
  @TaskLocal static var videos: (any VideoFiles)?

  /// Runs what the words of the process ask for, and ends it.
  ///
  /// - Parameter videos: reads and writes videos; without it another program is started for them.
  @MainActor package static func main(videos: (any VideoFiles)? = nil) async -> Never {
    let words = words.map { String(systemPath: $0) }
    // With --json, standard error is an object and nothing else.
    DecoderProcess.isolate()
    let status: Int32
    // Before anything is waited for.
    if words.first != ConfinedChild.word, let shortage = ProcessNeeds.shortage() {
      if words.contains("--json") { Console.speak(.json) }
      let failure = Failure(shortage, .unavailable)
      Console.report(failure, of: words.first ?? "")
      ProcessEnd.exit(failure.exitCode)
    }
    if words.first == ConfinedChild.word {
      // Started by the service, not by users. Nothing may suspend before: that would start
      // threads that it must not have.
      status = ConfinedChild.run(Array(words.dropFirst())) { () throws(Failure) in
        try WorkerFinder(isWorker: true)
      }
    } else {
      status = await $videos.withValue(videos) { await run(words) }
      // After a failure, temporary files may remain.
      TemporaryFiles.ofProcess.removeAll()
    }
    ProcessEnd.exit(status)
  }

  /// The words after the program's name, as the process was given them: `CommandLine.arguments` would
  /// repair file names that are not UTF-8.
  static var words: [UnsafeMutablePointer<CChar>] {
    let words = CommandLine.unsafeArgv
    return (1..<max(Int(CommandLine.argc), 1)).compactMap { words[$0] }
  }

  static let version = Version.current

  /// All of them, as the overview lists them.
  static let commands: [any Command.Type] = [
    BlurCommand.self, RedactCommand.self, VideoCommand.self, FillCommand.self,
    PlaceholderCommand.self,
    FindCommand.self, TracksCommand.self, SceneCommand.self, ServeCommand.self, SignCommand.self,
    PlanCommand.self,
    CompareCommand.self,
    FiltersCommand.self,
    BenchCommand.self,
    DoctorCommand.self, CompletionsCommand.self, ManualCommand.self,
  ]

  /// - Parameter arguments: without the program's name.
  /// - Returns: the exit code.
  static func run(_ arguments: [String]) async -> Int32 {
    let exitCode = await answer(arguments)
    guard let loss = Console.loss else { return exitCode }
    let failure = Failure("standard output: cannot be written (\(loss))", .cannotCreate)
    Console.report(failure, of: arguments.first ?? "")
    // Other errors take precedence.
    let isWell = [ExitCode.done, ExitCode.different].contains(exitCode)
    return isWell ? failure.exitCode : exitCode
  }

  private static func answer(_ arguments: [String]) async -> Int32 {
    guard let word = arguments.first else {
      Console.error(overview)
      return ExitCode.usage
    }
    switch word {
    case "--version", "-V":
      Console.print("frostglass \(version)")
      return ExitCode.done
    case "--help", "-h", "help":
      return help(about: arguments.dropFirst().first)
    default: break
    }
    guard let command = commands.first(where: { $0.name == word }) else { return unknown(word) }
    return await run(command, Array(arguments.dropFirst()))
  }

  private static func run(_ command: any Command.Type, _ arguments: [String]) async -> Int32 {
    // Also of words that cannot be read.
    if command.options.contains(where: { $0.name == "json" }),
      arguments.prefix(while: { $0 != "--" }).contains("--json")
    {
      Console.speak(.json)
    }
    do {
      let parsed = try OptionParser(command).parse(arguments)
      if parsed.has("quiet") {
        guard !parsed.has("json") else {
          throw Failure.usage(
            "--quiet and --json exclude each other; with --json nothing else is said")
        }
        Console.speak(.quiet)
      }
      if parsed.has("help") {
        Console.print(styled: help(of: command))
        return ExitCode.done
      }
      let work = try command.init(parsed)
      Interruption.watch()
      return try await work.run()
    } catch {
      let failure = Failure(saying: error)
      Console.report(failure, of: command.name)
      return failure.exitCode
    }
  }

  private static func help(about word: String?) -> Int32 {
    guard let word else {
      Console.print(overview)
      return ExitCode.done
    }
    guard let command = commands.first(where: { $0.name == word }) else { return unknown(word) }
    Console.print(styled: help(of: command))
    return ExitCode.done
  }

  private static func help(of command: any Command.Type) -> String {
    HelpText(command: command, width: Console.width, isStyled: Console.isStyled).text
  }

  private static func unknown(_ word: String) -> Int32 {
    let hint = DidYouMean.hint(for: word, in: commands.map { $0.name })
    Console.error("frostglass: there is no command \(word)\(hint); see `frostglass --help`")
    return ExitCode.usage
  }

  private static var overview: String {
    let width = (commands.map { $0.name.count }.max() ?? 0) + 2
    let rows = commands.map { command in
      "  \(command.name.padded(to: width))\(command.summary)"
    }
    return """
      Usage: frostglass COMMAND …

      Frosted glass, privacy blurs and backdrops from images.

      Commands:
      \(rows.joined(separator: "\n"))

      For example:
        frostglass blur photo.jpg blurred.jpg --sigma 20
        frostglass blur photo.jpg frosted.png --style light --scale 2
        frostglass blur photo.jpg glass.webp --filter "blur(20px) saturate(180%) tint(white, 0.3)"
        frostglass redact photo.jpg safe.jpg --regions faces.json

      `frostglass COMMAND --help` explains a command, `frostglass filters` lists all filters.
      """
  }
}

/// A subcommand: what it is called, what it takes, what it does.
protocol Command: SendableMetatype {
  static var name: String { get }
  /// One line for the overview.
  static var summary: String { get }
  /// The arguments that are not options, as help shows them.
  static var operands: String { get }
  /// A paragraph below the options in help.
  static var notes: String { get }
  static var options: [Option] { get }

  /// Checks the words, and reads a preset, regions and a mask that they name; touches no other
  /// image and no GPU.
  init(_ arguments: ParsedArguments) throws

  /// - Returns: the exit code.
  func run() async throws -> Int32
}

extension Command {
  static var notes: String { "" }
}

/// Ends the process on Ctrl-C and its like, without the files it had begun.
///
/// A thread of its own does this, since a signal handler may do next to nothing; the handler wakes
/// it through a pipe. Blocking the signals and waiting for them would not do: the task pool parks
/// the main thread with all signals unblocked.
enum Interruption {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  private static let ending = Mutex<(@Sendable () -> Void)?>(nil)
  private static let reloading = Mutex<(@Sendable () -> Void)?>(nil)
  private static let fatal = Mutex<Int32?>(nil)
  private static let lastWords = Mutex<(@Sendable () -> Void)?>(nil)

  /// The exit code that a shell is about to see; `nil` unless a signal is ending the process.
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
      var signal = nextEnding(reader)
      if let ending = ending.withLock({ $0 }) {
        ending()
        signal = nextEnding(reader)
      }
      end(signal, reader)
    }
    guard isHeard else {
      // Handlers without a listener would keep signals from ending the process.
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

  /// The next signal that is to end the process.
  private static func nextEnding(_ reader: Int32) -> Int32 {
    while true {
      let signal = next(reader)
      guard signal == SIGHUP, let reload = reloading.withLock({ $0 }) else { return signal }
      reload()
    }
  }

  /// Has SIGHUP call this from now on, under `nohup` too, and end nothing.
  static func onHangup(_ reload: @escaping @Sendable () -> Void) {
    reloading.withLock { $0 = reload }
    Glibc.signal(SIGHUP, noteSignal)
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

  private static func end(_ signal: Int32, _ reader: Int32) {
    fatal.withLock { $0 = signal }
    // A second signal ends the process at once, also between two renames or if the terminal
    // blocks.
    let isHeard = BackgroundThread.start {
      let second = next(reader)
      TemporaryFiles.ofProcess.removeAll(atOnce: true)
      die(of: second)
    }
    if !isHeard { for signal in signals { Glibc.signal(signal, SIG_DFL) } }
    TemporaryFiles.ofProcess.removeAll()
    lastWords.withLock { $0 }?()
    die(of: signal)
  }

  /// Dying of a signal, not exiting, tells a shell that its loop is meant too.
  private static func die(of signal: Int32) -> Never {
    Glibc.signal(signal, SIG_DFL)
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

/// The descriptor that the handler writes to. A plain number, set before there is a handler.
nonisolated(unsafe) private var wakeUp: Int32 = -1

private func noteSignal(_ signal: Int32) {
  let code = errno
  var number = UInt8(truncatingIfNeeded: signal)
  write(wakeUp, &number, 1)
  errno = code
}
