package import Frostglass

/// The options that give an image another size.
extension Resize {
  /// Their rows.
  package static let options: [Option] = [
    Option("resize", value: "WxH", "Resize to 300x200, 300x or x200 pixels"),
    Option("width", value: "N", "Resize to this width; same as --resize Nx"),
    Option("height", value: "N", "Resize to this height; same as --resize xN"),
    Option(
      "fit", value: "FIT", "inside, contain, cover or fill (inside)",
      details:
        "inside and contain keep the shape within the size, cover cuts what goes beyond it, fill distorts.",
      choices: Fit.allCases.map(\.rawValue)),
    Option(
      "gravity", value: "G",
      "Part that cover keeps: a side, corner, … (center)",
      details: "center, a side, a corner, or attention for what stands out.",
      choices: Gravity.allCases.map(\.rawValue)),
    Option("dpr", value: "N", "Output pixels per pixel of sizes and lengths (1)"),
    Option("enlarge", "Enlarge small images, too"),
  ].grouped(.size)

  /// The largest side that can be asked for.
  private static let sides = 1...1_000_000

  /// Reads them.
  ///
  /// - Returns: `nil` where the size stays as it is.
  package init?(_ arguments: ParsedArguments) throws(Failure) {
    var (width, height) = (
      try arguments.integer("width", in: Self.sides),
      try arguments.integer("height", in: Self.sides)
    )
    if let text = arguments.values["resize"] {
      guard width == nil, height == nil else {
        throw .usage("--resize and --\(width == nil ? "height" : "width") exclude each other")
      }
      (width, height) = try Self.box(text)
    }
    guard width != nil || height != nil else {
      for option in ["fit", "gravity", "dpr", "enlarge"] where arguments.has(option) {
        throw .usage("--\(option) needs a size: --resize WxH, --width N or --height N")
      }
      return nil
    }
    let fit: Fit = try arguments.choice("fit", default: .inside)
    guard !arguments.has("gravity") || [.cover, .contain].contains(fit) else {
      throw .usage("--gravity is for --fit cover and --fit contain, not for --fit \(fit.rawValue)")
    }
    self.init(
      width: width, height: height, fit: fit,
      gravity: try arguments.choice("gravity", default: .center),
      dpr: try arguments.dpr() ?? 1, enlarges: arguments.has("enlarge"),
      background: try arguments.background())
  }

  private static func box(_ text: String) throws(Failure) -> (width: Int?, height: Int?) {
    let words = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
    let values = words.map { Int($0) }
    guard words.count == 2, words != ["", ""],
      zip(words, values).allSatisfy({ $0.isEmpty || $1.map(sides.contains) == true })
    else {
      throw .usage(
        "--resize is \(text); it must be a width and a height, or one of them, such as 300x200, "
          + "300x or x200, from 1 to \(sides.upperBound)")
    }
    return (values[0], values[1])
  }
}

extension ParsedArguments {
  /// The value of `dpr`.
  func dpr() throws(Failure) -> Double? { try number("dpr", in: 0.1...10) }

  /// The value of `scale`, pixels per point: that of `dpr` where it is not given.
  package func scale() throws(Failure) -> Double? {
    if let scale = try ownScale() { return scale }
    return try dpr()
  }

  /// The value of `scale` alone: regions of a redaction are those of the image before it gets another size.
  package func ownScale() throws(Failure) -> Double? { try number("scale", in: 0.001...1000) }
}

extension ParsedArguments {
  /// Returns the options for reading and writing an image that is redacted. Regions are for the image as it is, so it
  /// is resized after everything is covered; no pixel then holds anything of what was covered.
  package func redactionFiles() throws(Failure) -> (DecodeOptions, EncodeOptions) {
    var decoding = try self.decoding()
    var encoding = try self.encoding(strip: !has("keep-metadata"))
    encoding.resize = decoding.resize
    decoding.resize = nil
    return (decoding, encoding)
  }
}

/// The options that say how an image is put on a canvas of another shape.
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
