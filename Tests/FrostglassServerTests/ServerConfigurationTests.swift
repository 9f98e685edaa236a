import FrostglassStills
import FrostglassSigning
import FrostglassOptions
import FrostglassServer
import Frostglass
import FrostglassCore
import Glibc
import TestSupport
import Testing

@Suite struct ServerConfigurationTests {
  private struct NoFiles: OptionFiles {
    func preset(_ value: String) throws(Failure) -> Preset { throw .usage("no file") }
    func regions(_ value: String, _ format: RegionsFormat?) throws(Failure) -> RegionsFile {
      throw .usage("no file")
    }
    func mask(
      _ value: String, _ channel: MaskChannel, maxPixels: Int, maxMemory: Int?
    ) throws(Failure) -> MaskImage { throw .usage("no file") }
  }

  private func configuration(
    _ flags: [String: String] = [:], _ environment: [String: String] = [:], _ file: String? = nil
  ) throws -> ServerConfiguration {
    var arguments = ParsedArguments(files: NoFiles())
    for (name, value) in flags { arguments.add(name, value) }
    return try ServerConfiguration(
      flags: arguments, environment: { environment[$0] }, file: file)
  }

  @Test func flagsComeBeforeTheEnvironmentAndThatBeforeTheFile() throws {
    let file = "queue = 1 # places\n\n# nothing\nmax-body=1K\npresets-only = no\n"
    #expect(try configuration([:], [:], file).queue == 1)
    #expect(try configuration([:], [:], file).mostBytes == 1024)
    #expect(try configuration([:], ["FROSTGLASS_QUEUE": "2"], file).queue == 2)
    #expect(try configuration(["queue": "3"], ["FROSTGLASS_QUEUE": "2"], file).queue == 3)
    #expect(try configuration().queue == 64)
  }

