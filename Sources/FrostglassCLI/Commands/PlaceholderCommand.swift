internal import Frostglass

/// `frostglass placeholder`: what a page shows while a picture loads.
struct PlaceholderCommand: Command {
  static let name = "placeholder"
  static let summary = "Print BlurHash, ThumbHash, colors and a tiny data URI of images"
  static let operands = "IMAGE…"
  static let notes = """
    All values come from one copy of at most 100 pixels per side; of a large JPEG most is never
    decoded. average is the mean of light, weighted by alpha; dominant is the color of which there is
    most. A BlurHash knows no alpha and shows the picture on --background, a ThumbHash keeps alpha;
    thumbhash is printed as base64. - is standard input.

    With --json there is one object per line and image: file, width, height, hasAlpha, blurhash,
    thumbhash, average, dominant, dataURI. Colors of a wholly transparent picture are null.

    Exit codes: 0 done, 64 usage, 65 bad input data or some of several images failed, 66 no input.
    """
  static let options: [Option] = [
    Option("components", value: "XxY", "Waves of the BlurHash, 1x1 to 9x9 (4x3, upright 3x4)"),
    Option("background", value: "COLOR", "Behind transparent pictures in the BlurHash (white)"),
    Option("uri", value: "EXT", "Format of the tiny picture: webp, png or jpg (webp)"),
    Option("uri-side", value: "N", "Longer side of the tiny picture in pixels, 1 to 100 (16)"),
    Option("json", "One JSON object per image and line"),
    .maxPixels, .memory, .frame,
  ]

  private let images: [String]
  private let placeholder: PlaceholderOptions
  private let json: Bool

  init(_ arguments: ParsedArguments) throws(Failure) {
    guard !arguments.operands.isEmpty else {
      throw .usage("an IMAGE is needed; see `frostglass placeholder --help`")
    }
    images = arguments.operands
    json = arguments.has("json")
    placeholder = PlaceholderOptions(
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

  func run() async throws(Failure) -> Int32 {
    var failures: [Failure] = []
    var isFirst = true
    for image in images {
      do throws(FrostglassError) {
        let found = try Placeholder(of: StillSource(operand: image), options: placeholder)
        Console.print(
          json ? found.json(image) : (isFirst ? "" : "\n") + found.text(image))
        isFirst = false
      } catch { failures.append(error.failure) }
    }
    guard let first = failures.first else { return ExitCode.done }
    guard images.count > 1 else { throw first }
    throw Failure(
      message: (["\(failures.count) of \(images.count) failed:"] + failures.map(\.message))
        .joined(separator: "\n  "), exitCode: ExitCode.badData)
  }
}

extension Placeholder {
  fileprivate func text(_ name: String) -> String {
    let rows = [
      ("size", "\(size)"), ("blurhash", blurHash), ("thumbhash", thumbHashText),
      ("average", average?.hexadecimal ?? "none"), ("dominant", dominant?.hexadecimal ?? "none"),
      ("uri", dataURI),
    ]
    return ([name] + rows.map { "  \($0.padded(to: 11))\($1)" }).joined(separator: "\n")
  }

  fileprivate func json(_ name: String) -> String {
    func color(_ color: Color?) -> String {
      color.map { JSONText.string($0.hexadecimal) } ?? "null"
    }
    return JSONText.object([
      ("file", JSONText.string(name)), ("width", "\(size.width)"), ("height", "\(size.height)"),
      ("hasAlpha", hasAlpha ? "true" : "false"), ("blurhash", JSONText.string(blurHash)),
      ("thumbhash", JSONText.string(thumbHashText)), ("average", color(average)),
      ("dominant", color(dominant)), ("dataURI", JSONText.string(dataURI)),
    ])
  }
}
