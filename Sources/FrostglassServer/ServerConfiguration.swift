package import Frostglass
internal import FrostglassCore
package import FrostglassOptions
package import FrostglassSigning

/// The operator's settings.
package struct ServerConfiguration: Sendable {
  package var listen = ListenAddress.tcp(host: "127.0.0.1", port: 8080)
  /// Worker processes; 0 does the work in the process that talks to clients, `nil` means one per core.
  package var workers: Int?
  /// Spare worker processes. After a crash, the next request need not wait until another has started.
  package var spareWorkers = 1
  /// Requests after which a worker is replaced: whatever one of them could do to it ends there.
  package var ordersPerWorker = 1000
  /// Bytes of memory that a worker may keep from one request to the next; one that keeps more for three
  /// is replaced.
  package var keptMemory = 384 << 20
  /// Bytes of memory that a worker may take; `nil` means twice what an image may, and 2 GiB at least.
  package var workerMemory: Int?
  /// The least that may be said of it. Stacks of threads count whole: with two cores a worker takes 111 MB
  /// before its first image. Where it takes more than it may, it says so when it starts.
  package static let leastWorkerMemory = 256 << 20
  /// Orders that wait for a worker at most.
  package var queue = 64
  /// The longest body, in bytes.
  package var mostBytes = 32 << 20
  /// Bytes of all bodies together.
  package var buffer = 512 << 20
  /// The limits of an order.
  package var limits = WorkLimits()
  package var connections = ConnectionLimits()
  /// The folder of the operator's images; `nil` for none.
  package var pictures: String?
  /// The named origins of images.
  package var origins: [Origin] = []
  /// The folder that images of other servers are kept in; `nil` for none.
  package var sourceCache: String?
  /// Bytes that may be kept there.
  package var sourceCacheBytes = 1 << 30
  /// The folder of the operator's presets; `nil` for none.
  package var presets: String?
  /// True if only presets are accepted.
  package var presetsOnly = false
  /// True if a page at `/` lets people try the service.
  package var hasPlayground = true
  /// The keys that addresses are signed with; `nil` for no signatures.
  package var keys: SigningKeys?
  /// The permissions of other sites' pages.
  package var crossOrigin = CrossOrigin()
  /// The file of an image in place of problems; `nil` for none.
  package var fallback: String?
  /// The status of answers with that image; `nil` for the problem's.
  package var fallbackStatus: Int?
  /// The time that caches may keep results of the operator's images, in seconds.
  package var cacheSeconds = 3600
  /// The time that caches may serve a stale answer while they revalidate it, in seconds.
  package var staleSeconds = 0
  /// True if the content at an address never changes.
  package var areResultsImmutable = false
  /// True if browsers are asked how large an image is shown (client hints).
  package var asksForHints = false
  /// The prefix of all paths, such as `/img`; empty for none.
  package var pathPrefix = ""
  /// Seconds between readiness that ends and connections that are taken no more.
  package var drainDelay = 0.0
  /// True if each request is logged as a line on standard error.
  package var logs = true
  /// True if those lines hold the requests' paths, without queries.
  package var logsPaths = false
  /// The backend; `nil` if none was chosen.
  package var backend: BackendChoice?
  /// GPUs by numbers or names; `nil` where none are named.
  package var devices: String?
  /// Bytes of textures at most; `nil` for no limit.
  package var gpuMemory: Int?

  package init() {}

  /// All places that images come from: the folder of the operator's images is one.
  package var allOrigins: [Origin] {
    origins + (pictures.map { [Origin(folder: $0, name: Origin.pictures)] } ?? [])
  }

  /// The same with what depends on the machine and on other decisions filled in.
  package var decided: ServerConfiguration {
    var all = self
    let workers = workers ?? ProcessorCores.count
    all.workers = workers
    if workers > 0 {
      all.workerMemory = workerMemory ?? max(2 << 30, 2 * limits.maxMemory)
    }
    // A worker's share of the cores for the longest duration of a request.
    let share = max(Double(ProcessorCores.count) / Double(max(workers, 1)), 1)
    let most = limits.maxWork ?? limits.seconds * share
    all.limits.maxWork = most
    all.connections.perClient = connections.mostPerClient
    all.limits.lightWork = limits.lightWork ?? min(most, limits.seconds) / 20
    return all
  }
}

