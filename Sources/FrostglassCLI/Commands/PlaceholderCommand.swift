internal import Frostglass
internal import FrostglassOptions
internal import FrostglassStills

/// `frostglass placeholder`: what a page shows while an image loads.
struct PlaceholderCommand: Command {
  static let name = "placeholder"
  static let summary = "Print BlurHash, ThumbHash, colors and a tiny data URI of images"
  static let operands = "IMAGE…"
  static let notes = """
    All values are computed from one copy of at most 100 pixels per side; of a large JPEG most is never
    decoded. average is the mean in linear light, weighted by alpha; dominant is the most frequent color.
    A BlurHash has no alpha and shows the image on --background; a ThumbHash keeps alpha and is printed
    as base64. - is standard input.

    --json prints one object per line and image: file, width, height, hasAlpha, blurhash, thumbhash,
    average, dominant, dataURI. Colors of a fully transparent image are null.

    Exit codes: 0 success, 64 usage, 65 bad input data or some images failed, 66 no input.
    """
  static let options: [Option] =
    Placeholder.Options.options + [
      .json,
      .maxPixels, .memory, .frame,
    ]

  private let images: [String]
  private let placeholder: Placeholder.Options
  private let json: Bool

  init(_ arguments: ParsedArguments) throws {
    guard !arguments.operands.isEmpty else {
      throw Failure.usage("an IMAGE is needed; see `frostglass placeholder --help`")
    }
    images = arguments.operands
    json = arguments.has("json")
    placeholder = try Placeholder.Options(arguments)
  }

  func run() async throws -> Int32 {
    var failures: [Failure] = []
    var isFirst = true
    for image in images {
      do {
        let found = try Placeholder(of: StillSource(operand: image), options: placeholder)
        Console.print(
          json ? found.json(file: image) : (isFirst ? "" : "\n") + found.text(image))
        isFirst = false
      } catch { failures.append(Failure(saying: error)) }
    }
    guard let first = failures.first else { return ExitCode.done }
    guard images.count > 1 else { throw first }
    throw Failure(
      lines: ["\(failures.count) of \(images.count) failed:"] + failures.map { "  \($0.message)" },
      .badData)
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
}
