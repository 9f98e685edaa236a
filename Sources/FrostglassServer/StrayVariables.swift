internal import FrostglassCore
internal import FrostglassOptions
internal import Glibc

/// Variables that look like settings and are none, so that misspelled ones are reported.
extension ServerConfiguration {
  private static let prefix = "FROSTGLASS_"

  /// Variables that are not settings of the service: other commands, libraries, tests and scripts read them.
  /// `CACHE_DIR` is a former one.
  private static let otherVariables = [
    "CONFIG", "SIGNING_KEYS", "CACHE_DIR", "GL_STAGE", "GL_DEBUG", "LIBRARY", "FILES_LIBRARY",
    "MODELS", "SOURCES", "THUMBOR", "VIDEO", "TEST_KILLS", "FUZZ_TIMES", "FUZZ_SEED",
    "FUZZ_SANITIZED",
  ].map { prefix + $0 }

  /// A line for each variable that begins as decisions do and that nothing reads.
  ///
  /// - Parameter environment: values by names.
  package static func warnings(
    of environment: [String: String] = processEnvironment
  ) -> [String] {
    let known = options.map { variable($0.name) } + otherVariables
    let words = known.map { String($0.dropFirst(prefix.count)) }
    let strays = environment.filter { name, value in
      name.hasPrefix(prefix) && !known.contains(name) && !isOfKubernetes(name, value)
    }
    return strays.keys.sorted().map { name in
      // Without the common prefix, which would make all names similar.
      let word = String(name.dropFirst(prefix.count))
      // Names in other programs.
      let nearest =
        ["PORT", "HOST", "BIND", "ADDRESS"].contains(word)
        ? "LISTEN" : DidYouMean.nearest(to: word, in: words)
      let hint = nearest.map { " (did you mean \(prefix + $0)?)" } ?? ""
      return "warning: nothing reads the variable \(name)\(hint)"
    }
  }

  /// Returns true if a variable is one that Kubernetes sets for a service called `frostglass`.
  private static func isOfKubernetes(_ name: String, _ value: String) -> Bool {
    // FROSTGLASS_PORT, FROSTGLASS_PORT_80_TCP and so on tell a URL or a part of it.
    if name.hasPrefix(prefix + "PORT_") { return true }
    return name == prefix + "PORT" ? value.contains("://") : name.hasPrefix(prefix + "SERVICE_")
  }

  /// The environment of this process.
  package static var processEnvironment: [String: String] {
    var all: [String: String] = [:]
    var place: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
    while let entry = place?.pointee {
      let words = String(cString: entry).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if words.count == 2 { all[String(words[0])] = String(words[1]) }
      place = place?.advanced(by: 1)
    }
    return all
  }
}