/// A row of the table of all decisions: what it is called, how it is read, and how it is written down.
private struct Decision: Sendable {
  let option: Option
  /// Decides where something is said, and leaves the default otherwise.
  let read: @Sendable (inout ServerConfiguration, ParsedArguments) throws(Failure) -> Void
  /// `nil` for what is not written down.
  let text: @Sendable (ServerConfiguration) -> String?

  /// A whole number.
  static func count(
    _ name: String, _ help: String, in range: ClosedRange<Int>,
    _ place: any WritableKeyPath<ServerConfiguration, Int> & Sendable
  ) -> Decision {
    Decision(
      option: Option(
        name, value: "N", "\(help) (\(ServerConfiguration()[keyPath: place]))"),
      read: { all, said throws(Failure) in
        if let number = try said.integer(name, in: range) { all[keyPath: place] = number }
      },
      text: { "\($0[keyPath: place])" })
  }

  /// An amount of memory.
  static func size(
    _ name: String, _ help: String,
    _ place: any WritableKeyPath<ServerConfiguration, Int> & Sendable
  ) -> Decision {
    // As it would be typed: all defaults are whole mebibytes.
    let megabytes = ServerConfiguration()[keyPath: place] >> 20
    let usual = megabytes % 1024 == 0 ? "\(megabytes / 1024)G" : "\(megabytes)M"
    return Decision(
      option: Option(name, value: "SIZE", "\(help) (\(usual))"),
      read: { all, said throws(Failure) in
        if let bytes = try said.bytes(name) { all[keyPath: place] = bytes }
      },
      text: { "\($0[keyPath: place])" })
  }

  /// A number of seconds with a fraction.
  static func seconds(
    _ name: String, _ help: String, in range: ClosedRange<Double>,
    _ place: any WritableKeyPath<ServerConfiguration, Double> & Sendable
  ) -> Decision {
    Decision(
      option: Option(
        name, value: "N", "\(help) (\(Int(ServerConfiguration()[keyPath: place])))"),
      read: { all, said throws(Failure) in
        if let number = try said.number(name, in: range) { all[keyPath: place] = number }
      },
      text: { "\($0[keyPath: place])" })
  }

  /// Words with commas between them; none unless told.
  ///
  /// - Parameter known: a word as it is kept; `nil` for what there is not.
  static func list(
    _ name: String, value: String, _ help: String, _ kind: String,
    _ place: any WritableKeyPath<ServerConfiguration, [String]?> & Sendable,
    known: @escaping @Sendable (String) -> String?
  ) -> Decision {
    Decision(
      option: Option(name, value: value, help),
      read: { all, said throws(Failure) in
        guard let text = said.values[name] else { return }
        var words: [String] = []
        for word in text.split(separator: ",").map({ trimmed($0) }) where !word.isEmpty {
          guard let found = known(word) else {
            throw .usage("--\(name): there is no \(kind) \(word)")
          }
          words.append(found)
        }
        guard !words.isEmpty else { throw .usage("--\(name) names none; write one or more") }
        all[keyPath: place] = words
      },
      text: { $0[keyPath: place].map { $0.joined(separator: ",") } })
  }

  /// A folder; none unless told.
  static func folder(
    _ name: String, _ help: String,
    _ place: any WritableKeyPath<ServerConfiguration, String?> & Sendable
  ) -> Decision {
    Decision(
      option: Option(name, value: "DIR", help),
      read: { all, said in all[keyPath: place] = said.values[name] },
      text: { $0[keyPath: place] })
  }
}

