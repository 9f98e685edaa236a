internal import CGLib
internal import Frostglass
internal import FrostglassCore
internal import FrostglassGL
internal import FrostglassOptions
internal import FrostglassStills
internal import Glibc

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
  /// The names of options, by their letters, such as `-o`.
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

/// Options that several commands share.
extension Option {
  static let json = Option(
    "json", "Print a JSON report",
    details: "One object on standard output, for programs; the fields are in the JSON reference."
  ).grouped(.running)
  static let quiet = Option(
    "quiet", letter: "q", "Print errors only"
  ).grouped(.running)
  static let dryRun = Option(
    "dry-run", "Print what would be written, and write nothing",
    details: "Only the headers of inputs are read."
  ).grouped(.running)
  /// The options that set the output of commands that write images.
  static let manners: [Option] = [.json, .quiet, .dryRun]
}

extension ParsedArguments {
  /// Returns the backend that `--backend` and `--device` select, set up as the environment says.
  func backend() throws(Failure) -> BackendOptions {
    let chosen: BackendChoice =
      try choice("backend", default: values["device"] == nil ? .auto : .gl)
    var options = try gpuOptions(for: chosen)
    options.choice = chosen
    if options.devices != nil, options.choice != .gl { throw wrongBackend }
    return options
  }

  /// Returns the GPU options of the command line and the environment.
  ///
  /// - Parameter choice: the backend. For one on the CPU, only explicit settings count.
  func gpuOptions(for choice: BackendChoice = .gl) throws(Failure) -> BackendOptions {
    let mayBeGPU = choice == .auto || choice == .gl
    var options = mayBeGPU ? BackendOptions() : BackendOptions(onCPU: choice)
    options.devices = values["device"]
    if let devices = options.devices, devices.allSatisfy(\.isWhitespace) {
      throw .usage(
        "--device is empty; it must be a number or a part of a name from `frostglass doctor`")
    }
    if let stage = try stage() { options.gl.stage = stage }
    if let most = try bytes("gpu-memory") { options.gl.textureBytes = most }
    return options
  }

  /// The failure for a device that is named with a backend that has none.
  var wrongBackend: Failure {
    .usage(
      "--device and --backend \(values["backend"] ?? "") exclude each other; devices are for gl")
  }

  /// `FROSTGLASS_GL_STAGE`, for those who know better than a rule.
  private func stage() throws(Failure) -> GLOptions.Stage? {
    guard let text = getenv("FROSTGLASS_GL_STAGE").map({ String(cString: $0) }), !text.isEmpty
    else { return nil }
    guard let stage = GLOptions.Stage(named: text.lowercased()) else {
      throw .usage("FROSTGLASS_GL_STAGE is \(text); it must be one of \(GLOptions.Stage.words)")
    }
    return stage
  }
}

extension ParsedArguments {
  /// CPU workers: `--threads`, or one per core.
  func threads() throws(Failure) -> Int {
    try integer("threads", in: 1...1024) ?? ProcessorCores.count
  }

  /// Returns true if several inputs are given, each written under its own name.
  ///
  /// - Parameter options: those that only batches take.
  func isBatch(takes options: [String]) throws(Failure) -> Bool {
    guard !has("out-dir") else { return true }
    for option in options where has(option) {
      throw .usage("--\(option) is for batches; it needs --out-dir DIR")
    }
    return false
  }

  /// Returns true for a dry run, which only prints what would be written.
  ///
  /// - Parameter outputs: `-` is standard output.
  /// - Throws: `Failure` if images and JSON would both go to standard output.
  func isDryRun(writing outputs: some Sequence<String>) throws(Failure) -> Bool {
    if has("json"), outputs.contains("-") {
      throw .usage("--json and - as output exclude each other: both are standard output")
    }
    return has("dry-run")
  }
}

extension StillSource {
  /// `-` is standard input.
  init(operand: String) {
    self = operand == "-" ? .standardInput : .file(operand)
  }
}

extension StillSink {
  /// `-` is standard output.
  init(operand: String, overwrite: Bool) {
    self = operand == "-" ? .standardOutput : .file(operand, overwrite: overwrite)
  }
}

extension GLOptions.Stage {
  /// The values of `FROSTGLASS_GL_STAGE`, for messages.
  static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// Files that options of a command line name by their paths.
struct PathFiles: OptionFiles {
  func preset(_ value: String) throws(Failure) -> Preset {
    try mapped(\PresetError.failure, Preset(file: value))
  }

  func regions(_ value: String, _ format: RegionsFormat?) throws(Failure) -> RegionsFile {
    let isFolder = ImageWalk.isDirectory(value)
    if isFolder, format != nil {
      throw .usage("--regions-format is for files; \(value) is a folder of labels for YOLO")
    }
    return try mapped(
      \RegionsError.failure,
      isFolder ? RegionsFile(folder: value) : RegionsFile(file: value, as: format))
  }

