internal import Frostglass

/// Options about pictures that several commands share.
extension Option {
  static let background = Option(
    "background", value: "COLOR", "Behind transparent results without alpha (white)")
  static let frame = Option("frame", value: "N", "Take this frame of an animation, from 1")
  static let maxPixels = Option("max-pixels", value: "N", "Refuse larger inputs (500000000)")
  static let memory = Option(
    "memory", value: "SIZE", "Refuse what would take more, such as 2G (half of the machine's)")
  static let profile = Option(
    "profile", value: "P", "srgb: convert colors; keep: leave samples and profile (srgb)")
}

extension ParsedArguments {
  /// The value of `--background`.
  func background() throws(Failure) -> Color {
    guard let text = values["background"] else { return .white }
    guard let color = Color(text: text), color.alpha == 1 else {
      throw .usage(
        "--background is \(text); it must be an opaque CSS color, such as white or #1c1c1e")
    }
    return color
  }

  /// What `--max-pixels`, `--memory`, `--profile` and `--frame` say.
  func decoding() throws(Failure) -> DecodeOptions {
    DecodeOptions(
      maxPixels: try integer("max-pixels", in: 1...(.max)) ?? DecodeOptions().maxPixels,
      maxMemory: try memory(), profile: try profile(), frame: try integer("frame", in: 1...(.max)))
  }

  /// The value of `--memory` in bytes.
  func memory() throws(Failure) -> Int? {
    guard let text = values["memory"] else { return nil }
    guard let size = ByteCount(text: text) else {
      throw .usage("--memory is \(text); it must be a number of bytes, or one with K, M, G or T")
    }
    return size.bytes
  }

  private func profile() throws(Failure) -> ProfileChoice {
    switch values["profile"] {
    case nil, "srgb": return .srgb
    case "keep": return .keep
    case let other?: throw .usage("--profile is \(other); it must be srgb or keep")
    }
  }
}

extension StillSource {
  /// `-` is standard input.
  init(operand: String) {
    self = operand == "-" ? .standardInput : .file(operand)
  }
}