extension ServerConfiguration {
  /// All decisions, in the order in which help lists them.
  private static let table: [Decision] = [
    Decision(
      option: Option("listen", value: "WHERE", "HOST:PORT, unix:PATH or systemd (127.0.0.1:8080)"),
      read: { all, said throws(Failure) in
        guard let text = said.values["listen"] else { return }
        guard let address = ListenAddress(text: text) else {
          throw .usage("--listen is \(text); it must be HOST:PORT, unix:PATH or systemd")
        }
        all.listen = address
      },
      text: { "\($0.listen)" }),
    Decision(
      option: Option("workers", value: "N", "Worker processes; 0: run in-process (one per core)"),
      read: { all, said throws(Failure) in
        all.workers = try said.integer("workers", in: 0...1024)
      },
      text: { $0.workers.map { "\($0)" } }),
    .count(
      "spare-workers", "Standby workers that replace crashed ones", in: 0...64, \.spareWorkers),
    .count(
      "worker-requests", "Requests after which a worker is replaced", in: 1...1_000_000_000,
      \.ordersPerWorker),
    .size("kept-memory", "Memory above which idle workers are replaced", \.keptMemory),
    Decision(
      option: Option(
        "worker-memory", value: "SIZE", "Memory limit of a worker (2G, or 2 × max-memory)"),
      read: { all, said throws(Failure) in
        all.workerMemory = try said.bytes("worker-memory")
        let least = ServerConfiguration.leastWorkerMemory
        if let bytes = all.workerMemory, bytes < least {
          throw .usage(
            "--worker-memory is \(said.values["worker-memory"] ?? ""); it must be \(least >> 20)M or "
              + "more, as a worker takes 100M and more before its first image")
        }
      },
      text: { $0.workerMemory.map { "\($0)" } }),
    .count("queue", "Requests that may wait for a worker", in: 0...100_000, \.queue),
    .size("max-body", "Largest request body", \.mostBytes),
    .size("buffer", "Memory for all request bodies", \.buffer),
    .count(
      "max-pixels", "Pixels of an image, all frames together", in: 1...(.max),
      \.limits.maxPixels),
    .count(
      "max-frames", "Frames of an animation; with more, the first is used", in: 1...100_000,
      \.limits.maxFrames),
    .size("max-memory", "Memory for one image", \.limits.maxMemory),
    .seconds(
      "seconds", "Deadline of a request in seconds", in: 0.1...3600, \.limits.seconds),
    Decision(
      option: Option(
        "max-work", value: "N", "Core-seconds per request (--seconds × cores per worker)"),
      read: { all, said throws(Failure) in
        if let number = try said.number("max-work", in: 0.001...1e6) { all.limits.maxWork = number }
      },
      text: { $0.limits.maxWork.map { "\($0)" } }),
    .count("max-regions", "Regions of a request", in: 1...100_000, \.limits.maxRegions),
    .count("max-filters", "Filters of a request", in: 1...1000, \.limits.maxFilters),
    .list(
      "filters", value: "NAMES", "Allow only these filters, such as blur,pixelate", "filter",
      \.limits.filters, known: { Catalog.filter(named: $0)?.name }),
    .list(
      "no-filters", value: "NAMES", "Refuse these filters, such as bilateral,lens", "filter",
      \.limits.refusedFilters, known: { Catalog.filter(named: $0)?.name }),
    .list(
      "formats", value: "EXTS", "Allow only these formats, such as jpg,webp,png", "format",
      \.limits.formats, known: { StillFormat(fileExtension: $0)?.fileExtension }),
    Decision(
      option: Option("find", "Offer face detection; needs frostglass-find; =off: do not")
        .thatCanBeOff,
      read: { all, said in all.limits.finds = said.values["find"] == "true" },
      text: { $0.limits.finds ? "true" : "false" }),
    .count(
      "connections", "Connections served at once", in: 1...100_000, \.connections.connections),
    Decision(
      option: Option(
        "client-connections", value: "N", "Connections served at once per client (half)"),
      read: { all, said throws(Failure) in
        if let count = try said.integer("client-connections", in: 1...100_000) {
          all.connections.perClient = count
        }
      },
      text: { $0.connections.perClient.map { "\($0)" } }),
    Decision(
      option: Option(
        "trusted-proxy", value: "NETS", "Trust X-Forwarded-For of proxies: 127.0.0.1,unix"),
      read: { all, said throws(Failure) in
        guard let text = said.values["trusted-proxy"] else { return }
        guard let proxies = TrustedProxies(text: text) else {
          throw .usage(
            "--trusted-proxy is \(text); it must be addresses, networks as 10.0.0.0/8, or unix")
        }
        all.connections.proxies = proxies
      },
      text: { $0.connections.proxies.text }),
    .count(
      "body-rate", "Minimum rate of a request body in bytes/s", in: 1...1_000_000_000,
      \.connections.bodyRate),
    .count(
      "head-seconds", "Seconds for a request's head to arrive", in: 1...3600,
      \.connections.headSeconds),
    .count(
      "body-seconds", "Seconds for a request's body to arrive", in: 1...3600,
      \.connections.bodySeconds),
    .count(
      "answer-seconds", "Seconds for a client to receive an answer", in: 1...3600,
      \.connections.answerSeconds),
    .folder("pictures", "Serve images below DIR at /v1/pictures/", \.pictures),
    Decision(
      option: Option(
        "origin", value: "NAME=WHERE",
        "Serve images of an origin as NAME (repeatable)",
        details: "An origin is a directory, or an https: or s3: address."
      ).thatCanRepeat,
      read: { all, said throws(Failure) in
        var origins: [Origin] = []
        for text in said.repeated["origin"] ?? [] {
          let origin = try Origin(text)
          guard !origins.contains(where: { $0.name == origin.name }) else {
            throw .usage("--origin \(origin.name) is given twice")
          }
          origins.append(origin)
        }
        all.origins = origins
      },
      text: { all in
        all.origins.isEmpty
          ? nil : all.origins.map { "\($0.name)=\($0.text)" }.joined(separator: "\n")
      }),
    .folder("source-cache", "Cache images of origins in DIR", \.sourceCache),
    .size("source-cache-size", "Largest size of the source cache", \.sourceCacheBytes),
    .folder("presets", "Offer the presets in DIR by name", \.presets),
    Decision(
      option: Option("presets-only", "Accept presets only; =off: accept anything").thatCanBeOff,
      read: { all, said in all.presetsOnly = said.values["presets-only"] == "true" },
      text: { $0.presetsOnly ? "true" : "false" }),
    Decision(
      option: Option(
        "playground", value: "WHAT",
        "on: playground at /; off: documentation there (on)"),
      read: { all, said throws(Failure) in
        switch said.values["playground"] {
        case nil, "on": all.hasPlayground = true
        case "off": all.hasPlayground = false
        case let other?: throw .usage("--playground is \(other); it must be on or off")
        }
      },
      text: { $0.hasPlayground ? "on" : "off" }),
    Decision(
      option: Option(
        "keys", value: "FILE", "Accept signed addresses only",
        details: "`frostglass sign` signs them."),
      read: { all, said throws(Failure) in
        guard let path = said.values["keys"] else { return }
        all.keys = try ServerConfiguration.keys(try ServerConfiguration.text(of: path), path)
      },
      // Secrets are not printed.
      text: { _ in nil }),
    Decision(
      option: Option(
        "cors", value: "ORIGINS", "Sites whose scripts may read answers; *: any"),
      read: { all, said throws(Failure) in
        guard let text = said.values["cors"] else { return }
        guard let origins = CrossOrigin.origins(text: text) else {
          throw .usage(
            "--cors is \(text); it must be *, or origins such as "
              + "https://a.example,http://localhost:3000")
        }
        all.crossOrigin.origins = origins
      },
      text: { $0.crossOrigin.origins.map { $0.joined(separator: ",") } }),
    Decision(
      option: Option(
        "resource-policy", value: "WHO", "Sites that may embed images (cross-origin)",
        choices: CrossOrigin.ResourcePolicy.allCases.map(\.rawValue)),
      read: { all, said throws(Failure) in
        all.crossOrigin.policy = try said.choice("resource-policy", default: .crossOrigin)
      },
      text: { $0.crossOrigin.policy.rawValue }),
    Decision(
      option: Option(
        "fallback", value: "FILE", "Answer failed requests for images with this image"),
      read: { all, said in all.fallback = said.values["fallback"] },
      text: { $0.fallback }),
    Decision(
      option: Option(
        "fallback-status", value: "N", "Status of answers with --fallback (the error's)"),
      read: { all, said throws(Failure) in
        all.fallbackStatus = try said.integer("fallback-status", in: 200...599)
      },
      text: { $0.fallbackStatus.map { "\($0)" } }),
    .count(
      "cache-seconds", "Cache lifetime of results in seconds", in: 0...31_536_000,
      \.cacheSeconds),
    .count(
      "stale-seconds", "Seconds of stale-while-revalidate after that", in: 0...31_536_000,
      \.staleSeconds),
    Decision(
      option: Option(
        "immutable", "Mark results as immutable for browsers; =off: do not"
      ).thatCanBeOff,
      read: { all, said in all.areResultsImmutable = said.values["immutable"] == "true" },
      text: { $0.areResultsImmutable ? "true" : "false" }),
    Decision(
      option: Option(
        "client-hints", "Request client hints (width, DPR); =off: do not"
      ).thatCanBeOff,
      read: { all, said in all.asksForHints = said.values["client-hints"] == "true" },
      text: { $0.asksForHints ? "true" : "false" }),
    Decision(
      option: Option("path-prefix", value: "PATH", "Prefix of all paths, such as /img"),
      read: { all, said throws(Failure) in
        guard let text = said.values["path-prefix"] else { return }
        guard let prefix = Routing.prefix(text) else {
          throw .usage(
            "--path-prefix is \(text); it must be a path such as /img, of letters, digits and -._~/"
          )
        }
        all.pathPrefix = prefix
      },
      text: { $0.pathPrefix.isEmpty ? nil : $0.pathPrefix }),
    .seconds(
      "drain-delay", "Seconds after SIGTERM until connections are refused", in: 0...3600,
      \.drainDelay),
    Decision(
      option: Option(
        "log", value: "WHAT", "Request log: json, paths or none (json)",
        details: "paths: like json, with the paths of requests."),
      read: { all, said throws(Failure) in
        switch said.values["log"] {
        case nil, "json": all.logs = true
        case "paths": (all.logs, all.logsPaths) = (true, true)
        case "none": all.logs = false
        case let other?: throw .usage("--log is \(other); it must be json, paths or none")
        }
      },
      text: { $0.logsPaths ? "paths" : $0.logs ? "json" : "none" }),
    Decision(
      option: .backend,
      read: { all, said throws(Failure) in
        all.backend = said.has("backend") ? try said.choice("backend", default: .auto) : nil
      },
      text: { $0.backend?.rawValue }),
    Decision(
      option: .device,
      read: { all, said in all.devices = said.values["device"] },
      text: { $0.devices }),
    Decision(
      option: .gpuMemory,
      read: { all, said throws(Failure) in all.gpuMemory = try said.bytes("gpu-memory") },
      text: { $0.gpuMemory.map { "\($0)" } }),
  ]

