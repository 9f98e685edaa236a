internal import Glibc

/// The share of each pixel that a mask covers, 0…1: shapes in pixels, ready to be computed.
///
/// Several shapes cover what any of them covers: the largest coverage counts. The border of a shape without feather is
/// anti-aliased over one pixel, so a rectangle on whole pixels covers them wholly and no others.
package struct Coverage: Sendable, Hashable {
  package var shapes: [CoverageShape]
  /// True if the shapes are left out and the rest is covered.
  package var isInverted: Bool
  /// The window that turns coverage into the share of one scale of a variable blur; `nil` leaves coverage as it is.
  package var window: BlurWindow?
  /// True if 1 marks pixels that are not covered at all and 0 all others; a redaction may see only the former.
  package var isUntouched = false
  /// The plane whose samples are covered, and how they share what their pixels are; `nil` are pixels.
  package var plane: SampledPlane?
  package var sharing = SampledPlane.Sharing.mean
  /// The bounds of the covered samples, if known.
  private var bounds: Rect?

  package init(_ shapes: [CoverageShape], isInverted: Bool = false, window: BlurWindow? = nil) {
    self.shapes = shapes
    self.isInverted = isInverted
    self.window = window
  }

  /// The pixels that are not covered at all.
  var untouched: Coverage {
    var coverage = self
    coverage.isUntouched = true
    return coverage
  }

  /// Computes some columns of a row.
  ///
  /// - Parameter near: an index of the shapes near each row, if there is one; the result is the same.
  package func row(
    _ y: Int, _ columns: Range<Int>, _ near: ShapesByRow? = nil,
    into target: UnsafeMutableBufferPointer<Float>
  ) {
    func pixels(_ y: Int, _ columns: Range<Int>, into target: UnsafeMutableBufferPointer<Float>) {
      self.pixels(y, columns, near, into: target)
    }
    guard let plane, !columns.isEmpty else { return pixels(y, columns, into: target) }
    guard let bounds else { return plane.gather(y, columns, into: target, sharing, row: pixels) }
    target.update(repeating: isUntouched ? 1 : 0)
    let part = bounds.columns.clamped(to: columns)
    guard bounds.rows.contains(y), !part.isEmpty else { return }
    let start = part.lowerBound - columns.lowerBound
    plane.gather(
      y, part, into: .init(rebasing: target[start..<start + part.count]), sharing, row: pixels)
  }

  private func pixels(
    _ y: Int, _ columns: Range<Int>, _ near: ShapesByRow?,
    into target: UnsafeMutableBufferPointer<Float>
  ) {
    target.update(repeating: 0)
    if let near, near.knows(y, columns) {
      near.forEach(y) { shapes[$0].add(to: target, y, columns) }
    } else {
      for shape in shapes { shape.add(to: target, y, columns) }
    }
    if isInverted { for index in target.indices { target[index] = 1 - target[index] } }
    if isUntouched { for index in target.indices { target[index] = target[index] > 0 ? 0 : 1 } }
    guard let window else { return }
    for index in target.indices { target[index] = window.share(of: target[index]) }
  }

  /// Returns the index of shapes near each row of a part; `nil` where there are too few shapes for one.
  ///
  /// - Parameter part: samples, of the plane where there is one.
  package func shapesByRow(in part: Rect) -> ShapesByRow? {
    ShapesByRow(self, in: plane.map { Rect($0.picture) } ?? part)
  }

  /// A rectangle that holds all pixels covered more than `value` (in the window's terms when there
  /// is one: more than 0), as small as is easily known; `nil` when there are none.
  package func part(above value: Double, of picture: Rect) -> Rect? {
    if let plane {
      return pixels.part(above: value, of: Rect(plane.picture)).flatMap {
        plane.samples(of: $0, in: picture)
      }
    }
    // Uncovered pixels count less than any covered ones.
    if isUntouched { return covered.part(below: 1e-9, of: picture) }
    let least = window.map(\.low) ?? value
    return isInverted
      ? part(ofShapesBelow: 1 - least, picture) : part(ofShapesAbove: least, picture)
  }

  /// A rectangle that holds all pixels covered less than `value` (with a window: less than 1).
  package func part(below value: Double, of picture: Rect) -> Rect? {
    if let plane {
      return pixels.part(below: value, of: Rect(plane.picture)).flatMap {
        plane.samples(of: $0, in: picture)
      }
    }
    if isUntouched { return covered.part(above: 0, of: picture) }
    let most = window.map(\.high) ?? value
    return isInverted
      ? part(ofShapesAbove: 1 - most, picture) : part(ofShapesBelow: most, picture)
  }

  /// The coverage of the pixels, without a plane.
  var pixels: Coverage {
    var coverage = self
    (coverage.plane, coverage.bounds) = (nil, nil)
    return coverage
  }

  /// Returns the coverage of the samples of a plane.
  func sampled(_ plane: SampledPlane, _ sharing: SampledPlane.Sharing) -> Coverage {
    var coverage = self
    (coverage.plane, coverage.sharing) = (plane, sharing)
    if !isInverted, window == nil {
      coverage.bounds = covered.part(above: 0, of: Rect(plane.picture)).flatMap {
        plane.samples(of: $0, in: plane.whole)
      }
    }
    return coverage
  }

  /// Returns the coverage of some of the shapes alone.
  func only(_ some: [Int]) -> Coverage {
    guard some.count < shapes.count else { return self }
    var coverage = pixels
    coverage.shapes = some.map { shapes[$0] }
    return plane.map { coverage.sampled($0, sharing) } ?? coverage
  }

  /// Groups of shapes in rectangles that do not overlap, which can be processed independently.
  ///
  /// - Parameters:
  ///   - picture: its pixels.
  ///   - margin: rectangles are larger by so many pixels to each side, inside the image.
  ///   - most: more are taken as one.
  func islands(of picture: Rect, margin: Int = 0, most: Int = 32) -> [CoverageIsland] {
    func around(_ part: Rect) -> Rect {
      Rect(columns: part.columns.expanded(by: margin), rows: part.rows.expanded(by: margin))
        .intersection(picture)
    }
    guard !isInverted else {
      let part = pixels.part(above: 0, of: picture)
      return part.map {
        [CoverageIsland(box: around($0), shapes: Array(shapes.indices), parts: [$0])]
      } ?? []
    }
    let parts = shapes.enumerated().compactMap { index, shape in
      shape.part(above: 0, of: picture).map {
        CoverageIsland(box: around($0), shapes: [index], parts: [$0])
      }
    }
    var islands: [CoverageIsland] = []
    for part in parts {
      var island = part
      // A joined rectangle may touch another.
      while let index = islands.firstIndex(where: { !$0.box.intersection(island.box).isEmpty }) {
        island.join(islands.remove(at: index))
      }
      islands.append(island)
      guard islands.count <= most else {
        var all = parts[0]
        for part in parts.dropFirst() { all.join(part) }
        return [all]
      }
    }
    return islands
  }

  /// Shapes that may cover something of a part of the image; of what is inverted, all.
  ///
  /// - Parameters: in pixels.
  func shapes(touching part: Rect, of picture: Rect) -> [Int] {
    shapes.indices.filter { index in
      isInverted
        || shapes[index].part(above: 0, of: picture).map { !$0.intersection(part).isEmpty } ?? false
    }
  }

  /// The coverage of which this is what it leaves untouched.
  private var covered: Coverage { Coverage(shapes, isInverted: isInverted) }

  private func part(ofShapesAbove value: Double, _ picture: Rect) -> Rect? {
    shapes.compactMap { $0.part(above: value, of: picture) }
      .reduce(nil) { (whole: Rect?, part: Rect) in whole?.union(part) ?? part }
  }

  /// Only where all shapes are below is their largest.
  private func part(ofShapesBelow value: Double, _ picture: Rect) -> Rect? {
    var part = picture
    for shape in shapes {
      guard let below = shape.part(below: value, of: picture) else { return nil }
      part = part.intersection(below)
      if part.isEmpty { return nil }
    }
    return part
  }
}

