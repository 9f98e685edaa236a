package import FrostglassCore
import TestSupport

/// An image and what is done to it, as a value that can be written down, read again and made smaller.
///
/// The text form is one line of `key=value` fields with tabs between them; what is left out is as in
/// `ChainCase()`. A case that found a mistake is kept as such a line.
package struct ChainCase: Sendable, Hashable {
  /// The kinds of samples of the image.
  package enum Content: String, Sendable, CaseIterable {
    /// Anything from 0 to 1.
    case noise
    /// 0 or 1.
    case extremes
    /// Mostly 0.
    case sparse
  }

  /// A filter of the chain with the parameters that are given, in text form.
  package struct FilterCall: Sendable, Hashable {
    package var name: String
    package var parameters: [String]

    var text: String { "\(name)(\(parameters.joined(separator: ", ")))" }
  }

  /// The mask, its shapes in text form.
  package struct MaskCall: Sendable, Hashable {
    package var shapes: String
    package var feather = 0.0
    package var grow = 0.0
    package var isInverted = false
    /// A `Mask.Use` or a `Redaction.Fill`.
    package var use = Mask.Use.show.rawValue
  }

  package var size = Size(width: 16, height: 16)
  package var format = PixelFormat.rgba8
  package var alpha = AlphaMode.straight
  package var content = Content.noise
  /// The seed of the samples.
  package var seed: UInt64 = 1
  package var filters: [FilterCall] = []
  package var edge = EdgeMode.clamp
  package var linearLight = false
  package var scale = 1.0
  package var quality = PlanOptions.Quality.high
  package var mask: MaskCall?
  /// A part of the result that is also computed on its own.
  package var part: Rect?

  package init() {}

  /// The chain in text form.
  package var chainText: String { filters.map(\.text).joined(separator: " ") }

  /// The image.
  package func image() -> Image {
    var random = TestImages.Random(seed: seed)
    func sample() -> Float {
      let value = random.next()
      return switch content {
      case .noise: value
      case .extremes: value < 0.5 ? 0 : 1
      case .sparse: value < 0.9 ? 0 : (value - 0.9) * 10
      }
    }
    let isPremultiplied = format.layout.hasAlpha && alpha == .premultiplied
    var pixel: [Float] = []
    return TestImages.make(size.width, size.height, format, alpha: alpha) { _, _, channel in
      if channel == 0 {
        pixel = (0..<format.layout.channels).map { _ in sample() }
        if isPremultiplied { pixel = pixel.map { min($0, pixel[3]) } }
      }
      return pixel[channel]
    }
  }

  /// Returns the options of the chain's plan.
  ///
  /// - Throws: `RegionTextError` if the mask's shapes cannot be parsed.
  package func options() throws -> PlanOptions {
    PlanOptions(
      edge: edge, quality: quality, linearLight: linearLight, scale: scale,
      mask: try mask.map { mask in
        let redaction = Redaction.Fill(rawValue: mask.use).map { Redaction($0) }
        return Mask(
          try MaskShape.list(text: mask.shapes), feather: Length(mask.feather),
          grow: Length(mask.grow), isInverted: mask.isInverted,
          use: Mask.Use(rawValue: mask.use) ?? .show, redaction: redaction)
      })
  }

  /// The plan.
  ///
  /// - Throws: `FilterTextError`, `RegionTextError`, or `PlanError` for values out of range.
  package func plan() throws -> Plan {
    let input = Plan.Input(
      size: size, format: format, alpha: format.layout.hasAlpha ? alpha : .opaque,
      transfer: .encoded)
    return try FilterChain(text: chainText).plan(for: input, options: options())
  }
}

extension ChainCase: CustomStringConvertible {
  package var description: String {
    var fields = [
      "size=\(size.width)x\(size.height)", "format=\(format)", "alpha=\(alpha)",
      "content=\(content.rawValue)", "seed=\(seed)", "edge=\(edge.rawValue)",
      "quality=\(quality.rawValue)", "scale=\(scale)", "linear=\(linearLight)",
    ]
    if let mask {
      fields += [
        "mask=\(mask.shapes)", "feather=\(mask.feather)", "grow=\(mask.grow)",
        "inverted=\(mask.isInverted)", "use=\(mask.use)",
      ]
    }
    if let part { fields.append("part=\(part.x),\(part.y),\(part.width),\(part.height)") }
    fields.append(
      "filters="
        + filters.map { "\($0.name)|\($0.parameters.joined(separator: "|"))" }
        .joined(separator: "||"))
    return fields.joined(separator: "\t")
  }

  /// Reads a line; `nil` where a field is none or holds no value.
  package init?(_ line: String) {
    self.init()
    var mask = MaskCall(shapes: "")
    for field in line.split(separator: "\t") {
      guard let equals = field.firstIndex(of: "=") else { return nil }
      let value = String(field[field.index(after: equals)...])
      guard read(String(field[..<equals]), value, &mask) else { return nil }
    }
    if !mask.shapes.isEmpty { self.mask = mask }
  }

  private mutating func read(_ key: String, _ value: String, _ mask: inout MaskCall) -> Bool {
    func set<Value>(_ target: inout Value, _ new: Value?) -> Bool {
      guard let new else { return false }
      target = new
      return true
    }
    let numbers = value.split { $0 == "," || $0 == "x" }.compactMap { Int($0) }
    switch key {
    case "size":
      return set(&size, numbers.count == 2 ? Size(width: numbers[0], height: numbers[1]) : nil)
    case "format": return set(&format, PixelFormat.all.first { "\($0)" == value })
    case "alpha": return set(&alpha, AlphaMode.allCases.first { "\($0)" == value })
    case "content": return set(&content, Content(rawValue: value))
    case "seed": return set(&seed, UInt64(value))
    case "edge": return set(&edge, EdgeMode(rawValue: value))
    case "quality": return set(&quality, PlanOptions.Quality(rawValue: value))
    case "scale": return set(&scale, Double(value))
    case "linear": return set(&linearLight, Bool(value))
    case "mask": mask.shapes = value
    case "feather": return set(&mask.feather, Double(value))
    case "grow": return set(&mask.grow, Double(value))
    case "inverted": return set(&mask.isInverted, Bool(value))
    case "use": mask.use = value
    case "part":
      guard numbers.count == 4 else { return false }
      part = Rect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    case "filters":
      filters = value.split(separator: "||").map { call in
        let words = call.split(separator: "|").map { String($0) }
        return FilterCall(name: words[0], parameters: Array(words.dropFirst()))
      }
    default: return false
    }
    return true
  }
}
