internal import Frostglass
package import FrostglassOptions
package import FrostglassSigning
internal import Glibc

/// What an operator decides.
package struct ServerConfiguration: Sendable {
  package var listen = ListenAddress.tcp(host: "127.0.0.1", port: 8080)
  /// Processes that work; 0 does the work in the process that talks to clients.
  package var workers: Int?
  /// Orders that wait for a worker at most.
  package var queue = 64
  /// The longest body, in bytes.
  package var mostBytes = 32 << 20
  /// Bytes of all bodies together.
  package var buffer = 512 << 20
  /// What an order may take.
  package var limits = WorkLimits()
  package var connections = ConnectionLimits()
  /// The folder of the operator's pictures; `nil` for none.
  package var pictures: String?
  /// The folder of the operator's presets; `nil` for none.
  package var presets: String?
  /// Whether presets are all that is taken.
  package var presetsOnly = false
  /// What addresses are signed with; `nil` for no signatures.
  package var keys: SigningKeys?
  /// How long results of the operator's pictures may be kept.
  package var cacheSeconds = 3600
  /// Seconds between readiness that ends and connections that are taken no more.
  package var drainDelay = 0.0
  /// Whether each request is a line on standard error.
  package var logs = true

  package init() {}
}

/// Where decisions come from: flags, before the environment, before a file, before defaults.
extension ServerConfiguration {
  /// The rows of all decisions.
  package static let options: [Option] = [
    Option("listen", value: "WHERE", "HOST:PORT, unix:PATH or systemd (127.0.0.1:8080)"),
    Option("workers", value: "N", "Processes that work; 0: in this one (one per core)"),
    Option("queue", value: "N", "Requests that wait for a worker; more are refused (64)"),
    Option("max-body", value: "SIZE", "The longest body (32M)"),
    Option("buffer", value: "SIZE", "Bodies in memory together (512M)"),
    Option("max-pixels", value: "N", "Pixels of a picture, all frames together (50000000)"),
    Option("max-frames", value: "N", "Frames; of more, only the first is taken (1)"),
    Option("max-memory", value: "SIZE", "Memory that a picture may take (1G)"),
    Option("seconds", value: "N", "How long a request may wait and work (10)"),
    Option("connections", value: "N", "Connections that are served (256)"),
    Option("head-seconds", value: "N", "Until a request's head must be there (10)"),
    Option("body-seconds", value: "N", "Until a request's body must be there (60)"),
    Option("pictures", value: "DIR", "Serve pictures below DIR at /v1/pictures/"),
    Option("presets", value: "DIR", "Offer the presets in DIR by their names"),
    Option("presets-only", "Take presets and nothing else"),
    Option("keys", value: "FILE", "Take signed addresses only; see `frostglass sign --help`"),
    Option("cache-seconds", value: "N", "How long results of --pictures may be kept (3600)"),
    Option("drain-delay", value: "N", "Seconds from SIGTERM to the last connection taken (0)"),
    Option("log", value: "WHAT", "json: a line per request on standard error; none (json)"),
  ]

  /// What the environment calls an option.
  package static func variable(_ option: String) -> String {
    "FROSTGLASS_" + option.uppercased().replacing("-", with: "_")
  }

  /// - Parameters:
  ///   - flags: of the command line.
  ///   - environment: the value of a variable.
  ///   - file: the text of a file with `option = value` in lines, and comments after `#`.
  /// - Throws: `Failure` naming the option at fault, and where it comes from.
  package init(
    flags: ParsedArguments, environment: (String) -> String?, file: String? = nil
  ) throws(Failure) {
    var all = try Self.read(file ?? "", files: flags.files)
    for option in Self.options {
      if let value = environment(Self.variable(option.name)), !value.isEmpty {
        try all.set(option, value)
      }
      if let value = flags.values[option.name] {
        try all.set(option, option.value == nil ? "true" : value)
      }
    }
    try self.init(all)
    if let text = environment("FROSTGLASS_SIGNING_KEYS"), !text.isEmpty, keys == nil {
      keys = try Self.keys(text, "FROSTGLASS_SIGNING_KEYS")
    }
  }

