package import Frostglass
internal import FrostglassCore

/// The options of what a page shows while an image loads.
extension Placeholder.Options {
  /// Their rows.
  package static let options: [Option] = [
    Option("components", value: "XxY", "BlurHash components, 1x1 to 9x9 (4x3; portrait 3x4)"),
    Option("background", value: "COLOR", "Background of transparent images (white)"),
    Option("uri", value: "EXT", "Format of the data URI: webp, png or jpg (webp)"),
    Option("uri-side", value: "N", "Longer side of the data URI in pixels, 1 to 100 (16)"),
  ]

  /// Reads them.
  package init(_ arguments: ParsedArguments) throws(Failure) {
    self.init(
      components: try Self.components(arguments), background: try arguments.background(),
      uriFormat: try Self.format(arguments),
      uriSide: try arguments.integer("uri-side", in: 1...100) ?? 16,
      decoding: try arguments.decoding())
  }

  private static func components(
    _ arguments: ParsedArguments
  ) throws(Failure) -> BlurHash.Components? {
    guard let text = arguments.values["components"] else { return nil }
    let numbers = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
      .map { Int($0) ?? 0 }
    guard numbers.count == 2, let components = BlurHash.Components(x: numbers[0], y: numbers[1])
    else {
      throw .usage(
        "--components is \(text); it must be two numbers from 1 to 9, such as 4x3")
    }
    return components
  }

  private static func format(_ arguments: ParsedArguments) throws(Failure) -> StillFormat {
    guard let text = arguments.values["uri"] else { return .webp }
    guard let format = StillFormat(fileExtension: text), [.webp, .png, .jpeg].contains(format)
    else { throw .usage("--uri is \(text); it must be webp, png or jpg") }
    return format
  }
}

extension Placeholder {
  /// Everything as a JSON object in one line.
  ///
  /// - Parameter name: the file's, if it has one.
  package func json(file name: String? = nil) -> String {
    func color(_ color: Color?) -> String {
      color.map { JSONText.string($0.hexadecimal) } ?? "null"
    }
    let file = name.map { [("file", $0.jsonPath)] } ?? []
    return JSONText.object(
      file + [
        ("width", "\(size.width)"), ("height", "\(size.height)"),
        ("hasAlpha", hasAlpha ? "true" : "false"), ("blurhash", JSONText.string(blurHash)),
        ("thumbhash", JSONText.string(thumbHashText)), ("average", color(average)),
        ("dominant", color(dominant)), ("dataURI", JSONText.string(dataURI)),
      ])
  }
}
