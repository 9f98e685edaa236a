/// One shape of a mask.
///
/// Coordinates count from the image's top left corner; those in percent are hundredths of its
/// width or height. Radii in percent are hundredths of the image's shorter side.
public enum MaskShape: Sendable, Hashable {
  /// A rectangle; `radius` rounds its corners, `isContinuous` as iOS does.
  case rectangle(
    x: Length, y: Length, width: Length, height: Length, radius: Length = 0,
    isContinuous: Bool = false)
  /// The ellipse in a rectangle.
  case ellipse(x: Length, y: Length, width: Length, height: Length)
  /// A closed polygon of three or more corners.
  case polygon([Corner])
  /// Coverage that rises from 0 at one point to 1 at another.
  case gradient(from: Corner, to: Corner, easing: MaskShape.Easing = .linear)
  /// A channel of another image, stretched to the size of the one that is masked.
  case picture(MaskImage)

  /// A point.
  public struct Corner: Sendable, Hashable {
    /// From the image's left border; percent are of its width.
    public var x: Length
    /// From the image's top border; percent are of its height.
    public var y: Length

    /// A point from the image's top left corner.
    public init(x: Length, y: Length) {
      self.x = x
      self.y = y
    }
  }

  /// The curve along which the coverage of a gradient rises.
  public enum Easing: String, Sendable, Hashable, CaseIterable {
    /// Evenly.
    case linear
    /// Slowly at both ends: `t² (3 − 2t)`.
    case smooth
    /// Slowly at first: `t²`.
    case easeIn = "ease-in"
    /// Slowly at last: `1 − (1 − t)²`.
    case easeOut = "ease-out"

    /// The coverage at a share `t`, 0…1, of the way.
    func apply(_ t: Double) -> Double {
      switch self {
      case .linear: t
      case .smooth: smoothstep(t)
      case .easeIn: t * t
      case .easeOut: t * (2 - t)
      }
    }
  }

  /// Each row looks at every side.
  private static let mostCorners = 5000
  /// Corners rounded less are not, as nobody could see it.
  private static let smallestRadius = 1e-3
  /// Half of an ellipse's width: of less, whose square would be nothing, nothing could be told.
  private static let smallestEllipse = 1e-6

  /// The shape in pixels.
  func outline(in size: Size, scale: Double) throws(PlanError) -> CoverageShape.Outline {
    let frame = MaskFrame(size: size, scale: scale)
    switch self {
    case .rectangle(let x, let y, let width, let height, let radius, let isContinuous):
      let box = try frame.box(x, y, width, height)
      let radius = try radius.pixels(
        for: size, scale: scale, in: 0...100_000, filter: "mask", parameter: "radius")
      return .rectangle(
        RoundedRectangle(
          left: box.left, top: box.top, right: box.right, bottom: box.bottom,
          radius: radius < MaskShape.smallestRadius ? 0 : radius,
          isContinuous: isContinuous))
    case .ellipse(let x, let y, let width, let height):
      let box = try frame.box(x, y, width, height)
      return .ellipse(
        Ellipse(
          x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2,
          radiusX: max((box.right - box.left) / 2, MaskShape.smallestEllipse),
          radiusY: max((box.bottom - box.top) / 2, MaskShape.smallestEllipse)))
    case .polygon(let corners):
      guard (3...MaskShape.mostCorners).contains(corners.count) else {
        throw .badValue(
          filter: "mask", parameter: "polygon", value: "\(corners.count) corners",
          accepted: "3 to \(MaskShape.mostCorners) corners")
      }
      var points: [Polygon.Corner] = []
      for corner in corners { points.append(try frame.point(corner)) }
      return .polygon(Polygon(points))
    case .gradient(let from, let to, let easing):
      return .ramp(Ramp(from: try frame.point(from), to: try frame.point(to), easing: easing))
    case .picture(let picture): return .picture(picture.stretched(to: size))
    }
  }
}

extension MaskShape: CustomStringConvertible {
  /// The shape in words.
  public var description: String {
    switch self {
    case .rectangle(let x, let y, let width, let height, _, _):
      "a rectangle of \(width) × \(height) at \(x), \(y)"
    case .ellipse(let x, let y, let width, let height):
      "an ellipse of \(width) × \(height) at \(x), \(y)"
    case .polygon(let corners): "a polygon of \(corners.count) corners"
    case .gradient: "a gradient"
    case .picture(let picture): "a mask of \(picture.size)"
    }
  }
}

