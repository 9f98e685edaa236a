internal import CGLib
internal import Frostglass
internal import FrostglassOptions

extension Option {
  static let forHelp = Option("help", letter: "h", "Show this help")
}

/// Reads a command line by its option table, with GLib's parser.
struct OptionParser {
  private let command: any Command.Type
  private let options: [Option]

  init(_ command: any Command.Type) {
    self.command = command
    options = command.options + [.forHelp]
  }

  /// - Throws: `Failure` with exit code 64, naming the option at fault.
  func parse(_ arguments: [String]) throws(Failure) -> ParsedArguments {
    let collector = Collector(options)
    let context = Context(command, options, collector)
    let words = ([command.name] + arguments).map { strdup($0.systemPath) } + [nil]
    defer { for word in words { free(word) } }
    // GLib takes out of the vector what it has understood and leaves the rest.
    var originals = words
    var error: UnsafeMutablePointer<GError>?
    let understood = originals.withUnsafeMutableBufferPointer { buffer -> Bool in
      var count = gint(buffer.count - 1)
      var vector = buffer.baseAddress
      let done = g_option_context_parse(context.pointer, &count, &vector, &error) != 0
      collector.arguments.operands = (1..<max(Int(count), 1)).compactMap { index in
        vector?[index].map { String(systemPath: $0) }
      }
      return done
    }
    guard understood else {
      defer { g_error_free(error) }
      throw .usage(message(for: error, arguments))
    }
    // What separates options from operands is no operand.
    if let separator = collector.arguments.operands.firstIndex(of: "--") {
      collector.arguments.operands.remove(at: separator)
    }
    // GLib takes `--strip=yes` for `--strip`.
    let written = arguments.prefix { $0 != "--" }
    for option in options where option.value == nil && !option.canBeOff {
      if let word = written.first(where: { $0.hasPrefix("--\(option.name)=") }) {
        throw .usage("\(word): --\(option.name) takes no value")
      }
    }
    return collector.arguments
  }

  private func message(
    for error: UnsafeMutablePointer<GError>?, _ arguments: [String]
  ) -> String {
    let text = error.map { String(systemPath: $0.pointee.message) } ?? "the options cannot be read"
    let unknown = arguments.first { word in
      word.hasPrefix("--") && word.count > 2
        && !options.contains { word == "--\($0.name)" || word.hasPrefix("--\($0.name)=") }
    }
    guard let unknown, text.contains(unknown) else {
      let file = arguments.first { $0.hasPrefix("-") && !$0.hasPrefix("--") && text.contains($0) }
      if let file, file.count > 2 {
        return "there is no option \(file); a file of that name is given as ./\(file)"
      }
      return "\(text); see `frostglass \(command.name) --help`"
    }
    let name = String(unknown.dropFirst(2).prefix { $0 != "=" })
    let hint = DidYouMean.nearest(to: name, in: options.map(\.name)).map {
      "; did you mean --\($0)?"
    }
    return "there is no option --\(name)"
      + (hint ?? "; see `frostglass \(command.name) --help`")
  }
}

/// Takes what GLib's parser finds.
private final class Collector {
  var arguments = ParsedArguments(files: PathFiles())
  /// What options are called whose letter was written.
  private let names: [String: String]

  init(_ options: [Option]) {
    names = Dictionary(
      uniqueKeysWithValues: options.compactMap { option in
        option.letter.map { ("-\($0)", option.name) }
      })
  }

  func take(_ written: String, _ value: String) {
    let name = names[written] ?? String(written.dropFirst(2))
    arguments.add(name, value)
  }
}

/// A GLib option context made from a table.
private final class Context {
  let pointer: OpaquePointer?
  private var entries: [GOptionEntry] = []
  private var texts: [UnsafeMutablePointer<CChar>?] = []

  init(_ command: any Command.Type, _ options: [Option], _ collector: Collector) {
    pointer = g_option_context_new(command.operands)
    g_set_prgname("frostglass \(command.name)")
    g_option_context_set_help_enabled(pointer, 0)
    // The collector outlives the context in both uses.
    let group = g_option_group_new(
      "main", "", "", Unmanaged.passUnretained(collector).toOpaque(), nil)
    entries = options.map { entry($0) } + [GOptionEntry()]
    g_option_group_add_entries(group, &entries)
    g_option_context_set_main_group(pointer, group)
  }

  deinit {
    g_option_context_free(pointer)
    for text in texts { free(text) }
  }

  private func entry(_ option: Option) -> GOptionEntry {
    var flags = Int32(G_OPTION_FLAG_FILENAME.rawValue)
    if option.value == nil {
      flags = Int32((option.canBeOff ? G_OPTION_FLAG_OPTIONAL_ARG : G_OPTION_FLAG_NO_ARG).rawValue)
    }
    return GOptionEntry(
      long_name: text(option.name),
      short_name: option.letter?.asciiValue.map { CChar($0) } ?? 0, flags: flags,
      arg: G_OPTION_ARG_CALLBACK, arg_data: unsafeBitCast(collect, to: gpointer.self),
      description: nil, arg_description: option.value.flatMap { text($0) })
  }

  private func text(_ string: String) -> UnsafePointer<CChar>? {
    let copy = strdup(string)
    texts.append(copy)
    return copy.map { UnsafePointer($0) }
  }
}

/// GLib's callback for one option found: name as written, value, and the collector.
private let collect:
  @convention(c) (
    UnsafePointer<gchar>?, UnsafePointer<gchar>?, gpointer?,
    UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
  ) -> gboolean = { name, value, data, _ in
    guard let name, let data else { return 0 }
    let collector = Unmanaged<Collector>.fromOpaque(data).takeUnretainedValue()
    collector.take(String(cString: name), value.map { String(systemPath: $0) } ?? "")
    return 1
  }