  func mask(
    _ value: String, _ channel: MaskChannel, maxPixels: Int, maxMemory: Int?
  ) throws(Failure) -> MaskImage {
    try mapped(
      \FrostglassError.failure,
      MaskImage(file: value, channel, maxPixels: maxPixels, maxMemory: maxMemory))
  }
}

extension ParsedArguments {
  /// Options that name an additional output file.
  private static let sideFiles = ["audit", "difference", "report", "review", "save-preset"]
  /// Options that name a file which is read.
  private static let readFiles = ["from", "mask", "model", "preset", "regions", "tracks"]

  /// The files written next to the images, by the options that name them.
  var sidePlaces: [(option: String, place: FilePlace)] {
    Self.sideFiles.compactMap { option in values[option].map { (option, FilePlace($0)) } }
  }

  /// Additional input files, by option.
  var readPlaces: [(option: String, place: FilePlace)] {
    Self.readFiles.flatMap { option in
      (repeated[option] ?? []).filter { $0 != "-" }.map {
        (option: option, place: FilePlace($0))
      }
    }
  }

  /// Refuses outputs that coincide with additional input files.
  ///
  /// - Parameter outputs: `-` is standard output.
  func checkOutputs(_ outputs: some Sequence<String>) throws(Failure) {
    let read = readPlaces
    for output in outputs where output != "-" {
      let place = FilePlace(output)
      for (option, itsPlace) in read where itsPlace == place {
        throw .usage("OUTPUT is \(output), which --\(option) reads; take another file")
      }
    }
  }

  /// All files that are named, to be read or written, but what one option writes.
  func namedFiles(but option: String) -> [String] {
    let written = Self.sideFiles.filter { $0 != option }.compactMap { values[$0] }
    let read = Self.readFiles.flatMap { repeated[$0] ?? [] }
    return (operands + written + read).filter { $0 != "-" }
  }

  /// The files that `--also` names.
  var alsoFiles: [String] {
    get throws(Failure) {
      var files: [String] = []
      for text in repeated["also"] ?? [] {
        files.append(try RecipeOptions.parts(ofAlso: text).file)
      }
      return files
    }
  }

  /// The additional file that an option writes.
  ///
  /// - Throws: when it is one of the images that are named, a file that is read or another such file,
  ///   under any name, or no file.
  func sideFile(_ option: String) throws(Failure) -> String? {
    guard let path = values[option] else { return nil }
    guard !path.isEmpty, path != "-" else {
      throw .usage("--\(option) is \(path.isEmpty ? "empty" : path); it must be a file")
    }
    let place = FilePlace(path)
    for (other, itsPlace) in sidePlaces where other != option && itsPlace == place {
      throw .usage("--\(option) and --\(other) are both \(path); they need two names")
    }
    // A preset may be saved where it was read from.
    for other in Self.readFiles where (option, other) != ("save-preset", "preset") {
      for read in repeated[other] ?? [] where FilePlace(read) == place {
        throw .usage("--\(option) is \(path), which --\(other) reads; take another file")
      }
    }
    for picture in try operands + alsoFiles where picture != "-" {
      guard FilePlace(picture) != place else {
        throw .usage(
          "--\(option) is \(path), which is an image of this command; take another file")
      }
    }
    return path
  }
}

extension RecipeOptions {
  /// A further output of the same image; `--also`.
  static let also = Option(
    "also", value: "\"FILTERS -> FILE\"",
    "Write another output of the same image (repeatable)",
    details: "The input is decoded once for all outputs. They are published together: all or none."
  ).grouped(.writing)

  /// Returns the outputs of `--also`: they have other filters, and everything else is alike.
  func further(
    _ arguments: ParsedArguments, _ encoding: EncodeOptions, overwrite: Bool
  ) throws(Failure) -> [Job.Output] {
    var outputs: [Job.Output] = []
    for text in arguments.repeated["also"] ?? [] {
      outputs.append(try output(text, arguments, encoding, overwrite: overwrite))
    }
    return outputs
  }

  fileprivate static func parts(
    ofAlso text: String
  ) throws(Failure) -> (filters: String, file: String) {
    guard let arrow = text.indices.last(where: { text[$0...].hasPrefix("->") }) else {
      throw .usage(
        "--also is \(text); it must be filters, an arrow and a file: \"blur(8px) -> small.webp\"")
    }
    let file = trimmed(text[arrow...].dropFirst(2))
    guard !file.isEmpty else { throw .usage("--also is \(text); a file's name must follow ->") }
    return (trimmed(text[..<arrow]), file)
  }

  private func output(
    _ text: String, _ arguments: ParsedArguments, _ encoding: EncodeOptions, overwrite: Bool
  ) throws(Failure) -> Job.Output {
    let (filters, file) = try Self.parts(ofAlso: text)
    var recipe = recipe
    recipe.chain = filters.isEmpty ? [] : try arguments.filters(filters)
    return Job.Output(
      recipe, to: StillSink(operand: file, overwrite: overwrite), encoding: encoding)
  }
}