extension MaskShape {
  /// The smallest rectangle with all pixels of an image that the shape touches, even in part; `nil`
  /// when there are none.
  ///
  /// - Throws: `PlanError.badValue` when the shape is none for an image of this size.
  public func bounds(in size: Size, scale: Double = 1) throws(PlanError) -> Rect? {
    let picture = Rect(size)
    let box: Rect?
    switch try outline(in: size, scale: scale) {
    case .rectangle(let shape): box = Rect(shape.left, shape.top, shape.right, shape.bottom)
    case .ellipse(let shape):
      box = Rect(
        shape.x - shape.radiusX, shape.y - shape.radiusY, shape.x + shape.radiusX,
        shape.y + shape.radiusY)
    case .polygon(let shape): box = Rect(shape.left, shape.top, shape.right, shape.bottom)
    case .ramp(let ramp): box = ramp.part(above: 0, of: picture)
    case .picture(let mask): box = mask.part(above: 0)
    }
    guard let inside = box?.intersection(picture), !inside.isEmpty else { return nil }
    return inside
  }
}

/// The image that a mask's coordinates refer to.
private struct MaskFrame {
  let size: Size
  let scale: Double
  private static let most = 1_000_000.0

  func box(
    _ x: Length, _ y: Length, _ width: Length, _ height: Length
  ) throws(PlanError) -> (left: Double, top: Double, right: Double, bottom: Double) {
    let left = try pixels(x, size.width, "x")
    let top = try pixels(y, size.height, "y")
    let width = try pixels(width, size.width, "width")
    let height = try pixels(height, size.height, "height")
    guard width > 0, height > 0 else {
      throw .badValue(
        filter: "mask", parameter: width > 0 ? "height" : "width",
        value: "\(shortest(width > 0 ? height : width))px", accepted: "over 0 px")
    }
    return (left, top, left + width, top + height)
  }

  func point(_ corner: MaskShape.Corner) throws(PlanError) -> Polygon.Corner {
    Polygon.Corner(
      x: try pixels(corner.x, size.width, "x"), y: try pixels(corner.y, size.height, "y"))
  }

  private func pixels(
    _ length: Length, _ extent: Int, _ name: String
  ) throws(PlanError) -> Double {
    let pixels =
      switch length.unit {
      case .pixels: length.value
      case .points: length.value * scale
      case .percent: length.value / 100 * Double(extent)
      }
    guard abs(pixels) <= MaskFrame.most else {
      throw .badValue(
        filter: "mask", parameter: name, value: "\(length)",
        accepted: "from -1000000 to 1000000 px")
    }
    return pixels
  }
}

extension Rect {
  /// The pixels between these coordinates, which are within some millions.
  fileprivate init(_ left: Double, _ top: Double, _ right: Double, _ bottom: Double) {
    func pixels(_ low: Double, _ high: Double) -> Range<Int> {
      let first = Int(low.rounded(.down))
      return first..<max(Int(high.rounded(.up)), first)
    }
    self.init(columns: pixels(left, right), rows: pixels(top, bottom))
  }
}

/// Coverage of each pixel, from an image; one sample per pixel of the image that is masked.
public struct MaskImage: Sendable, Hashable {
  /// Width and height in pixels.
  public let size: Size
  /// Row after row; 65535 is wholly covered.
  public let samples: [UInt16]
  /// True if an alpha channel was asked for and the image had none.
  let lacksAlpha: Bool

  package init(size: Size, samples: [UInt16]) {
    self.init(size: size, samples: samples, lacksAlpha: false)
  }

  private init(size: Size, samples: [UInt16], lacksAlpha: Bool) {
    self.size = size
    self.samples = samples
    self.lacksAlpha = lacksAlpha
  }

  // Equal images have equal sizes; that tells most others apart without reading them all.
  /// Feeds size and a few samples to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(size)
    hasher.combine(samples.first)
    hasher.combine(samples.last)
  }

  func add(to target: UnsafeMutableBufferPointer<Float>, _ y: Int, _ columns: Range<Int>) {
    let start = y * size.width + columns.lowerBound
    samples.withUnsafeBufferPointer { samples in
      for index in target.indices {
        target[index] = max(target[index], Float(samples[start + index]) / 65535)
      }
    }
  }

  func part(above value: Double) -> Rect? {
    part { Double($0) / 65535 > value }
  }

  func part(below value: Double) -> Rect? {
    part { Double($0) / 65535 < value }
  }

  private func part(where holds: (UInt16) -> Bool) -> Rect? {
    var columns = 0..<0
    var rows: Range<Int>?
    for y in 0..<size.height {
      let row = samples[y * size.width..<(y + 1) * size.width]
      guard let first = row.firstIndex(where: holds), let last = row.lastIndex(where: holds)
      else { continue }
      let found = first - row.startIndex..<last - row.startIndex + 1
      columns = rows == nil ? found : columns.union(found)
      rows = (rows?.lowerBound ?? y)..<y + 1
    }
    return rows.map { Rect(columns: columns, rows: $0) }
  }
}