  /// The options that set them.
  package static let options: [Option] = table.map(\.option)
}

/// Sources of settings, by precedence: flags, the environment, a file, defaults.
extension ServerConfiguration {
  /// Returns the environment variable of an option.
  package static func variable(_ option: String) -> String {
    "FROSTGLASS_" + option.uppercased().replacing("-", with: "_")
  }

  /// - Parameters:
  ///   - flags: the command line's flags.
  ///   - environment: the value of a variable.
  ///   - file: the text of a file with `option = value` in lines; `#` begins a comment where a line
  ///     begins or behind white space, as paths may have one.
  /// - Throws: `Failure` naming the option at fault, and where it comes from.
  package init(
    flags: ParsedArguments, environment: (String) -> String?, file: String? = nil
  ) throws(Failure) {
    var all = try Self.read(file ?? "", files: flags.files)
    for option in Self.options {
      let variable = Self.variable(option.name)
      if let value = environment(variable), !value.isEmpty {
        all.forget(option)
        // Repeatable options have one value per line.
        let values =
          option.canRepeat ? value.split(whereSeparator: \.isNewline).map { trimmed($0) } : [value]
        for value in values where !value.isEmpty { try all.set(option, value, at: variable) }
      }
      if let values = flags.repeated[option.name], option.canRepeat {
        all.forget(option)
        for value in values { try all.set(option, value, at: nil) }
      } else if let value = flags.values[option.name] {
        try all.set(option, option.value == nil && value.isEmpty ? "true" : value, at: nil)
      }
    }
    try self.init(all)
    // Overrides the file's `keys`, but not --keys or its variable.
    let isNamed =
      flags.values["keys"] != nil || environment(Self.variable("keys"))?.isEmpty == false
    if !isNamed, let text = environment("FROSTGLASS_SIGNING_KEYS"), !text.isEmpty {
      keys = try Self.keys(text, "FROSTGLASS_SIGNING_KEYS")
    }
  }

