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

  /// An RGB picture of the differences to another image of the same size: middle gray is none,
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