/// Shapes of a coverage that lie together.
struct CoverageIsland {
  /// A rectangle around all of them, with a margin.
  var box: Rect
  /// The indices of the shapes.
  var shapes: [Int]
  /// The rectangle of each shape.
  var parts: [Rect]

  /// A rectangle around all of them, without a margin.
  var whole: Rect { parts.dropFirst().reduce(parts[0]) { $0.union($1) } }

  /// - Parameter other: nobody else's, so that the larger one can be added to where it is: of very many, all
  ///   would be copied for each.
  fileprivate mutating func join(_ other: consuming CoverageIsland) {
    if other.shapes.count > shapes.count { swap(&self, &other) }
    box = box.union(other.box)
    shapes += other.shapes
    parts += other.parts
  }
}

extension Coverage: CustomStringConvertible {
  package var description: String {
    (isUntouched ? "what is outside of " : "") + (isInverted ? "all but " : "")
      + shapes.map { "\($0)" }.joined(separator: ", ")
      + (window.map { window in
        let (low, high) = (window.low * window.most, window.high * window.most)
        return ", share of σ \(decimal(high, places: 2)) over \(decimal(low, places: 2))"
      } ?? "")
  }
}

/// The share of the larger of two neighboring scales that makes the blur of a coverage.
///
/// `σ = most × v`, and with the variance `V(σ)` of the sampled kernel the share is
/// `(V(σ) − V(low)) / (V(high) − V(low))`, limited to 0…1: the mix then has the variance of σ.
package struct BlurWindow: Sendable, Hashable {
  /// The coverage up to which the share is 0.
  package let low: Double
  /// The coverage from which the share is 1.
  package let high: Double
  /// Standard deviation at full coverage, in pixels.
  package let most: Double
  /// The variance where the share is 0.
  package let lowVariance: Double
  /// The growth of the share per variance.
  package let slope: Double

  /// - Parameters: standard deviations in pixels, `low < high ≤ most`, and `high` strong enough to change something.
  init(from low: Double, to high: Double, most: Double) {
    self.low = low / most
    self.high = high / most
    self.most = most
    lowVariance = BlurWindow.variance(of: low)
    slope = 1 / (BlurWindow.variance(of: high) - lowVariance)
  }

  /// The share for a coverage.
  func share(of coverage: Float) -> Float {
    let value = Double(coverage)
    if value <= low { return 0 }
    if value >= high { return 1 }
    return inner(value)
  }

  /// Turns coverages between `low` and `high` into shares.
  package func makeShares(_ values: UnsafeMutableBufferPointer<Float>) {
    for index in values.indices { values[index] = inner(Double(values[index])) }
  }

  private func inner(_ value: Double) -> Float {
    Float((BlurWindow.variance(of: value * most) - lowVariance) * slope)
  }

  /// The variance of the Gaussian sampled at whole numbers; that of the true one from 1 on, where
  /// they differ by less than 10⁻⁷.
  private static func variance(of sigma: Double) -> Double {
    guard sigma < 1 else { return sigma * sigma }
    guard sigma > GaussianDesign.weakestSigma else { return 0 }
    // The weight at a distance k is the first one's k²-th power.
    let first = exp(-1 / (2 * sigma * sigma))
    let square = first * first
    // From one weight to the next the exponent grows by 3, 5, 7, …
    var (weight, step) = (first, first * square)
    var (weights, moments) = (1.0, 0.0)
    for k in 1...6 {
      weights += 2 * weight
      moments += 2 * weight * Double(k * k)
      weight *= step
      step *= square
    }
    return moments / weights
  }
}