  private init(_ said: GivenSettings) throws(Failure) {
    for decision in Self.table {
      do { try decision.read(&self, said.arguments) } catch {
        throw said.failure(error, about: decision.option)
      }
    }
    guard pictures == nil || !origins.contains(where: { $0.name == Origin.pictures }) else {
      throw .usage(
        "--pictures is the origin \(Origin.pictures), which --origin gives too; leave one out")
    }
    guard !presetsOnly || presets != nil else {
      throw .usage("--presets-only needs --presets DIR")
    }
  }

  /// Reads keys.
  ///
  /// - Parameter place: their source, for messages.
  package static func keys(_ text: String, _ place: String) throws(Failure) -> SigningKeys {
    let keys: SigningKeys
    do { keys = try SigningKeys(text: text) } catch {
      throw Failure("\(place): \(error); a key is NAME:SECRET", .usage)
    }
    let known = Operation.allCases.map(\.rawValue)
    for key in keys.all {
      for name in key.operations ?? [] where !known.contains(name) {
        throw Failure(
          "\(place): key \(key.id) is for the operation \(name); there are "
            + known.joined(separator: ", "), .usage)
      }
    }
    return keys
  }

  /// A small file as text.
  package static func text(of path: String) throws(Failure) -> String {
    let bytes: [UInt8]
    do { bytes = try bytesOfFile(path, most: 1 << 16) } catch {
      switch error {
      case .system: throw Failure("\(path): cannot be read (\(error.words))", .noInput)
      case .tooLarge: throw Failure("\(path): has more than 64 KiB", .badData)
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure("\(path): is no UTF-8 text", .badData)
    }
    return text
  }

  private static func read(_ text: String, files: any OptionFiles) throws(Failure) -> GivenSettings
  {
    var all = GivenSettings(arguments: ParsedArguments(files: files))
    // Accept CRLF line ends.
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let place = "line \(index + 1) of the configuration"
      let words = withoutComment(line).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false
      ).map { trimmed($0) }
      guard words != [""], !words.isEmpty else { continue }
      guard words.count == 2 else { throw .usage("\(place) is not OPTION = VALUE") }
      let name = words[0]
      guard let option = options.first(where: { $0.name == name }) else {
        throw .usage(
          "\(place): there is no option \(name)"
            + DidYouMean.hint(for: name, in: options.map(\.name)))
      }
      try all.set(option, words[1], at: place)
    }
    return all
  }

  private static func withoutComment(_ line: Substring) -> Substring {
    var before: Character = " "
    let end = line.firstIndex { sign in
      defer { before = sign }
      return sign == "#" && before.isWhitespace
    }
    return line[..<(end ?? line.endIndex)]
  }

  /// Returns the values of some options, in command-line form.
  package func values(of options: [Option]) -> [String: String] {
    var values: [String: String] = [:]
    for decision in Self.table where options.contains(where: { $0.name == decision.option.name }) {
      values[decision.option.name] = decision.text(self)
    }
    return values
  }

  /// All decisions as a file that says the same; secrets are not in it.
  package var text: String {
    let lines = Self.table.compactMap { decision in
      decision.text(self).map { text in
        text.split(separator: "\n").map { "\(decision.option.name) = \($0)\n" }.joined()
      }
    }
    let signing = keys.map { "# addresses are signed; the first key is \($0.first.id)\n" } ?? ""
    return lines.joined() + signing
  }
}

