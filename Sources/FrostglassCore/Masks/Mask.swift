internal import Glibc

/// The area where a filter chain acts: shapes and mask images, in any unit, for images of any size.
///
/// The mask is the union of its shapes. Without feather, borders are anti-aliased over one pixel. Hidden pixels are
/// not computed.
public struct Mask: Sendable, Hashable {
  /// The use of the coverage.
  public enum Use: String, Sendable, Hashable, CaseIterable {
    /// The effect is visible where the mask covers, over the original image.
    case show
    /// The same, and the chain reads covered pixels only: nothing from outside bleeds in, and
    /// excluded areas get no halo. Alpha stays the image's own.
    case confine
    /// Standard deviations are multiplied by the coverage: `σ(x, y) = σ × coverage`, for every
    /// Gaussian of the chain. Other filters act everywhere.
    case scale
  }

  /// The covered shapes; the mask is their union.
  public var shapes: [MaskShape]
  /// The distance outside the shapes over which coverage falls smoothly to 0; the shapes stay fully
  /// covered. 0 is a sharp border.
  public var feather: Length
  /// The distance by which borders move outward; negative is inward. In a redaction it is a margin of 0 or more,
  /// outward from the hidden area, also if the mask is inverted.
  public var grow: Length
  /// True if the mask covers the outside of the shapes.
  public var isInverted: Bool
  /// The use of the coverage.
  public var use: Use
  /// The redaction that replaces covered pixels before the chain sees the image; `nil` leaves them.
  public var redaction: Redaction?
  /// The sizes of the images in which shapes were found, as far as they are known: of one image, if all is well.
  public var imageSizes: Set<Size> = []
  /// The doubts that are errors when the mask is applied, as they may leave something visible; none by
  /// default.
  public var refused: Set<MaskWarning.Kind> = []
  /// True if an empty mask leaves the image unchanged; otherwise
  /// it is an error, as always for shapes outside the image and for redactions.
  public var mayCoverNothing = false

  /// A mask of these shapes; settings left out have their defaults.
  public init(
    _ shapes: [MaskShape], feather: Length = 0, grow: Length = 0, isInverted: Bool = false,
    use: Use = .show, redaction: Redaction? = nil
  ) {
    self.shapes = shapes
    self.feather = feather
    self.grow = grow
    self.isInverted = isInverted
    self.use = use
    self.redaction = redaction
  }

  /// Returns the mask in pixels of one image.
  ///
  /// - Throws: `PlanError.badValue` for lengths out of range, and when the mask covers nothing.
  func coverage(of size: Size, scale: Double) throws(PlanError) -> Coverage {
    let feather = try self.feather.pixels(
      for: size, scale: scale, in: 0...100_000, filter: "mask", parameter: "feather")
    let grow = try self.grow.pixels(
      for: size, scale: scale, in: -100_000...100_000, filter: "mask", parameter: "grow")
    var outlines: [CoverageShape] = []
    for shape in shapes {
      let outline = try shape.outline(in: size, scale: scale)
      if case .picture(let picture) = outline {
        let moved = picture.moved(outward: grow, feather: feather)
        outlines.append(CoverageShape(.picture(moved)))
      } else {
        outlines.append(CoverageShape(outline, feather: feather, grow: grow))
      }
    }
    let coverage = Coverage(outlines, isInverted: isInverted)
    guard coverage.part(above: 0, of: Rect(size)) != nil || isMeantToBeEmpty else {
      throw .badValue(
        filter: "mask", parameter: isInverted ? "outside" : "region",
        value: shapes.map { "\($0)" }.joined(separator: ", "),
        accepted: "something that covers a part of the image of \(size)")
    }
    return coverage
  }

  private var isMeantToBeEmpty: Bool {
    mayCoverNothing && redaction == nil
      && shapes.allSatisfy { if case .picture = $0 { true } else { false } }
  }
}

/// An irreversible replacement of covered pixels, before any filter reads the image.
///
/// Every pixel that a shape touches, even partly, is replaced, and a margin of
/// the mask's `grow`. Feathering begins outside of it. The filters of the chain then work on the
/// result and are visible inside the mask.
public struct Redaction: Sendable, Hashable {
  /// The replacement of covered pixels.
  public enum Fill: String, Sendable, Hashable, CaseIterable {
    /// The surrounding colors, more blurred farther inside. Covered pixels have a weight of
    /// exactly 0.
    case surroundings
    /// One color.
    case color
  }