/// The channel of an image that serves as a mask.
public enum MaskChannel: String, Sendable, Hashable, CaseIterable {
  /// Alpha where the image has an alpha channel, luma otherwise.
  case automatic = "auto"
  /// Rec. 709 luma of the encoded colors, times alpha.
  case luma
  /// The alpha channel; 1 without one.
  case alpha
  /// The red channel; gray images have three equal ones.
  case red
  /// The green channel.
  case green
  /// The blue channel.
  case blue

  /// A pixel's share, 0…1, from straight values.
  func value(red: Float, green: Float, blue: Float, alpha: Float, hasAlpha: Bool) -> Float {
    switch self {
    case .automatic: hasAlpha ? alpha : luma(red, green, blue)
    case .luma: luma(red, green, blue) * alpha
    case .alpha: alpha
    case .red: red
    case .green: green
    case .blue: blue
    }
  }

  private func luma(_ red: Float, _ green: Float, _ blue: Float) -> Float {
    let weights = Luma.rec709.weights
    return Float(weights.x) * red + Float(weights.y) * green + Float(weights.z) * blue
  }
}

extension MaskImage {
  /// A channel of an image.
  public init(_ image: Image, _ channel: MaskChannel = .automatic) {
    let layout = image.format.layout
    let last = layout.channels - 1
    // The fourth channel of an opaque image is meaningless.
    let hasAlpha = layout.hasAlpha && image.alpha != .opaque
    var samples: [UInt16] = []
    samples.reserveCapacity(image.size.area)
    for y in 0..<image.size.height {
      for x in 0..<image.size.width {
        func sample(_ index: Int) -> Float {
          image.sample(x: x, y: y, channel: layout == .gray ? 0 : index)
        }
        let alpha: Float = hasAlpha ? image.sample(x: x, y: y, channel: last) : 1
        let divisor: Float = image.alpha == .premultiplied && alpha > 0 ? alpha : 1
        let value = channel.value(
          red: sample(0) / divisor, green: sample(1) / divisor, blue: sample(2) / divisor,
          alpha: alpha, hasAlpha: hasAlpha)
        samples.append(UInt16(Float.minimum(1, Float.maximum(0, value)) * 65535 + 0.5))
      }
    }
    self.init(
      size: image.size, samples: samples, lacksAlpha: channel == .alpha && !hasAlpha)
  }

  /// The mask at another size: interpolated linearly where it grows, means of areas where it
  /// shrinks. What is not wholly 0 does not become 0 by rounding, nor full what is not wholly full.
  package func stretched(to target: Size) -> MaskImage {
    guard target != size else { return self }
    let columns = MaskImage.shares(target.width, from: size.width)
    let rows = MaskImage.shares(target.height, from: size.height)
    var result: [UInt16] = []
    result.reserveCapacity(target.area)
    // A few source rows, of a mask that is wide and low for an image that is high, are made narrow once.
    guard target.height / size.height < 8 || size.width / target.width < 8 else {
      let narrow = (0..<size.height).map { y in
        columns.map { $0.reduce(0) { $0 + Double(samples[y * size.width + $1.index]) * $1.share } }
      }
      for row in rows {
        for x in 0..<target.width {
          result.append(MaskImage.rounded(row.reduce(0) { $0 + narrow[$1.index][x] * $1.share }))
        }
      }
      return MaskImage(size: target, samples: result)
    }
    var line = [Double](repeating: 0, count: size.width)
    for row in rows {
      for x in line.indices {
        line[x] = row.reduce(0) { $0 + Double(samples[$1.index * size.width + x]) * $1.share }
      }
      for column in columns {
        result.append(MaskImage.rounded(column.reduce(0) { $0 + line[$1.index] * $1.share }))
      }
    }
    return MaskImage(size: target, samples: result)
  }

  private static func rounded(_ value: Double) -> UInt16 {
    let full = 65535.0
    // Shares sum to 1, except for rounding.
    if value > full - 1e-6 { return 65535 }
    return value > 1e-6 ? UInt16(min(max(value.rounded(), 1), full - 1)) : 0
  }

  /// For each target pixel the source pixels that make it, with their shares.
  private static func shares(_ count: Int, from source: Int) -> [[(index: Int, share: Double)]] {
    let ratio = Double(source) / Double(count)
    return (0..<count).map { target in
      guard ratio > 1 else {
        let place = min(max((Double(target) + 0.5) * ratio - 0.5, 0), Double(source - 1))
        let low = Int(place)
        let share = place - Double(low)
        return share > 0 ? [(low, 1 - share), (low + 1, share)] : [(low, 1)]
      }
      let (start, end) = (Double(target) * ratio, Double(target + 1) * ratio)
      let pixels = Int(start)..<min(Int(end.rounded(.up)), source)
      return pixels.map { pixel in
        (pixel, (min(end, Double(pixel + 1)) - max(start, Double(pixel))) / ratio)
      }
    }
  }
}