// Bounds on a mask's coverage of a part of an image, without evaluating each pixel.
extension Coverage {
  /// Numbers between which the coverage of all pixels of a part lies; 0 and 1 where that is not easily
  /// known.
  package func range(in part: Rect) -> ClosedRange<Float> {
    guard plane == nil, window == nil, !isUntouched, !part.isEmpty else { return 0...1 }
    var (low, high) = (0.0, 0.0)
    for shape in shapes {
      let range = shape.range(in: part)
      (low, high) = (max(low, range.lowerBound), max(high, range.upperBound))
    }
    if isInverted { (low, high) = (1 - high, 1 - low) }
    // Rounding may make easing fall by one ulp where it should rise.
    let doubt = 1e-6
    return Float(low < 1 ? max(low - doubt, 0) : 1)...Float(high > 0 ? min(high + doubt, 1) : 0)
  }
}

extension CoverageShape {
  fileprivate func range(in part: Rect) -> ClosedRange<Double> {
    switch outline {
    case .rectangle(let shape): range(in: part, slope: shape.slope, shape.distance)
    case .ellipse(let shape): range(in: part, slope: 1, shape.distance)
    case .polygon(let shape): range(in: part, slope: 1, shape.distance)
    case .ramp(let ramp): ramp.range(in: part)
    case .picture: 0...1
    }
  }

  /// The distance of the part's middle says how far all its pixels are, as it changes slowly.
  private func range(
    in part: Rect, slope: Double, _ distance: (Double, Double) -> Double
  ) -> ClosedRange<Double> {
    let middle = distance(
      Double(part.x) + Double(part.width) / 2, Double(part.y) + Double(part.height) / 2)
    let half = SIMD2(Double(part.width - 1), Double(part.height - 1)) / 2
    let reach = (half * half).sum().squareRoot() * slope + 1e-6
    guard middle.isFinite else { return 0...1 }
    return coverage(at: middle - grow + reach)...coverage(at: middle - grow - reach)
  }
}
