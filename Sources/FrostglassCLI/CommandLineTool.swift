package import Frostglass
internal import FrostglassCore
internal import FrostglassGL
internal import FrostglassServer
internal import FrostglassOptions
internal import Glibc

/// The `frostglass` command: finds the subcommand, runs it, turns errors into words and exit codes.
package enum CommandLineTool {
  /// What reads and writes films, in the program that has it.
  @TaskLocal static var films: (any FilmFiles)?

  /// Runs what the words of the process ask for, and ends it.
  ///
  /// - Parameter films: reads and writes films; without it another program is started for them.
  @MainActor package static func main(films: (any FilmFiles)? = nil) async -> Never {
    let words = words.map { String(systemPath: $0) }
    let status: Int32
    if words.first == ConfinedChild.word {
      // What the service starts; no command for people. Nothing may be waited for before: that would start
      // threads that it is not to have.
      status = ConfinedChild.run(Array(words.dropFirst()))
    } else {
      status = await $films.withValue(films) { await run(words) }
    }
    // Not left to exit handlers: those of a driver may come before and free what a thread still uses.
    GLThreads.end()
    exit(status)
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
    TracksCommand.self, SceneCommand.self, ServeCommand.self, SignCommand.self, PlanCommand.self,
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
    // What else went wrong counts for more.
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
    do throws(Failure) {
      let parsed = try OptionParser(command).parse(arguments)
      if parsed.has("quiet") {
        guard !parsed.has("json") else {
          throw .usage("--quiet and --json exclude each other; with --json nothing else is said")
        }
        Console.speak(.quiet)
      }
      if parsed.has("help") {
        Console.print(help(of: command))
        return ExitCode.done
      }
      let work = try command.init(parsed)
      Interruption.watch()
      return try await work.run()
    } catch {
      Console.report(error, of: command.name)
      return error.exitCode
    }
  }

  private static func help(about word: String?) -> Int32 {
    guard let word else {
      Console.print(overview)
      return ExitCode.done
    }
    guard let command = commands.first(where: { $0.name == word }) else { return unknown(word) }
    Console.print(help(of: command))
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
  /// picture and no GPU.
  init(_ arguments: ParsedArguments) throws(Failure)

  /// - Returns: the exit code.
  func run() async throws(Failure) -> Int32
}

extension Command {
  static var notes: String { "" }
}