/// Settings as they were given, with their sources.
private struct GivenSettings {
  var arguments: ParsedArguments
  /// Variables, and lines of the file; nothing for the command line, which is before one's eyes.
  private var places: [String: String] = [:]

  init(arguments: ParsedArguments) { self.arguments = arguments }

  /// - Throws: `Failure` where a switch is neither on nor off.
  mutating func set(_ option: Option, _ value: String, at place: String?) throws(Failure) {
    places[option.name] = place
    guard option.value == nil else {
      if option.canRepeat {
        arguments.add(option.name, value)
      } else {
        arguments.values[option.name] = value
      }
      return
    }
    switch value.lowercased() {
    case "true", "1", "yes", "on": arguments.values[option.name] = "true"
    case "false", "0", "no", "off": arguments.values[option.name] = nil
    default:
      throw failure(
        .usage("--\(option.name) is \(value); it must be true or false"), about: option)
    }
  }

  /// Drops what was said of an option farther away.
  mutating func forget(_ option: Option) {
    (arguments.values[option.name], arguments.repeated[option.name]) = (nil, nil)
  }

  /// The same with where the option was said.
  func failure(_ failure: Failure, about option: Option) -> Failure {
    guard let place = places[option.name] else { return failure }
    return Failure("\(place): \(failure.message)", failure.kind)
  }
}
