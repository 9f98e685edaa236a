package import Frostglass

/// The options that say how a picture is put on a canvas of another shape.
extension Letterbox {
  /// Their rows.
  package static let options: [Option] = [
    Option("size", value: "WxH", "Canvas size in pixels, such as 1080x1920"),
    Option("aspect", value: "W:H", "Canvas aspect ratio, such as 9:16"),
    Option(
      "sigma", letter: "s", value: "N|N%|TOOL:N", "Standard deviation of the backdrop's blur (4%)"),
    Option("dim", value: "0…1", "Darken the backdrop; 1 is black (0.2)"),
    Option("saturation", value: "N", "Saturation of the backdrop, 0 (gray) to 10 (1)"),
    Option("radius", value: "N|N%", "Corner radius of the image (0)"),
    Option("shadow", value: "0…1", "Opacity of the image's shadow (0)"),
    Option("margin", value: "N|N%", "Margin around the image (0)"),
    Option("align", value: "SIDE", "center, top, bottom, left or right (center)"),
  ].grouped(.effect)

  /// Reads them.
  package init(_ arguments: ParsedArguments) throws(Failure) {
    self.init(try Self.canvas(arguments))
    self.sigma = try arguments.sigma("sigma") ?? self.sigma
    self.dim = try arguments.number("dim", in: 0...1) ?? self.dim
    self.saturation =
      try arguments.number("saturation", in: 0...10) ?? self.saturation
    self.shadow = try arguments.number("shadow", in: 0...1) ?? self.shadow
    self.radius = try Self.length("radius", arguments) ?? self.radius
    self.margin = try Self.length("margin", arguments) ?? self.margin
    self.alignment = try arguments.choice("align", default: self.alignment)
  }

  private static func canvas(_ arguments: ParsedArguments) throws(Failure) -> Letterbox.Canvas {
    switch (arguments.values["size"], arguments.values["aspect"]) {
    case (let text?, nil):
      let sides = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        .map { Int($0) ?? 0 }
      guard sides.count == 2, sides.allSatisfy({ (1...1_000_000).contains($0) }) else {
        throw .usage("--size is \(text); it must be a width and a height, such as 1080x1920")
      }
      return .size(Size(width: sides[0], height: sides[1]))
    case (nil, let text?):
      let sides = text.split(separator: ":", omittingEmptySubsequences: false)
        .map { Double($0) ?? 0 }
      guard sides.count == 2, sides.allSatisfy({ $0 > 0 && $0.isFinite }),
        (0.001...1000).contains(sides[0] / sides[1])
      else {
        throw .usage(
          "--aspect is \(text); it must be a width to a height, such as 9:16, from 1:1000 to "
            + "1000:1")
      }
      return .aspect(width: sides[0], height: sides[1])
    case (nil, nil): throw .usage("give one of --size WxH and --aspect W:H")
    case (_?, _?): throw .usage("--size and --aspect exclude each other")
    }
  }

  private static func length(
    _ name: String, _ arguments: ParsedArguments
  ) throws(Failure) -> Length? {
    guard let text = arguments.values[name] else { return nil }
    guard let length = Length(text: text), length.value >= 0 else {
      throw .usage("--\(name) is \(text); it must be pixels or %, such as 24 or 3%, 0 or more")
    }
    return length
  }
}
