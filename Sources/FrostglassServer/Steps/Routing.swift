/// The destination of a request.
package enum Route: Sendable, Hashable {
  case work(Operation)
  /// An image of the operator's, by its path below their folder.
  case picture(String)
  /// An image of any origin, which a field names.
  case images
  case filters, presets
  case openAPI, docs, style
  case playground(Playground.File)
  /// The facts that the playground needs.
  case facts
  case live, ready, metrics
  /// None of these, or not known.
  case other

  /// The route's name in logs and metrics, which never holds text from a client.
  package var name: String {
    switch self {
    case .work(let operation): "/v1/\(operation.rawValue)"
    case .picture: "/v1/pictures"
    case .images: "/v1/images"
    case .filters: "/v1/filters"
    case .presets: "/v1/presets"
    case .openAPI: "/openapi.json"
    case .docs: "/docs"
    case .style: "/docs/style.css"
    case .playground(.page): "/"
    case .playground, .facts: "/playground"
    case .live: "/health/live"
    case .ready: "/health/ready"
    case .metrics: "/metrics"
    case .other: "other"
    }
  }

  /// True if an answer takes work, which may need a signature.
  package var isWork: Bool {
    switch self {
    case .work, .picture, .images: true
    default: false
    }
  }

  /// The methods that it takes.
  package var methods: [String] {
    if case .work = self { ["POST"] } else { ["GET", "HEAD"] }
  }
}

/// Finds out where a request goes, and reads its query.
package struct Routing: HeadStep {
  private static let pages: [String: Route] = [
    "/docs": .docs, "/docs/style.css": .style, "/openapi.json": .openAPI,
    "/v1/filters": .filters, "/v1/presets": .presets, "/metrics": .metrics,
    "/health/live": .live, "/healthz": .live, "/health/ready": .ready, "/readyz": .ready,
  ]
  private static let pictures = "/v1/pictures/"

  private static let playground: [String: Route] = Playground.File.allCases.reduce(
    into: ["/playground/service.json": .facts]
  ) { $0[$1.path] = .playground($1) }

  private let prefix: String
  private let hasOrigins: Bool
  private let hasImages: Bool
  private let hasPlayground: Bool
  private let finds: Bool
  private let crossOrigin: CrossOrigin

  /// - Parameters:
  ///   - prefix: the prefix of all paths; see `prefix(_:)`.
  ///   - hasOrigins: true if there are origins of images.
  ///   - hasImages: true if one of them serves `/v1/pictures/PATH`.
  ///   - hasPlayground: true if `/` is the playground; otherwise it is `/docs`.
  ///   - finds: true if faces are found.
  ///   - crossOrigin: the rules for preflight requests.
  package init(
    prefix: String = "", hasOrigins: Bool, hasImages: Bool, hasPlayground: Bool,
    finds: Bool = false, crossOrigin: CrossOrigin = CrossOrigin()
  ) {
    self.prefix = prefix
    self.crossOrigin = crossOrigin
    self.hasOrigins = hasOrigins
    self.hasImages = hasImages
    self.hasPlayground = hasPlayground
    self.finds = finds
  }

  package func run(_ context: inout RequestContext) throws(Problem) {
    guard let path = ownPath(context.head.path), let route = try route(path) else {
      throw Problem(
        404, "no-such-route", "there is nothing here; \(prefix)/docs lists what there is")
    }
    context.route = route
    let method = context.head.method
    if method == "OPTIONS", crossOrigin.isOffered {
      context.response = crossOrigin.preflight(methods: route.methods)
      return
    }
    guard route.methods.contains(method) else {
      throw Problem(
        405, "method-not-allowed",
        "\(route.name) takes \(route.methods.joined(separator: " and "))",
        headers: [Field("Allow", route.methods.joined(separator: ", "))])
    }
    context.fields = try QueryText.fields(context.head.query)
  }

  /// A prefix as it is kept: with a slash at its begin and none at its end; `nil` for what is none.
  package static func prefix(_ text: String) -> String? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let isPlain = text.utf8.allSatisfy { byte in
      switch Unicode.Scalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~", "/": true
      default: false
      }
    }
    guard isPlain, parts.first == "", !parts.contains("."), !parts.contains("..") else {
      return nil
    }
    let names = parts.filter { !$0.isEmpty }
    return names.isEmpty ? "" : "/" + names.joined(separator: "/")
  }

  /// A path behind the prefix; `nil` for one without it, but for what probes ask for.
  private func ownPath(_ path: Substring) -> Substring? {
    if path.hasPrefix(prefix + "/") { return path.dropFirst(prefix.count) }
    return Self.probes.contains(Self.pages[String(path)] ?? .other) ? path : nil
  }

  /// The routes that also work without the path prefix, for orchestrators.
  private static let probes: [Route] = [.live, .ready, .metrics]

  private func route(_ path: Substring) throws(Problem) -> Route? {
    if let page = Self.pages[String(path)] { return page }
    if hasPlayground {
      if let file = Self.playground[String(path)] { return file }
    } else if path == "/" {
      return .docs
    }
    if path.hasPrefix("/v1/"), let operation = Operation(rawValue: String(path.dropFirst(4))),
      Operation.offered(finding: finds).contains(operation)
    {
      return .work(operation)
    }
    if hasOrigins, path == "/v1/images" { return .images }
    guard hasImages, path.hasPrefix(Self.pictures) else { return nil }
    guard let name = QueryText.decoded(path.dropFirst(Self.pictures.count)) else {
      throw .badRequest("the path must be percent-encoded UTF-8 without zero bytes")
    }
    guard !name.isEmpty else {
      throw .badRequest("the path names no image; write \(Self.pictures)PATH")
    }
    return .picture(name)
  }
}
