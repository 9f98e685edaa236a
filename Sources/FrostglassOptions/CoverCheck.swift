internal import Frostglass
package import FrostglassCore
internal import FrostglassCPU
internal import FrostglassStills

/// A check that filters hide what they are applied to.
///
/// Stripes of 4 pixels in four directions are filtered. Filters hide if everywhere at most a quarter of the stripes'
/// contrast is left, compared with that of black and white areas. So a Gaussian needs a σ of about 2 pixels. Filters of
/// colors, opacity, noise, and blurs along a line do not hide, nor do filters that leave a part of the image sharp.
package enum CoverCheck {
  /// The probe's side, to which percentages refer.
  private static let side = 128
  /// The width of a dark and a light stripe together.
  private static let period = 8
  /// The side of the areas that are judged.
  private static let area = 32
  /// The share of contrast that may be left.
  private static let mostLeft = 0.25
  /// A contrast that is next to none: one and a half of 255 levels.
  private static let none = 1.5 / 255
  /// The number of images that are filtered: black, white, and stripes in four directions.
  package static let probes = 6
  /// The filters that act differently from place to place, and may leave one sharp.
  private static let placed: Set = [
    "progressive-blur", "tilt-shift", "selective-blur", "glass", "zoom", "spin", "gpuimage-zoom",
    "gpuimage-gaussian-position", "gpuimage-selective", "gpuimage-tilt-shift",
  ]

  /// Refuses filters that leave visible what they are applied to.
  ///
  /// - Parameter options: as the filters are applied; masks are left out.
  /// - Throws: `Failure` with 64.
  package static func demand(
    _ chain: FilterChain, _ options: PlanOptions
  ) throws(Failure) {
    let isPlaced = (chain.filters.map(\.name) + chain.primitives.map(\.name)).contains {
      placed.contains($0)
    }
    if !isPlaced, try hides(chain, options) { return }
    throw .usage(
      "\(chain.text) leaves details visible, and --find has to cover faces; give a stronger blur, "
        + "such as --sigma 20, or use `frostglass redact`")
  }

  /// Returns the plan that filters each of the probes.
  package static func plan(
    _ chain: FilterChain, _ options: PlanOptions
  ) throws(Failure) -> Plan {
    var options = options
    options.mask = nil
    let input = Plan.Input(
      size: Size(width: side, height: side), format: .rgb8, alpha: .straight, transfer: .encoded)
    return try mapped(
      { (error: PlanError) in Failure(FrostglassError.plan(error)) },
      chain.plan(for: input, options: options))
  }

  private static func hides(
    _ chain: FilterChain, _ options: PlanOptions
  ) throws(Failure) -> Bool {
    let plan = try plan(chain, options)
    let backend = FastBackend(threads: 1)
    func filtered(_ isLight: (_ x: Int, _ y: Int) -> Bool) throws(Failure) -> Samples {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(3 * side * side)
      for y in 0..<side {
        for x in 0..<side { bytes += repeatElement(isLight(x, y) ? 255 : 0, count: 3) }
      }
      let output = ImageOutput()
      do {
        let image = try Image(
          size: plan.inputs[0].size, format: .rgb8, alpha: .straight, bytes: bytes)
        _ = try backend.runNow(plan, PixelIO([.image(image)], to: [.image(output)]))
      } catch { throw Failure("the filters cannot be tried: \(error)", .software) }
      guard let image = output.take() else { throw Failure("there is no result", .software) }
      return Samples(image)
    }
    let (dark, light) = (try filtered { _, _ in false }, try filtered { _, _ in true })
    for direction in [Direction(1, 0), Direction(0, 1), Direction(1, 1), Direction(1, side - 1)] {
      let striped = try filtered { x, y in direction.isLight(x, y) }
      for y in stride(from: 0, to: side, by: area) {
        for x in stride(from: 0, to: side, by: area) {
          let fine = striped.contrast(x, y, direction)
          let whole = light.difference(from: dark, x, y)
          guard fine <= max(whole * mostLeft, none) else { return false }
        }
      }
    }
    return true
  }

  /// The direction in which stripes alternate: the pixels by which a step along x and along y gets on.
  private struct Direction {
    private let x: Int
    private let y: Int

    init(_ x: Int, _ y: Int) { (self.x, self.y) = (x, y) }

    func isLight(_ column: Int, _ row: Int, movedBy shift: Int = 0) -> Bool {
      (x * column + y * row + shift) % period < period / 2
    }
  }

  /// The colors of a filtered image, without its alpha.
  private struct Samples {
    private let bytes: [UInt8]
    private let channels: Int

    init(_ image: Image) {
      let colors = image.eightBitColors
      (bytes, channels) = (colors.packedBytes, colors.format.layout.channels)
    }

    /// The difference of two images in an area, in the channel where it is largest.
    func difference(from other: Samples, _ x: Int, _ y: Int) -> Double {
      let own = sums(x, y) { _, _ in 1 }
      let others = other.sums(x, y) { _, _ in 1 }
      var largest = 0
      for color in 0..<3 { largest = max(largest, abs(own[color] - others[color])) }
      return Self.mean(Double(largest))
    }

    /// The contrast of stripes in an area, wherever they have moved; noise averages out.
    func contrast(_ x: Int, _ y: Int, _ direction: Direction) -> Double {
      let (here, moved) = (stripes(x, y, direction, 0), stripes(x, y, direction, period / 4))
      var largest = 0.0
      for color in 0..<3 {
        let (one, other) = (Double(here[color]), Double(moved[color]))
        largest = max(largest, (one * one + other * other).squareRoot())
      }
      return Self.mean(2 * largest)
    }

    private func stripes(_ x: Int, _ y: Int, _ direction: Direction, _ shift: Int) -> [Int] {
      sums(x, y) { (x: Int, y: Int) -> Int in direction.isLight(x, y, movedBy: shift) ? 1 : -1 }
    }

    /// The sum of an area's samples of each color, each times a weight.
    private func sums(_ x: Int, _ y: Int, _ weight: (Int, Int) -> Int) -> [Int] {
      var sums = [0, 0, 0]
      for row in y..<y + area {
        for column in x..<x + area {
          let factor = weight(column, row)
          let place = (row * side + column) * channels
          for color in 0..<3 { sums[color] += factor * Int(bytes[place + color]) }
        }
      }
      return sums
    }

    private static func mean(_ sum: Double) -> Double { sum / Double(255 * area * area) }
  }
}