  /// A switch that is on in the environment or the file is off where it is said nearer.
  @Test func switchesAreTurnedOff() throws {
    let presets = ["presets": "/presets"]
    let on = ["FROSTGLASS_PRESETS_ONLY": "1"]
    #expect(try configuration(presets, on).presetsOnly)
    #expect(try configuration(presets.merging(["presets-only": ""]) { $1 }).presetsOnly)
    for word in ["off", "no", "false", "0"] {
      let flags = presets.merging(["presets-only": word]) { $1 }
      #expect(try !configuration(flags, on).presetsOnly, "\(word)")
      #expect(try !configuration(flags, [:], "presets-only = on").presetsOnly, "\(word)")
    }
    #expect(
      try !configuration(presets, ["FROSTGLASS_PRESETS_ONLY": "no"], "presets-only=1").presetsOnly)
  }

  @Test func whatIsPrintedSaysTheSame() throws {
    let first = try configuration(
      ["listen": "[::1]:0", "seconds": "2.5", "pictures": "/srv", "log": "none", "workers": "3"])
    let second = try configuration([:], [:], first.text)
    #expect(second.text == first.text)
    #expect(first.text.contains("listen = [::1]:0\n"))
    let names = Set(ServerConfiguration.options.map(\.name)).subtracting(["keys"])
    var full = first
    full.presets = "/presets"
    full.workerMemory = 1 << 30
    full.sourceCache = "/cache"
    full.origins = [try Origin("a=/a"), try Origin("b=https://b.example/?seconds=3")]
    full.limits.maxWork = 20
    full.pathPrefix = "/img"
    full.limits.filters = ["blur"]
    full.limits.refusedFilters = ["lens"]
    full.limits.formats = ["jpg"]
    full.connections.perClient = 3
    full.crossOrigin.origins = ["*"]
    (full.fallback, full.fallbackStatus) = ("/a.png", 200)
    full.connections.proxies = try #require(TrustedProxies(text: "unix"))
    (full.backend, full.devices, full.gpuMemory) = (.gl, "0", 1 << 29)
    for name in names { #expect(full.text.contains("\n\(name) = ") || full.text.hasPrefix(name)) }
  }

  /// Settings that depend on the machine and on other settings are printed with their final values.
  @Test func derivedDecisionsAreSaid() throws {
    let decided = try configuration(["max-memory": "3G", "workers": "1"]).decided
    #expect(decided.workers == 1 && decided.workerMemory == 6 << 30)
    #expect(decided.text.contains("\nworker-memory = \(6 << 30)\n"))
    let most = try #require(decided.limits.maxWork)
    #expect(most >= 10 && decided.limits.lightWork == 0.5)
    #expect(decided.text.contains("\nmax-work = \(most)\n"))
    let many = try configuration(["workers": "1024", "seconds": "4"]).decided
    #expect(many.limits.maxWork == 4 && many.limits.lightWork == 0.2)
    #expect(try configuration().decided.workers ?? 0 > 0)
    #expect(try configuration(["max-work": "1.5"]).decided.limits.maxWork == 1.5)
  }

  @Test func originsAreAListEverywhere() throws {
    let file = "origin = a=/a b\norigin = b=https://b.example/?seconds=3 # images\n"
    let all = try configuration([:], [:], file)
    #expect(all.origins.map(\.name) == ["a", "b"] && all.origins[0].text == "/a b")
    #expect(try configuration([:], [:], all.text).text == all.text)
    let variable = ["FROSTGLASS_ORIGIN": "c=/c\n d=/d\n"]
    #expect(try configuration([:], variable, file).origins.map(\.name) == ["c", "d"])
    #expect(try configuration(["origin": "e=/e"], variable, file).origins.map(\.name) == ["e"])
    #expect(
      message([:], "origin = a=/a\norigin = a=/b")?.contains("--origin a is given twice") == true)
    #expect(
      message(["FROSTGLASS_PICTURES": "/p"], "origin = pictures=/a")?.contains("leave one out")
        == true)
    #expect(try configuration(["pictures": "/p"]).allOrigins.map(\.name) == ["pictures"])
  }

  @Test func listsNameWhatThereIs() throws {
    let all = try configuration([
      "filters": "blur, pixelate", "no-filters": "lens", "formats": "jpeg,heif",
    ]).limits
    #expect(all.filters == ["blur", "pixelate"] && all.refusedFilters == ["lens"])
    #expect(all.formats == ["jpg", "heic"])
    #expect(message([:], "filters = blr")?.contains("--filters: there is no filter blr") == true)
    #expect(message([:], "formats = svg")?.contains("--formats: there is no format svg") == true)
    #expect(message([:], "formats = ,")?.contains("names none") == true)
  }

  /// A container has variables and a mounted file, and no command line of its own.
  @Test func whatComputesIsSaidAnywhere() throws {
    let options: [Option] = [.backend, .device, .gpuMemory]
    let file = "backend = gl\ndevice = nvidia, 1 # the second\ngpu-memory = 512M\n"
    let all = try configuration(["device": "0"], ["FROSTGLASS_GPU_MEMORY": "1G"], file)
    #expect(all.backend == .gl && all.devices == "0" && all.gpuMemory == 1 << 30)
    #expect(
      all.values(of: options) == ["backend": "gl", "device": "0", "gpu-memory": "1073741824"])
    #expect(try configuration([:], [:], all.text).text == all.text)
    #expect(try configuration([:], [:], file).devices == "nvidia, 1")
    #expect(try configuration().values(of: options) == [:])
    #expect(
      message(["FROSTGLASS_BACKEND": "gpu"])?
        .hasPrefix("FROSTGLASS_BACKEND: --backend is gpu; it must be one of auto, gl") == true)
    #expect(
      message([:], "gpu-memory = much")?
        .hasPrefix("line 1 of the configuration: --gpu-memory is much;") == true)
  }

  /// Help says what is decided where nothing is said.
  @Test func defaultsAreInTheHelp() {
    for (name, usual) in [
      ("max-body", "(32M)"), ("max-memory", "(1G)"), ("queue", "(64)"), ("seconds", "(10)"),
      ("spare-workers", "(1)"), ("worker-requests", "(1000)"), ("kept-memory", "(384M)"),
    ] {
      let option = ServerConfiguration.options.first { $0.name == name }
      #expect(option?.help.hasSuffix(usual) == true, "\(name)")
    }
  }

  @Test func keysComeFromTheNearestPlace() throws {
    let folder = try Folder()
    for id in ["flag", "file"] { try folder.write(id, "\(id):0123456789abcdef") }
    let file = "keys = \(folder.path)/file\n"
    let secret = ["FROSTGLASS_SIGNING_KEYS": "variable:0123456789abcdef"]
    #expect(try configuration([:], [:], file).keys?.first.id == "file")
    #expect(try configuration([:], secret, file).keys?.first.id == "variable")
    #expect(
      try configuration(["keys": "\(folder.path)/flag"], secret, file).keys?.first.id == "flag")
  }

  @Test func secretsAreNotPrinted() throws {
    let signed = try configuration(
      [:], ["FROSTGLASS_SIGNING_KEYS": "k:0123456789abcdef,old:0123456789abcdef"])
    #expect(signed.keys?.first.id == "k")
    #expect(!signed.text.contains("0123456789abcdef"))
  }

  @Test(
    arguments: [
      ["listen": "here"], ["listen": "1.2.3.4"], ["listen": "a:b"], ["listen": "1.2.3.4:65536"],
      ["listen": "unix:"], ["queue": "-1"], ["seconds": "0"], ["max-body": "x"], ["log": "xml"],
      ["presets-only": ""], ["keys": "/nowhere"], ["max-frames": "0"], ["worker-requests": "0"],
      ["spare-workers": "65"], ["kept-memory": "-1"], ["worker-memory": "much"],
      ["worker-memory": "1M"], ["worker-memory": "268435455"],
    ]) func nonsenseIsRefused(_ flags: [String: String])
  {
    #expect(throws: Failure.self) { try configuration(flags) }
  }

  @Test func filesHaveLinesOfOptions() {
    for file in ["queue", "nothing = 1", "queue = x", "presets-only = maybe"] {
      #expect(throws: Failure.self, "\(file)") { try configuration([:], [:], file) }
    }
  }

  private func message(_ environment: [String: String] = [:], _ file: String? = nil) -> String? {
    do {
      _ = try configuration([:], environment, file)
      return nil
    } catch { return (error as? Failure)?.message }
  }

  @Test func aMistakeSaysWhereItIs() throws {
    #expect(
      message([:], "\nmax-bdy = 32M")
        == "line 2 of the configuration: there is no option max-bdy (did you mean max-body?)")
    #expect(message([:], "queue\n") == "line 1 of the configuration is not OPTION = VALUE")
    #expect(
      message([:], "# a\nqueue = abc")?
        .hasPrefix("line 2 of the configuration: --queue is abc; it must be ") == true)
    #expect(
      message([:], "presets-only = maybe")
        == "line 1 of the configuration: --presets-only is maybe; it must be true or false")
    #expect(
      message(["FROSTGLASS_QUEUE": "abc"], "queue = 5")?
        .hasPrefix("FROSTGLASS_QUEUE: --queue is abc; it must be ") == true)
    // What is said nearer is what counts, and what is at fault.
    #expect(message(["FROSTGLASS_QUEUE": "6"], "queue = abc") == nil)
    let failure = #expect(throws: Failure.self) {
      try configuration(["queue": "abc"], ["FROSTGLASS_QUEUE": "6"])
    }
    #expect(failure?.message.hasPrefix("--queue is abc; ") == true)
  }

  /// A memory limit too low for workers is an error before one is started.
  @Test func workersGetWhatTheyNeed() throws {
    let needed = "--worker-memory is 1M; it must be 256M or more"
    #expect(message([:], "worker-memory = 1M")?.contains(needed) == true)
    #expect(message(["FROSTGLASS_WORKER_MEMORY": "1M"])?.contains(needed) == true)
    #expect(try configuration(["worker-memory": "256M"]).workerMemory == 256 << 20)
    #expect(ServerConfiguration.leastWorkerMemory == 256 << 20)
  }

  @Test func misspelledVariablesAreToldOf() {
    let misspelled = [
      "FROSTGLASS_PRESET_ONLY": "1", "FROSTGLASS_MAX_BODI": "3", "FROSTGLASS_PORT": "8080",
    ]
    let known = [
      "FROSTGLASS_MAX_BODY": "3", "FROSTGLASS_CONFIG": "a", "FROSTGLASS_SIGNING_KEYS": "",
      "FROSTGLASS_CACHE_DIR": "", "PATH": "/bin",
    ]
    let warnings = ServerConfiguration.warnings(of: misspelled.merging(known) { $1 })
    #expect(warnings.count == 3, "\(warnings)")
    for (warning, ending) in zip(warnings, ["MAX_BODY?)", "LISTEN?)", "PRESETS_ONLY?)"]) {
      #expect(warning.hasSuffix("FROSTGLASS_" + ending), "\(warning)")
    }
    #expect(ServerConfiguration.warnings(of: known).isEmpty)
  }

  /// Variables that Kubernetes sets for a service of this name are no mistakes.
  @Test func variablesOfKubernetesAreNoMistakes() {
    let warnings = ServerConfiguration.warnings(of: [
      "FROSTGLASS_SERVICE_HOST": "10.0.0.1", "FROSTGLASS_SERVICE_PORT": "80",
      "FROSTGLASS_SERVICE_PORT_HTTP": "80", "FROSTGLASS_PORT": "tcp://10.0.0.1:80",
      "FROSTGLASS_PORT_80_TCP": "tcp://10.0.0.1:80", "FROSTGLASS_PORT_80_TCP_ADDR": "10.0.0.1",
    ])
    #expect(warnings.isEmpty, "\(warnings)")
  }

  @Test func everyVariableThatIsReadIsKnown() {
    let sources = Files.paths(below: "\(Files.root)/Sources", ending: ".swift")
      .compactMap { Files.text(of: $0) }.joined()
    let names = Set(
      sources.split(separator: "(\"FROSTGLASS_", omittingEmptySubsequences: false).dropFirst()
        .map { "FROSTGLASS_" + $0.prefix { $0.isLetter || $0 == "_" } })
    #expect(names.contains("FROSTGLASS_GL_STAGE") && names.count > 3, "\(names)")
    let environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "1") })
    #expect(ServerConfiguration.warnings(of: environment).isEmpty)
  }

  @Test func linesEndAsOnAnySystem() throws {
    let all = try configuration([:], [:], "max-body = 1K\r\n# nothing\r\nqueue = 5\r\n")
    #expect(all.mostBytes == 1024 && all.queue == 5)
  }

  @Test func pathsMayHaveASignOfComments() throws {
    let file = "pictures = /srv/a#b\n  # nothing\npresets = /srv/c\t# there\n#queue = 5"
    let all = try configuration([:], [:], file)
    #expect(all.pictures == "/srv/a#b")
    #expect(all.presets == "/srv/c")
    #expect(all.queue == 64)
  }

  @Test func whatIsNoTextFileIsRefused() throws {
    let folder = try Folder()
    try folder.write("large", String(repeating: "#", count: 65_537))
    try folder.write("odd", [0xFF, 0xFE])
    try folder.write("small", "queue = 5")
    for (name, kind, words) in [
      (".", Failure.Kind.noInput, "cannot be read"), ("nothing", .noInput, "cannot be read"),
      ("large", .badData, "more than 64 KiB"), ("odd", .badData, "no UTF-8"),
    ] {
      let failure = #expect(throws: Failure.self, "\(name)") {
        try ServerConfiguration.text(of: "\(folder.path)/\(name)")
      }
      #expect(failure?.kind == kind && failure?.message.contains(words) == true, "\(name)")
    }
    #expect(try ServerConfiguration.text(of: "\(folder.path)/small") == "queue = 5")
  }

  @Test func addressesAreReadAsTheyAreWritten() throws {
    for text in ["127.0.0.1:80", "[::1]:8080", "unix:/run/x.sock", "systemd", "0.0.0.0:0"] {
      #expect(ListenAddress(text: text)?.description == text)
    }
    #expect(ListenAddress(text: "localhost:1")?.isLocal == true)
    #expect(ListenAddress(text: "0.0.0.0:1")?.isLocal == false)
    #expect(ListenAddress(text: "systemd")?.isLocal == false)
  }

  /// The addresses of inherited sockets decide.
  @Test func socketsOnLoopbackAreLocal() throws {
    let folder = try Folder()
    let addresses = ["127.0.0.1:0", "127.0.0.2:0", "[::1]:0", "unix:\(folder.path)/s", "0.0.0.0:0"]
    for text in addresses {
      let listener = try Listener(try #require(ListenAddress(text: text)))
      defer { close(listener.socket) }
      #expect(SocketAddress.isLocal(listener.socket) == (text != "0.0.0.0:0"), "\(text)")
    }
    #expect(!SocketAddress.isLocal(-1))
  }
}
