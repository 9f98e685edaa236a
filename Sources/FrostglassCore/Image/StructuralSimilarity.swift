internal import Glibc

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