  /// The replacement of covered pixels.
  public var fill: Fill
  /// The color of the fill; `surroundings` uses it if nothing surrounds a region. Its alpha is
  /// ignored.
  public var color: Color

  /// A redaction; both fills use the color.
  public init(_ fill: Fill = .surroundings, color: Color = Color(white: 0.5)) {
    self.fill = fill
    self.color = color
  }

  /// True if the code of the color in planes depends on the weights of brightness; that of a gray is the same for all
  /// weights.
  package var isColored: Bool { color.red != color.green || color.green != color.blue }
}

/// A mask for one image, in pixels.
struct Masking {
  /// The coverage in which the chain shows.
  var shown: Coverage
  /// The coverage that a redaction sees of the image: all pixels that are not covered at all.
  var kept: Coverage?

  /// Returns the masking of the samples of a plane. A sample with a share of a hidden pixel is hidden, and its
  /// replacement shows wholly.
  func sampled(_ plane: SampledPlane) -> Masking {
    Masking(
      shown: shown.sampled(plane, kept == nil ? .mean : .largest),
      kept: kept?.sampled(plane, .smallest))
  }
}

extension Mask {
  /// The mask for an image.
  ///
  /// - Throws: `PlanError.badValue` for lengths out of range, for what cannot be redacted, and when
  ///   the mask covers nothing; `PlanError.doubtful` for what the mask refuses.
  func masking(of size: Size, scale: Double) throws(PlanError) -> Masking {
    try checkDoubts(in: size, scale: scale)
    guard redaction != nil else { return Masking(shown: try coverage(of: size, scale: scale)) }
    try checkRedacted(size, scale: scale)
    let feather = try self.feather.pixels(
      for: size, scale: scale, in: 0...100_000, filter: "redaction", parameter: "feather")
    let grow = try self.grow.pixels(
      for: size, scale: scale, in: 0...100_000, filter: "redaction", parameter: "grow")
    guard use == .show else {
      throw .badValue(
        filter: "redaction", parameter: "mask use", value: use.rawValue,
        accepted: "show; a redaction sees only what is not covered")
    }
    var kept: [CoverageShape] = []
    var shown: [CoverageShape] = []
    for shape in shapes {
      let outline = try decidedOutline(of: shape, in: size, scale: scale)
      if case .ramp = outline {
        throw .badValue(
          filter: "redaction", parameter: "region", value: "a gradient",
          accepted: "a shape or a mask; a gradient would leave a part visible")
      }
      kept.append(hidden(outline, grow: grow, feather: 0, extra: 0.25))
      shown.append(hidden(outline, grow: grow, feather: feather, extra: 1.26))
    }
    return Masking(
      shown: Coverage(shown, isInverted: isInverted),
      kept: Coverage(kept, isInverted: isInverted).untouched)
  }

  /// Says what is wrong with the lengths, or that nothing is covered.
  private func checkRedacted(_ size: Size, scale: Double) throws(PlanError) {
    var wholly = self
    wholly.shapes = shapes.map(decided)
    _ = try wholly.coverage(of: size, scale: scale)
  }

  /// A shape in pixels, for `hidden`, which decides on masks as they are.
  private func decidedOutline(
    of shape: MaskShape, in size: Size, scale: Double
  ) throws(PlanError) -> CoverageShape.Outline {
    // Without stretching no copy is needed.
    if case .picture(let picture) = shape, picture.size == size { return .picture(picture) }
    return try decided(shape).outline(in: size, scale: scale)
  }

  /// A mask with only 0 and 1, before it is stretched: nothing in it may be lost between samples.
  private func decided(_ shape: MaskShape) -> MaskShape {
    guard case .picture(let picture) = shape else { return shape }
    return .picture(picture.decided(byAll: isInverted))
  }