  private init(_ all: ParsedArguments) throws(Failure) {
    if let text = all.values["listen"] {
      guard let address = ListenAddress(text: text) else {
        throw .usage("--listen is \(text); it must be HOST:PORT, unix:PATH or systemd")
      }
      listen = address
    }
    workers = try all.integer("workers", in: 0...1024)
    queue = try all.integer("queue", in: 0...100_000) ?? queue
    mostBytes = try all.bytes("max-body") ?? mostBytes
    buffer = try all.bytes("buffer") ?? buffer
    limits.maxPixels = try all.integer("max-pixels", in: 1...(.max)) ?? limits.maxPixels
    limits.maxFrames = try all.integer("max-frames", in: 1...100_000) ?? limits.maxFrames
    limits.maxMemory = try all.bytes("max-memory") ?? limits.maxMemory
    limits.seconds = try all.number("seconds", in: 0.1...3600) ?? limits.seconds
    connections.connections =
      try all.integer("connections", in: 1...100_000) ?? connections.connections
    connections.headSeconds =
      try all.integer("head-seconds", in: 1...3600) ?? connections.headSeconds
    connections.bodySeconds =
      try all.integer("body-seconds", in: 1...3600) ?? connections.bodySeconds
    pictures = all.values["pictures"]
    presets = all.values["presets"]
    presetsOnly = all.values["presets-only"] == "true"
    cacheSeconds = try all.integer("cache-seconds", in: 0...31_536_000) ?? cacheSeconds
    drainDelay = try all.number("drain-delay", in: 0...3600) ?? drainDelay
    switch all.values["log"] {
    case nil, "json": logs = true
    case "none": logs = false
    case let other?: throw .usage("--log is \(other); it must be json or none")
    }
    if let path = all.values["keys"] {
      keys = try Self.keys(try Self.text(of: path), path)
    }
    guard !presetsOnly || presets != nil else {
      throw .usage("--presets-only needs --presets DIR")
    }
  }

  /// Reads keys.
  ///
  /// - Parameter place: where they come from, for messages.
  package static func keys(_ text: String, _ place: String) throws(Failure) -> SigningKeys {
    do throws(SigningKeys.Malformed) { return try SigningKeys(text: text) } catch {
      throw Failure("\(place): \(error); a key is NAME:SECRET", .usage)
    }
  }

  /// A small file as text.
  package static func text(of path: String) throws(Failure) -> String {
    guard let file = fopen(path, "rb") else {
      throw Failure("\(path): cannot be read (\(String(cString: strerror(errno))))", .noInput)
    }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&bytes, 1, bytes.count, file)
    guard let text = String(validating: bytes[..<count], as: UTF8.self), count < bytes.count else {
      throw Failure("\(path): is no UTF-8 text, or has more than 64 KiB", .badData)
    }
    return text
  }

  private static func read(
    _ text: String, files: any OptionFiles
  ) throws(Failure) -> ParsedArguments {
    var all = ParsedArguments(files: files)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let words = line.prefix { $0 != "#" }.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false
      ).map { $0.trimmedOfSpace }
      guard words != [""], !words.isEmpty else { continue }
      guard words.count == 2, let option = options.first(where: { $0.name == words[0] }) else {
        throw .usage("line \(index + 1) of the configuration is not OPTION = VALUE")
      }
      try all.set(option, words[1])
    }
    return all
  }

  /// All decisions as a file that says the same; secrets are not in it.
  package var text: String {
    let rows: [(String, String?)] = [
      ("listen", "\(listen)"), ("workers", workers.map { "\($0)" }), ("queue", "\(queue)"),
      ("max-body", "\(mostBytes)"), ("buffer", "\(buffer)"),
      ("max-pixels", "\(limits.maxPixels)"), ("max-frames", "\(limits.maxFrames)"),
      ("max-memory", "\(limits.maxMemory)"), ("seconds", "\(limits.seconds)"),
      ("connections", "\(connections.connections)"),
      ("head-seconds", "\(connections.headSeconds)"),
      ("body-seconds", "\(connections.bodySeconds)"), ("pictures", pictures),
      ("presets", presets), ("presets-only", presetsOnly ? "true" : "false"),
      ("cache-seconds", "\(cacheSeconds)"), ("drain-delay", "\(drainDelay)"),
      ("log", logs ? "json" : "none"),
    ]
    let signing = keys.map { "# addresses are signed; the first key is \($0.first.id)\n" } ?? ""
    return rows.compactMap { name, value in value.map { "\(name) = \($0)\n" } }.joined() + signing
  }
}

extension ParsedArguments {
  /// - Throws: `Failure` where a switch is neither on nor off.
  fileprivate mutating func set(_ option: Option, _ value: String) throws(Failure) {
    guard option.value == nil else {
      values[option.name] = value
      return
    }
    switch value.lowercased() {
    case "true", "1", "yes", "on": values[option.name] = "true"
    case "false", "0", "no", "off": values[option.name] = nil
    default: throw .usage("\(option.name) is \(value); it must be true or false")
    }
  }
}

extension Substring {
  fileprivate var trimmedOfSpace: String {
    var text = self
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
