internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions

/// A description of the service for programs (OpenAPI 3.1) and for people. Both come from the tables that requests
/// are parsed with.
struct ServiceDescription: Sendable {
  let openAPI: String
  let page: String

  init(
    prefix: String, presets: Presets, sources: Sources, isSigned: Bool, limits: WorkLimits,
    mostBytes: Int
  ) {
    let facts = Self.facts(presets, isSigned, limits, mostBytes)
    openAPI = Self.openAPI(
      prefix: prefix, sources: sources, isSigned: isSigned, finds: limits.finds, facts)
    page = Self.page(sources: sources, finds: limits.finds, facts)
      .replacing("localhost:8080", with: "localhost:8080" + prefix)
  }

  private static func facts(
    _ presets: Presets, _ isSigned: Bool, _ limits: WorkLimits, _ mostBytes: Int
  ) -> [String] {
    [
      "Bodies have at most \(ByteCount(mostBytes)), images \(limits.maxPixels) pixels; a request "
        + "takes at most \(shortest(limits.seconds)) second\(limits.seconds == 1 ? "" : "s").",
      isSigned
        ? "Addresses have to be signed." : "Addresses need no signature here.",
      presets.areRequired
        ? "Only presets are taken: \(presets.list)." : "Presets: \(presets.list).",
      "Metadata is dropped unless keep-metadata is asked for.",
    ]
  }

  // MARK: OpenAPI

  private static func openAPI(
    prefix: String, sources: Sources, isSigned: Bool, finds: Bool, _ facts: [String]
  ) -> String {
    var paths: [(String, String)] = Operation.offered(finding: finds).map { operation in
      ("/v1/\(operation.rawValue)", JSONText.object([("post", post(operation, finds: finds))]))
    }
    if !sources.isEmpty {
      paths.append(
        (
          "/v1/images",
          images(
            "src", in: "query", "The image: an origin's name, /, and its path there",
            example: "shop/a.jpg",
            "Blur an image of an origin, for <img src>", finds: finds)
        ))
    }
    if sources.hasImages {
      paths.append(
        (
          "/v1/pictures/{path}",
          images(
            "path", in: "path", "The path below the operator's images", example: "a.jpg",
            "Blur an image of the operator's, for <img src>", finds: finds)
        ))
    }
    let pages = [
      ("/v1/filters", "All filters with their parameters", "application/json"),
      ("/v1/presets", "The operator's presets", "application/json"),
      ("/health/live", "Whether the process answers", "application/json"),
      ("/health/ready", "Whether work is done", "application/json"),
      ("/metrics", "What is counted, for Prometheus", "text/plain"),
    ]
    for (path, summary, type) in pages {
      paths.append(
        (
          path,
          JSONText.object([
            (
              "get",
              JSONText.object([
                ("summary", JSONText.string(summary)),
                ("tags", "[\"service\"]"),
                ("security", "[]"),
                ("operationId", JSONText.string(path.split(separator: "/").joined(separator: "-"))),
                (
                  "responses",
                  JSONText.object([
                    ("200", response("It is", [type])), ("default", problem("What is wrong")),
                  ])
                ),
              ])
            )
          ])
        ))
    }
    var members = [
      ("openapi", JSONText.string("3.1.0")),
      (
        "info",
        JSONText.object([
          ("title", JSONText.string("Frostglass")),
          ("version", JSONText.string(Version.current)),
          ("summary", JSONText.string("Frosted glass, privacy blurs and backdrops from images")),
          ("description", JSONText.string(facts.joined(separator: " "))),
        ])
      ),
      ("servers", "[{\"url\":\(JSONText.string(prefix.isEmpty ? "/" : prefix))}]"),
      ("paths", JSONText.object(paths)),
    ]
    var components = [("schemas", JSONText.object([("Problem", problemSchema)]))]
    if isSigned {
      // `frostglass sign` adds all three to an address.
      let fields = ["expires", "key", "signature"]
      members.append(
        ("security", JSONText.array([JSONText.object(fields.map { ($0, "[]") })])))
      components.append(
        (
          "securitySchemes",
          JSONText.object(
            fields.map {
              ($0, "{\"type\":\"apiKey\",\"in\":\"query\",\"name\":\"\($0)\"}")
            })
        ))
    }
    return JSONText.object(members + [("components", JSONText.object(components))])
  }

  private static func post(_ operation: Operation, finds: Bool) -> String {
    JSONText.object([
      ("summary", JSONText.string(operation.summary)),
      ("operationId", JSONText.string(operation.rawValue)),
      ("tags", "[\"pictures\"]"),
      ("parameters", JSONText.array(operation.queryOptions(finds: finds).map { parameter($0) })),
      (
        "requestBody",
        JSONText.object([
          ("required", "true"),
          ("content", JSONText.object(content(operation))),
        ])
      ),
      (
        "responses",
        JSONText.object(
          [
            ("200", response("The result", operation.resultTypes))
          ] + problems)
      ),
    ])
  }

