public import FrostglassCore

/// A small image of brightness alone, by which frames are compared and things followed.
public struct LumaPlane: Sendable, Hashable {
  /// The width that frames are shrunk to; smaller ones stay as they are.
  public static let usualWidth = 320

  /// Samples of a row.
  public let width: Int
  /// Rows.
  public let height: Int
  /// Codes from 0, black, to 255, row by row.
  public let samples: [UInt8]

  /// Creates a plane.
  ///
  /// - Parameter samples: `width` × `height` codes.
  public init(width: Int, height: Int, samples: [UInt8]) {
    precondition(width > 0 && height > 0 && samples.count == width * height)
    (self.width, self.height, self.samples) = (width, height, samples)
  }

  /// Shrinks an image to the mean brightness of its parts.
  ///
  /// - Parameters:
  ///   - image: an image of 8-bit red, green and blue.
  ///   - mostColumns: the width of the plane, unless the image is smaller.
  public init(shrinking image: Image, to mostColumns: Int = usualWidth) {
    precondition(image.format == .rgb8)
    let (from, rowBytes) = (image.size, image.bytesPerRow)
    self = image.withUnsafeBytes { bytes in
      // Brightness of a frame's row is summed at once, as a frame has a hundred times the plane's samples.
      Self.shrunk(from, to: mostColumns) { y, x in
        let at = y * rowBytes + 3 * x
        return (77 * Int(bytes[at]) + 150 * Int(bytes[at + 1]) + 29 * Int(bytes[at + 2])) >> 8
      }
    }
  }

  /// Shrinks the plane further.
  func shrunk(to mostColumns: Int) -> LumaPlane {
    samples.withUnsafeBufferPointer { samples in
      Self.shrunk(Size(width: width, height: height), to: mostColumns) { y, x in
        Int(samples[y * width + x])
      }
    }
  }

  @inline(__always) private static func shrunk(
    _ from: Size, to mostColumns: Int, _ sample: (_ y: Int, _ x: Int) -> Int
  ) -> LumaPlane {
    let width = min(mostColumns, from.width)
    let height = max(1, (from.height * width + from.width / 2) / from.width)
    var samples = [UInt8](repeating: 0, count: width * height)
    var sums = [Int](repeating: 0, count: width)
    for y in 0..<height {
      let top = y * from.height / height
      let bottom = max((y + 1) * from.height / height, top + 1)
      for x in 0..<width { sums[x] = 0 }
      for row in top..<bottom {
        var (x, end) = (0, from.width / width)
        for column in 0..<from.width {
          if column == end {
            x += 1
            end = (x + 1) * from.width / width
          }
          sums[x] += sample(row, column)
        }
      }
      for x in 0..<width {
        let columns = (x + 1) * from.width / width - x * from.width / width
        let count = columns * (bottom - top)
        samples[y * width + x] = UInt8(clamping: (sums[x] + count / 2) / count)
      }
    }
    return LumaPlane(width: width, height: height, samples: samples)
  }

  /// The mean difference of samples, from 0 to 255; that of planes of other sizes is the largest.
  func difference(from other: LumaPlane) -> Double {
    guard width == other.width, height == other.height else { return 255 }
    var sum = 0
    for index in samples.indices { sum += abs(Int(samples[index]) - Int(other.samples[index])) }
    return Double(sum) / Double(samples.count)
  }
}
