internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassStills

/// A page that shows what the service does, to be tried out in a browser: the files in `Playground/`,
/// which are part of the program.
package enum Playground {
  /// A file of the page.
  package enum File: String, Sendable, Hashable, CaseIterable {
    case page = "index.html"
    case style = "style.css"
    case main = "main.js"
    case chain = "chain.js"
    case stage = "stage.js"
    case words = "words.js"
    case live = "live.js"
    case looks = "looks.js"
    case pictures = "pictures.js"
    case requests = "requests.js"
    case scenes = "scenes.js"
    case sample = "sample.js"
    case icon = "icon.svg"
    case astronaut = "astronaut.webp"
    case coffee = "coffee.webp"

    /// The path of the file.
    package var path: String { self == .page ? "/" : "/playground/\(rawValue)" }

    private var type: String {
      switch self {
      case .page: "text/html; charset=utf-8"
      case .style: "text/css; charset=utf-8"
      case .main, .chain, .stage, .words, .live, .looks, .pictures, .requests, .scenes, .sample:
        "text/javascript; charset=utf-8"
      case .icon: "image/svg+xml"
      case .astronaut, .coffee: "image/webp"
      }
    }

    private var bytes: [UInt8] {
      switch self {
      case .page: PackageResources.index_html
      case .style: PackageResources.style_css
      case .main: PackageResources.main_js
      case .chain: PackageResources.chain_js
      case .stage: PackageResources.stage_js
      case .words: PackageResources.words_js
      case .live: PackageResources.live_js
      case .looks: PackageResources.looks_js
      case .pictures: PackageResources.pictures_js
      case .requests: PackageResources.requests_js
      case .scenes: PackageResources.scenes_js
      case .sample: PackageResources.sample_js
      case .icon: PackageResources.icon_svg
      case .astronaut: PackageResources.astronaut_webp
      case .coffee: PackageResources.coffee_webp
      }
    }

    private var made: StaticPage {
      StaticPage(type, bytes, policy: self == .page ? Playground.policy : nil)
    }

    private static let pages = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.made) })

    /// The file, as it is given out.
    var staticPage: StaticPage { Self.pages[self] ?? made }
  }

  /// The page's content security policy. It allows its own files and requests to this service, but nothing inline and
  /// nothing from elsewhere. `blob:` is for results, and for videos that are opened.
  static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src blob:; "
    + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  private static func fact(_ format: StillFormat) -> String {
    JSONText.object([
      ("name", JSONText.string(format.name)), ("type", JSONText.string(format.mediaType)),
      ("extensions", JSONText.array(format.fileExtensions.map { JSONText.string($0) })),
    ])
  }

  /// Returns what the page has to know about the service, as JSON.
  static func facts(
    presets: Presets, hasImages: Bool, isSigned: Bool, limits: WorkLimits, mostBytes: Int
  ) -> String {
    JSONText.object([
      ("version", JSONText.string(Version.current)), ("isSigned", "\(isSigned)"),
      ("presetsOnly", "\(presets.areRequired)"), ("hasPictures", "\(hasImages)"),
      ("mostBytes", "\(mostBytes)"), ("mostPixels", "\(limits.maxPixels)"),
      ("formats", JSONText.array(StillFormat.allCases.map(Self.fact))),
    ])
  }
}

/// A page that never changes: compressed in advance, with an ETag that saves sending it again.
struct StaticPage: Sendable {
  private let type: String
  private let bytes: [UInt8]
  /// `nil` where that would not be smaller.
  private let compressed: [UInt8]?
  private let digest: Substring
  private let policy: String?

  /// - Parameter policy: the content security policy; `nil` allows nothing.
  init(_ type: String, _ bytes: [UInt8], policy: String? = nil) {
    self.type = type
    self.bytes = bytes
    let smaller = Gzip.compressed(bytes).filter { $0.count < bytes.count - bytes.count / 10 }
    compressed = smaller
    digest = FileDigest.sha256(of: bytes).prefix(32)
    self.policy = policy
  }

  init(_ type: String, _ text: String, policy: String? = nil) {
    self.init(type, Array(text.utf8), policy: policy)
  }

  static func json(_ text: String) -> StaticPage { StaticPage("application/json", text) }

  /// The page, or that who asks has it.
  func response(to head: RequestHead) -> Response {
    let smaller = head.takesGzip ? compressed : nil
    let tag = "\"\(digest)\(smaller == nil ? "" : "-gzip")\""
    var fields = [Field("ETag", tag), Field("Cache-Control", "no-cache")]
    if compressed != nil { fields.append(Field("Vary", "Accept-Encoding")) }
    if let policy { fields.append(Field("Content-Security-Policy", policy)) }
    if ReadSource.isCurrent(head, tag, .max) {
      var response = Response(304, fields)
      response.knownLength = (smaller ?? bytes).count
      return response
    }
    fields.append(Field("Content-Type", type))
    if smaller != nil { fields.append(Field("Content-Encoding", "gzip")) }
    return Response(200, fields, body: smaller ?? bytes)
  }
}

extension RequestHead {
  /// True if `Accept-Encoding` names gzip, or any coding, and does not refuse it.
  fileprivate var takesGzip: Bool {
    let codings = all("accept-encoding").joined(separator: ",").lowercased().split(separator: ",")
      .map { $0.filter { !$0.isWhitespace }.split(separator: ";") }
    let named = codings.first { $0.first == "gzip" } ?? codings.first { $0.first == "*" }
    guard let named else { return false }
    return !named.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
  }
}

extension Optional where Wrapped == [UInt8] {
  fileprivate func filter(_ isTaken: (Wrapped) -> Bool) -> Wrapped? {
    flatMap { isTaken($0) ? $0 : nil }
  }
}