  private static func content(_ operation: Operation) -> [(String, String)] {
    let form = JSONText.object([
      (
        "schema",
        JSONText.object([
          ("type", JSONText.string("object")),
          ("properties", JSONText.object(operation.parts.map { ($0, binary) })),
          ("required", JSONText.array([JSONText.string(operation.mainPart)])),
        ])
      )
    ])
    let types =
      operation == .scene
      ? ["application/json"]
      : ["application/octet-stream"] + StillFormat.allCases.map(\.mediaType)
    return types.map { ($0, schema(of: $0)) } + [("multipart/form-data", form)]
  }

  /// Bytes, as generators of clients understand it.
  private static let binary = "{\"type\":\"string\",\"format\":\"binary\"}"

  private static func schema(of type: String) -> String {
    let schema =
      switch type {
      case "application/json": "{}"
      case "text/plain": "{\"type\":\"string\"}"
      default: binary
      }
    return JSONText.object([("schema", schema)])
  }

  /// - Parameter operations: those that take it, where it is not all.
  private static func parameter(_ option: Option, of operations: [Operation] = []) -> String {
    var schema = [("type", JSONText.string(option.value == nil ? "boolean" : "string"))]
    let choices =
      option.name == "format" ? StillFormat.allCases.map(\.fileExtension) : option.choices
    if !choices.isEmpty {
      schema.append(("enum", JSONText.array(choices.map { JSONText.string($0) })))
    }
    if option.canRepeat {
      schema = [
        ("type", JSONText.string("array")),
        ("items", JSONText.object([("type", JSONText.string("string"))])),
      ]
    }
    var members = [
      ("name", JSONText.string(option.name)), ("in", JSONText.string("query")),
      (
        "description",
        JSONText.string(
          (operations.isEmpty ? "" : "Of \(operations.map(\.rawValue).joined(separator: ", ")): ")
            + option.manual + (option.value.map { ". Written \($0)" } ?? ""))
      ),
      ("schema", JSONText.object(schema)),
    ]
    if let example = examples[option.name] {
      members.append(("example", JSONText.string(example)))
    }
    return JSONText.object(members)
  }

  private static let examples = [
    "sigma": "10", "style": "light", "filter": "blur(20px) saturate(180%)", "format": "webp",
    "size": "1080x1920", "aspect": "9:16", "background": "white", "edge": "mirror",
    "output-quality": "80", "effort": "3", "time": "1.5",
  ]

  /// An address that gives an image of an origin, which a parameter names.
  private static func images(
    _ name: String, in place: String, _ help: String, example: String, _ summary: String,
    finds: Bool
  ) -> String {
    let image = JSONText.object([
      ("name", JSONText.string(name)), ("in", JSONText.string(place)), ("required", "true"),
      ("description", JSONText.string(help)),
      ("schema", JSONText.object([("type", JSONText.string("string"))])),
      ("example", JSONText.string(example)),
    ])
    let operations = FindSource.operations
    let operation = JSONText.object([
      ("name", JSONText.string("operation")), ("in", JSONText.string("query")),
      ("description", JSONText.string("What is done with it; each takes its own fields (blur)")),
      (
        "schema",
        JSONText.object([
          ("type", JSONText.string("string")),
          ("enum", JSONText.array(operations.map { JSONText.string($0.rawValue) })),
        ])
      ),
    ])
    // A name may stand once.
    var names: Set<String> = []
    let fields = operations.flatMap { $0.queryOptions(finds: finds) }
      .filter { names.insert($0.name).inserted }.map { option in
        let takers = operations.filter {
          $0.queryOptions(finds: finds).contains { $0.name == option.name }
        }
        return parameter(option, of: takers.count < operations.count ? takers : [])
      }
    let types = operations.flatMap(\.resultTypes).reduce(into: [String]()) { types, type in
      if !types.contains(type) { types.append(type) }
    }
    return JSONText.object([
      (
        "get",
        JSONText.object([
          ("summary", JSONText.string(summary)),
          ("operationId", JSONText.string(name == "src" ? "image" : "picture")),
          ("tags", "[\"pictures\"]"),
          ("parameters", JSONText.array([image, operation] + fields)),
          (
            "responses",
            JSONText.object(
              [
                ("200", response("The result", types)),
                ("304", JSONText.object([("description", JSONText.string("It is as it was"))])),
                ("404", problem("The origin has no such image")),
                ("502", problem("The origin failed")), ("504", problem("The origin is too slow")),
              ] + problems)
          ),
        ])
      )
    ])
  }

  private static func response(_ description: String, _ types: [String]) -> String {
    JSONText.object([
      ("description", JSONText.string(description)),
      ("content", JSONText.object(types.map { ($0, schema(of: $0)) })),
    ])
  }