  /// A shape moved outward by `grow` and by `extra`.
  ///
  /// A shape covers something of the pixels whose centers are nearer than half a pixel. A pixel can
  /// have a corner in a shape and its center 0.71 away: so what is hidden reaches a quarter farther,
  /// and what is shown one more pixel, where all that is hidden is covered wholly. Upright
  /// rectangles are on whole pixels instead, so that nothing lies between.
  private func hidden(
    _ outline: CoverageShape.Outline, grow: Double, feather: Double, extra: Double
  ) -> CoverageShape {
    // An inverted mask grows as its shapes shrink, and is feathered inward.
    let inward = feather >= 1 ? feather : 0
    let moved = isInverted ? -(grow + extra + inward) : grow + extra
    switch outline {
    case .rectangle(let box) where box.radius == 0:
      let direction = isInverted ? -1.0 : 1
      let amount = grow.rounded(.up) + (isInverted ? inward.rounded(.up) : 0)
      return CoverageShape(
        .rectangle(box.onWholePixels(outward: direction, amount)), feather: feather)
    case .picture(let picture):
      // Decided here, as stretching has mixed samples.
      let least = isInverted ? UInt16.max : 1
      return CoverageShape(.picture(picture.moved(outward: moved, feather: feather, from: least)))
    default:
      return CoverageShape(outline, feather: feather, grow: moved)
    }
  }
}

extension RoundedRectangle {
  /// Moved to whole pixels and by a whole number of them, outward (1) or inward (-1).
  fileprivate func onWholePixels(outward direction: Double, _ amount: Double) -> RoundedRectangle {
    func low(_ value: Double) -> Double {
      (value * direction).rounded(.down) * direction - amount * direction
    }
    func high(_ value: Double) -> Double {
      (value * direction).rounded(.up) * direction + amount * direction
    }
    return RoundedRectangle(
      left: low(left), top: low(top), right: high(right), bottom: high(bottom))
  }
}

extension MaskImage {
  /// Each sample 0 or 1: 1 where there is anything, or only where there is all.
  fileprivate func decided(byAll: Bool) -> MaskImage {
    MaskImage(
      size: size, samples: samples.map { (byAll ? $0 == 65535 : $0 > 0) ? 65535 : 0 })
  }
}

/// A reason to doubt that a mask covers what was meant.
public struct MaskWarning: Sendable, Hashable, CustomStringConvertible {
  /// The kinds of doubt.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A shape lies outside the image.
    case outside
    /// The mask image, or the image in which the shapes were found, has another size than the image.
    case otherSize = "other-size"
    /// The mask is the alpha channel of an opaque image, and so covers everything.
    case noAlpha = "no-alpha"
  }

  /// The kind of doubt.
  public let kind: Kind
  /// The index of the mask's shape in question, from 0; `nil` for all of them.
  public let shape: Int?
  /// A user-facing description.
  public let description: String
}

extension Mask {
  /// Returns the doubts about the mask for an image of a size.
  ///
  /// - Parameter scale: pixels per point.
  public func doubts(in size: Size, scale: Double = 1) -> [MaskWarning] {
    var doubts: [MaskWarning] = []
    let others = imageSizes.subtracting([size])
    for other in others.sorted(by: { ($0.width, $0.height) < ($1.width, $1.height) }) {
      doubts.append(
        MaskWarning(
          kind: .otherSize, shape: nil,
          description: "regions were found in an image of \(other), this one has \(size)"))
    }
    for (index, shape) in shapes.enumerated() {
      if case .picture(let picture) = shape {
        doubts += picture.doubts(in: size, shape: index)
      } else if shape.isOutside(size, scale: scale) {
        doubts.append(
          MaskWarning(
            kind: .outside, shape: index,
            description:
              "region \(index + 1), \(shape), is outside the image of \(size) and covers nothing")
        )
      }
    }
    return doubts
  }

  /// Refuses what is doubtful, as far as it is not allowed.
  ///
  /// - Throws: `PlanError.doubtful`.
  func checkDoubts(in size: Size, scale: Double) throws(PlanError) {
    guard !refused.isEmpty else { return }
    // Values out of range are errors, not doubts.
    for shape in shapes { try shape.checkRange(in: size, scale: scale) }
    let doubts = doubts(in: size, scale: scale).filter { refused.contains($0.kind) }
    guard doubts.isEmpty else { throw .doubtful(doubts) }
  }
}

extension MaskShape {
  /// True if it covers nothing of an image; false for what is no shape at all, which is told otherwise.
  fileprivate func isOutside(_ size: Size, scale: Double) -> Bool {
    do { return try bounds(in: size, scale: scale) == nil } catch { return false }
  }

