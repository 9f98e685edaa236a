internal import Frostglass
package import FrostglassCore
internal import FrostglassCPU
internal import FrostglassStills

/// A check that filters hide what they are applied to.
///
/// Stripes of 4 pixels, up and down and side by side, are filtered. Filters hide if everywhere at most half of the
/// stripes' contrast is left, compared with that of black and white areas. So a Gaussian needs a σ of about 1.3 pixels.
/// Filters of colors, opacity, noise, and blurs that leave a band or edges sharp do not hide.
package enum CoverCheck {
  /// The probe's side, to which percentages refer.
  private static let side = 256
  /// The width of a dark and a light stripe together.
  private static let period = 8
  /// The side of the areas that are judged.
  private static let area = 32
  /// The share of contrast that may be left.
  private static let mostLeft = 0.5
  /// A contrast that is next to none: one and a half of 255 levels.
  private static let none = 1.5 / 255

  /// Refuses filters that leave visible what they are applied to.
  ///
  /// - Parameter options: as the filters are applied; masks are left out.
  /// - Throws: `Failure` with 64.
  package static func demand(
    _ chain: FilterChain, _ options: PlanOptions
  ) throws(Failure) {
    guard !(try hides(chain, options)) else { return }
    throw .usage(
      "\(chain.text) leaves fine details visible, and --find has to cover faces; give a stronger blur, such as "
        + "--sigma 20, or use `frostglass redact`")
  }

  private static func hides(
    _ chain: FilterChain, _ options: PlanOptions
  ) throws(Failure) -> Bool {
    var options = options
    options.mask = nil
    let input = Plan.Input(
      size: Size(width: side, height: side), format: .rgb8, alpha: .straight, transfer: .encoded)
    let plan: Plan
    do throws(PlanError) { plan = try chain.plan(for: input, options: options) } catch {
      throw Failure(FrostglassError.plan(error))
    }
    let backend = FastBackend(threads: 1)
    func filtered(_ isLight: (_ x: Int, _ y: Int) -> Bool) throws(Failure) -> Samples {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(3 * side * side)
      for y in 0..<side {
        for x in 0..<side { bytes += repeatElement(isLight(x, y) ? 255 : 0, count: 3) }
      }
      let output = ImageOutput()
      do {
        let image = try Image(size: input.size, format: .rgb8, alpha: .straight, bytes: bytes)
        _ = try backend.runNow(plan, PixelIO([.image(image)], to: [.image(output)]))
      } catch { throw Failure("the filters cannot be tried: \(error)", .software) }
      guard let image = output.take() else { throw Failure("there is no result", .software) }
      return Samples(image)
    }
    let (dark, light) = (try filtered { _, _ in false }, try filtered { _, _ in true })
    for isAcross in [true, false] {
      let striped = try filtered { x, y in (isAcross ? x : y) % period < period / 2 }
      for y in stride(from: 0, to: side, by: area) {
        for x in stride(from: 0, to: side, by: area) {
          let fine = striped.contrast(x, y, isAcross: isAcross)
          let whole = light.difference(from: dark, x, y)
          guard fine <= max(whole * mostLeft, none) else { return false }
        }
      }
    }
    return true
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
    func contrast(_ x: Int, _ y: Int, isAcross: Bool) -> Double {
      let (here, moved) = (stripes(x, y, isAcross, 0), stripes(x, y, isAcross, period / 4))
      var largest = 0.0
      for color in 0..<3 {
        let (one, other) = (Double(here[color]), Double(moved[color]))
        largest = max(largest, (one * one + other * other).squareRoot())
      }
      return Self.mean(2 * largest)
    }

    private func stripes(_ x: Int, _ y: Int, _ isAcross: Bool, _ shift: Int) -> [Int] {
      sums(x, y) { (x: Int, y: Int) -> Int in
        let place = (isAcross ? x : y) + shift
        return place % period < period / 2 ? 1 : -1
      }
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