  /// The meaning of each status.
  private static let problems: [(String, String)] =
    [
      ("400", "A mistake in what was asked"), ("403", "Not signed, or no preset"),
      ("406", "Nothing in Accept is written here"), ("413", "Too many bytes or pixels"),
      ("415", "Not an image of a known format"),
      ("422", "An image or work that is not taken"), ("429", "Come back after Retry-After"),
      ("503", "Not done in time"),
    ].map { ($0.0, problem($0.1)) } + [("default", problem("What is wrong"))]

  private static func problem(_ description: String) -> String {
    JSONText.object([
      ("description", JSONText.string(description)),
      (
        "content",
        JSONText.object([
          (
            Problem.contentType,
            "{\"schema\":{\"$ref\":\"#/components/schemas/Problem\"}}"
          )
        ])
      ),
    ])
  }

  private static let problemSchema = JSONText.object([
    ("type", JSONText.string("object")),
    (
      "required", JSONText.array(["type", "title", "status", "detail"].map { JSONText.string($0) })
    ),
    (
      "properties",
      JSONText.object(
        ["type", "title", "detail", "requestId"].map { ($0, "{\"type\":\"string\"}") }
          + [("status", "{\"type\":\"integer\"}")])
    ),
  ])

  // MARK: the page

  private static func page(sources: Sources, finds: Bool, _ facts: [String]) -> String {
    let sections = Operation.offered(finding: finds).map { operation in
      """
      <section><h2><code>POST /v1/\(operation.rawValue)</code></h2>
      <p>\(operation.summary.escaped). The body is the \(operation.mainPart), or a form with the parts \
      \(operation.parts.joined(separator: ", ")).</p>
      <pre>\(operation.example.escaped)</pre>
      <table><tr><th>Field<th>Value<th></tr>
      \(operation.queryOptions(finds: finds).map(row).joined(separator: "\n"))
      </table></section>
      """
    }
    let others = [
      sources.isEmpty ? nil : "GET /v1/images?src=NAME/PATH&sigma=10",
      sources.hasImages ? "GET /v1/pictures/PATH?sigma=10" : nil, "GET /v1/filters",
      "GET /v1/presets",
      "GET /openapi.json", "GET /health/live", "GET /health/ready", "GET /metrics",
    ].compactMap { $0 }
    return """
      <!doctype html><html lang="en"><meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Frostglass</title><link rel="stylesheet" href="docs/style.css">
      <main><h1>Frostglass \(Version.current)</h1>
      \(facts.map { "<p>\($0.escaped)</p>" }.joined(separator: "\n"))
      \(sections.joined(separator: "\n"))
      <section><h2>And</h2><ul>
      \(others.map { "<li><code>\($0.escaped)</code>" }.joined(separator: "\n"))
      </ul></section></main></html>
      """
  }

  private static func row(_ option: Option) -> String {
    "<tr><td><code>\(option.name)</code><td>\((option.value ?? "").escaped)<td>"
      + "\(option.manual.escaped)</tr>"
  }

  /// The page's looks; nothing from elsewhere.
  static let style = """
    :root { color-scheme: light dark }
    body { font: 16px/1.5 system-ui, sans-serif; margin: 0 }
    main { max-width: 50rem; margin: auto; padding: 1rem }
    pre { overflow-x: auto; padding: .75rem; border: 1px solid #8884; border-radius: .5rem }
    table { border-collapse: collapse; display: block; overflow-x: auto }
    td, th { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0 }
    """
}

extension Operation {
  /// Returns the options that a query may hold: no files, and no faces unless they are found.
  fileprivate func queryOptions(finds: Bool) -> [Option] {
    let hidden = parts + (finds ? [] : Self.finding.map(\.name))
    return options.filter { !hidden.contains($0.name) } + [TakePreset.option]
      + TakeDelivery.options
  }

  fileprivate var resultTypes: [String] {
    givesImage ? StillFormat.allCases.map(\.mediaType) : ["application/json"]
  }

  fileprivate var example: String {
    let post = "curl --data-binary @photo.jpg -H 'Content-Type: image/jpeg'"
    return switch self {
    case .blur: "\(post) 'localhost:8080/v1/blur?sigma=10' -o blurred.jpg"
    case .redact:
      "curl -F picture=@photo.jpg -F regions=@faces.json localhost:8080/v1/redact -o safe.jpg"
    case .fill: "\(post) 'localhost:8080/v1/fill?size=1080x1920' -o story.jpg"
    case .placeholder: "\(post) localhost:8080/v1/placeholder"
    case .scene: "curl --data-binary @scene.json localhost:8080/v1/scene -o bar.png"
    case .plan: "\(post) 'localhost:8080/v1/plan?sigma=10'"
    case .find: "\(post) localhost:8080/v1/find -o faces.json"
    }
  }
}

extension String {
  /// As HTML shows it.
  fileprivate var escaped: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
