internal import Glibc

/// The difference between two images, compared premultiplied, in levels of 255.
public struct ImageComparison: Sendable {
  /// The largest difference of any sample.
  public let maximum: Double
  /// The mean of all differences.
  public let mean: Double
  /// Peak signal to noise ratio in decibels; infinite when nothing differs.
  public let psnr: Double
  /// The pixel with the largest difference.
  public let worstPixel: Pixel

  /// A place in an image, counted from its top left corner.
  public struct Pixel: Sendable, Hashable {
    /// Columns from the left, from 0.
    public var x: Int
    /// Rows from the top, from 0.
    public var y: Int
  }

  /// Compares every sample of two images; a gray one has three equal colors, one without alpha is
  /// opaque.
  ///
  /// - Throws: `ComparisonError` when the sizes differ.
  public init(_ first: Image, _ second: Image) throws(ComparisonError) {
    guard first.size == second.size else { throw .sizesDiffer(first.size, second.size) }
    // Repeated gray and missing alpha must not count as agreement.
    let channels = max(first.format.layout, second.format.layout).channels
    var maximum = 0.0
    var sum = 0.0
    var squares = 0.0
    var worst = Pixel(x: 0, y: 0)
    for y in 0..<first.size.height {
      for x in 0..<first.size.width {
        let difference =
          first.premultipliedPixel(x: x, y: y) - second.premultipliedPixel(x: x, y: y)
        for channel in 0..<channels {
          let distance = levels(difference[channel])
          sum += distance
          squares += distance * distance
          if distance > maximum {
            maximum = distance
            worst = Pixel(x: x, y: y)
          }
        }
      }
    }
    let count = Double(first.size.area * channels)
    self.maximum = maximum
    mean = sum / count
    psnr = squares == 0 ? .infinity : 10 * log10(255 * 255 * count / squares)
    worstPixel = worst
  }
}

/// A difference of fractions in levels of 255, to a billionth, so that whole levels are whole.
///
/// One that is not a number is as large as can be.
private func levels(_ difference: Double) -> Double {
  difference.isNaN ? 255 : (abs(difference) * 255e9).rounded() / 1e9
}

extension Image {
  /// Red, green, blue and alpha, colors multiplied by alpha; gray repeated, alpha 1 without one.
  package func premultipliedPixel(x: Int, y: Int) -> SIMD4<Double> {
    func at(_ channel: Int) -> Double { preciseSample(x: x, y: y, channel: channel) }
    switch format.layout {
    case .gray: return SIMD4(at(0), at(0), at(0), 1)
    case .rgb: return SIMD4(at(0), at(1), at(2), 1)
    case .rgba:
      let coverage = at(3)
      let color = SIMD4(at(0), at(1), at(2), 1) * (alpha == .straight ? coverage : 1)
      return SIMD4(color.x, color.y, color.z, coverage)
    }
  }

  /// An RGB image of the differences to another image of the same size: middle gray is none,
  /// `magnification` levels are one level of difference.
  public func difference(
    to other: Image, magnification: Double = 16
  ) throws(ComparisonError) -> Image {
    guard size == other.size else { throw .sizesDiffer(size, other.size) }
    var picture = Image(zeros: size, format: .rgb8)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let distance = premultipliedPixel(x: x, y: y) - other.premultipliedPixel(x: x, y: y)
        for channel in 0..<3 {
          // Differences of alpha show in every channel.
          let value = distance[channel] == 0 ? distance.w : distance[channel]
          picture.setSample(Float(0.5 + value * magnification), x: x, y: y, channel: channel)
        }
      }
    }
    return picture
  }
}

/// Why two images cannot be compared.
public enum ComparisonError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Images of different sizes cannot be compared.
  case sizesDiffer(Size, Size)

  /// A description for the person who asked for the comparison.
  public var description: String {
    switch self {
    case .sizesDiffer(let first, let second):
      "images of \(first) and \(second) cannot be compared; they must have the same size"
    }
  }
}

/// The similarity of two images, as SSIM: 1 is the same, 0 nothing in common, below 0 the opposite.
///
/// The mean over all positions where a window of 11×11 pixels fits, weighted by a Gaussian of σ 1.5. It compares luma
/// (Rec. 601) of premultiplied, encoded values, as the authors' program does. Images with a shorter side have a smaller
/// window.
///
/// Source: Wang, Bovik, Sheikh and Simoncelli, Image Quality Assessment: From Error Visibility to Structural
/// Similarity, 2004.
public struct StructuralSimilarity: Sendable, Hashable {
  /// At most 1.
  public let value: Double

  /// Compares two images.
  ///
  /// - Throws: `ComparisonError` when the sizes differ.
  public init(_ first: Image, _ second: Image) throws(ComparisonError) {
    guard first.size == second.size else { throw .sizesDiffer(first.size, second.size) }
    let window = SimilarityWindow(for: first.size)
    var (sum, count) = (0.0, 0)
    // The last rows, each blurred along itself.
    var rows: [SimilarityRow] = []
    for y in 0..<first.size.height {
      if rows.count == window.weights.count { rows.removeFirst() }
      rows.append(window.row(first.lumas(y), second.lumas(y)))
      guard rows.count == window.weights.count else { continue }
      for x in rows[0].indices {
        sum += window.similarity(rows, x)
        count += 1
      }
    }
    value = sum / Double(count)
  }
}

/// Sums for the positions of a row: both means, both mean squares and the mean product.
private typealias SimilarityRow = [SIMD8<Double>]

/// The Gaussian in which pixels are compared.
private struct SimilarityWindow {
  /// The weights along each axis; they sum to 1.
  let weights: [Double]

  private static let reach = 5
  private static let sigma = 1.5

  init(for size: Size) {
    let reach = min(Self.reach, (size.shorterSide - 1) / 2)
    let bells = (-reach...reach).map { exp(-Double($0 * $0) / (2 * Self.sigma * Self.sigma)) }
    let sum = bells.reduce(0, +)
    weights = bells.map { $0 / sum }
  }

  func row(_ first: [Double], _ second: [Double]) -> SimilarityRow {
    let products = zip(first, second).map { a, b in SIMD8(a, b, a * a, b * b, a * b, 0, 0, 0) }
    return (0...first.count - weights.count).map { x in
      weights.indices.reduce(into: SIMD8<Double>.zero) { $0 += products[x + $1] * weights[$1] }
    }
  }

  /// Around a column of rows of the window's height.
  func similarity(_ rows: [SimilarityRow], _ x: Int) -> Double {
    let means = rows.indices.reduce(into: SIMD8<Double>.zero) { $0 += rows[$1][x] * weights[$1] }
    let (a, b) = (means[0], means[1])
    let spread = (means[2] - a * a) + (means[3] - b * b)
    // The authors' constants for values of 0…1.
    let (luminance, contrast) = (0.01 * 0.01, 0.03 * 0.03)
    return (2 * a * b + luminance) * (2 * (means[4] - a * b) + contrast)
      / ((a * a + b * b + luminance) * (spread + contrast))
  }
}

extension Image {
  /// Rec. 601 luma of a row, 0…1.
  fileprivate func lumas(_ y: Int) -> [Double] {
    (0..<size.width).map { x in
      let pixel = premultipliedPixel(x: x, y: y)
      return 0.299 * pixel.x + 0.587 * pixel.y + 0.114 * pixel.z
    }
  }
}