  /// Refuses numbers that no shape may have.
  ///
  /// - Throws: `PlanError.badValue`.
  fileprivate func checkRange(in size: Size, scale: Double) throws(PlanError) {
    if case .picture = self { return }
    _ = try outline(in: size, scale: scale)
  }
}

extension MaskImage {
  fileprivate func doubts(in target: Size, shape: Int) -> [MaskWarning] {
    var doubts: [MaskWarning] = []
    if size != target {
      doubts.append(
        MaskWarning(
          kind: .otherSize, shape: shape,
          description: "the mask has \(size) pixels and is stretched to the image's \(target)"))
    }
    if lacksAlpha {
      doubts.append(
        MaskWarning(
          kind: .noAlpha, shape: shape,
          description: "the mask has no alpha channel to be taken, so that it covers everything"))
    }
    return doubts
  }
}

extension MaskImage {
  /// The least sample that covers half.
  package static let half: UInt16 = 32768

  /// The mask with its border moved outward and feathered; as it is where nothing of that is asked for.
  ///
  /// Beside the result that takes some rows.
  ///
  /// - Parameter least: the sample from which on a pixel is inside the border.
  package func moved(
    outward grow: Double, feather: Double, from least: UInt16 = MaskImage.half
  ) -> MaskImage {
    guard grow != 0 || feather > 0 || least != MaskImage.half else { return self }
    let shape = CoverageShape(.picture(self), feather: feather, grow: grow)
    let samples = [UInt16](unsafeUninitializedCapacity: size.area) { target, count in
      var columns = ColumnDistances(of: self, from: least)
      var (toInside, toOutside) = (RowDistances(size.width), RowDistances(size.width))
      for y in 0..<size.height {
        columns.goOn(to: y)
        for x in 0..<size.width {
          let square = columns.square(x)
          (toInside[x], toOutside[x]) = columns.isInside(x) ? (0, square) : (square, 0)
        }
        toInside.spread()
        toOutside.spread()
        for x in 0..<size.width {
          let (outer, inner) = (toInside.squares[x], toOutside.squares[x])
          // The border lies between the centers of two pixels.
          let distance = outer > 0 ? outer.squareRoot() - 0.5 : 0.5 - inner.squareRoot()
          target[count] = UInt16(shape.coverage(at: distance - grow) * 65535 + 0.5)
          count += 1
        }
      }
    }
    return MaskImage(size: size, samples: samples)
  }
}

/// Larger than the square of any distance in an image.
private let far = 1e12

/// For each pixel of a row, how far it is along its column to the nearest one on the other side of the
/// border: rows are gone through from the first to the last.
private struct ColumnDistances {
  private let mask: MaskImage
  private let least: UInt16
  private var y = 0
  /// The first row of the run in each column that is on the pixel's side of the border; `ends` has the row after the
  /// last.
  private var starts: [Int]
  private var ends: [Int]

  init(of mask: MaskImage, from least: UInt16) {
    (self.mask, self.least) = (mask, least)
    starts = [Int](repeating: 0, count: mask.size.width)
    ends = starts
  }

  /// - Parameter row: the first one, or the one after the last that was gone on to.
  mutating func goOn(to row: Int) {
    y = row
    for x in ends.indices where ends[x] == row {
      starts[x] = row
      ends[x] = end(of: x)
    }
  }

  /// Returns true if a pixel of the row is inside.
  func isInside(_ x: Int) -> Bool { isInside(x, y) }

  /// The square of how far a pixel of the row is from the other side; `far` where its column has none.
  func square(_ x: Int) -> Double {
    let up = starts[x] > 0 ? y - starts[x] + 1 : Int.max
    let down = ends[x] < mask.size.height ? ends[x] - y : Int.max
    let distance = Double(min(up, down))
    return min(distance * distance, far)
  }

  private func isInside(_ x: Int, _ y: Int) -> Bool {
    mask.samples[y * mask.size.width + x] >= least
  }

  private func end(of x: Int) -> Int {
    let value = isInside(x, y)
    var row = y + 1
    while row < mask.size.height, isInside(x, row) == value { row += 1 }
    return row
  }
}

/// Exact distances to the nearest pixel of a set, of which distances along columns are known: the lower
/// envelope of parabolas along a row (Felzenszwalb and Huttenlocher, 2012).
private struct RowDistances {
  /// Once they are spread: for each pixel, the squared distance to the nearest one of the set.
  private(set) var squares: [Double]
  /// For each pixel, the square of what it is along its column.
  private var heights: [Double]
  /// The vertices of the parabolas that are the lowest somewhere.
  private var vertices: [Int]
  /// Parabola k is the lowest from `starts[k]` on.
  private var starts: [Double]

  init(_ count: Int) {
    squares = [Double](repeating: 0, count: count)
    (heights, starts) = (squares, squares)
    vertices = [Int](repeating: 0, count: count)
  }

  subscript(x: Int) -> Double {
    get { heights[x] }
    set { heights[x] = newValue }
  }

  /// `min over q of (p − q)² + heights[q]`, for each p.
  mutating func spread() {
    var last = 0
    (vertices[0], starts[0]) = (0, -.infinity)
    for q in heights.indices.dropFirst() {
      var start = crossing(vertices[last], q)
      while start <= starts[last] {
        last -= 1
        start = crossing(vertices[last], q)
      }
      last += 1
      (vertices[last], starts[last]) = (q, start)
    }
    var k = 0
    for p in heights.indices {
      while k < last, starts[k + 1] <= Double(p) { k += 1 }
      let distance = Double(p - vertices[k])
      squares[p] = min(distance * distance + heights[vertices[k]], far)
    }
  }

  /// Returns the position where the parabola of q becomes lower than that of p < q.
  private func crossing(_ p: Int, _ q: Int) -> Double {
    func square(_ index: Int) -> Double { heights[index] + Double(index * index) }
    return (square(q) - square(p)) / Double(2 * (q - p))
  }
}

/// Bytes that images in masks take.
package struct MaskMemory: Sendable, Hashable {
  /// Bytes as long as the images are there.
  package private(set) var made: Int
  /// Bytes at most while they are made.
  package private(set) var making: Int

  /// Counts the mask images as given, each once, and what each mask makes of them for an image of a size.
  package init(_ masks: [Mask], for size: Size) {
    made = Set(masks.flatMap(\.pictures)).reduce(0) { $0 + MaskImage.bytes(of: $1.size) }
    making = made
    for mask in masks {
      let own = mask.made(for: size)
      making = max(making, made + own.making)
      made += own.made
    }
  }

  fileprivate init(made: Int, making: Int) { (self.made, self.making) = (made, making) }
}

extension MaskImage {
  /// Bytes of a mask.
  package static func bytes(of size: Size) -> Int { size.area * MemoryLayout<UInt16>.stride }
}

extension Mask {
  fileprivate var pictures: [MaskImage] {
    shapes.compactMap { if case .picture(let picture) = $0 { picture } else { nil } }
  }

  /// Bytes of what becomes of its images, beside them: as `coverage` and `masking` make it.
  fileprivate func made(for size: Size) -> MaskMemory {
    let whole = MaskImage.bytes(of: size)
    let isMoved = feather.value != 0 || grow.value != 0
    var (decided, covered, kept) = (0, 0, 0)
    // Temporary memory of one image, freed before the next.
    var (coveredBeside, keptBeside) = (0, 0)
    for picture in pictures {
      let own = MaskImage.bytes(of: picture.size)
      let isStretched = picture.size != size
      decided += own
      if isMoved || isStretched { covered += whole }
      if isMoved, isStretched { coveredBeside = whole }
      // The hidden and the shown coverage.
      kept += 2 * whole
      if isStretched { keptBeside = max(keptBeside, own + whole) }
    }
    guard redaction != nil else {
      return MaskMemory(made: covered, making: covered + coveredBeside)
    }
    return MaskMemory(
      made: kept, making: max(decided + covered + coveredBeside, kept + keptBeside))
  }

  /// The mask with an outline in place of each mask image: its plan takes about as much memory without any.
  package var withoutImages: Mask {
    var mask = self
    mask.shapes = shapes.map { shape in
      guard case .picture = shape else { return shape }
      let all = Length(100, .percent)
      return .ellipse(x: 0, y: 0, width: all, height: all)
    }
    (mask.feather, mask.grow) = (0, 0)
    (mask.imageSizes, mask.refused) = ([], [])
    return mask
  }
}
