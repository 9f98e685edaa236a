package import FrostglassCore
import FrostglassStills
import Glibc
package import Testing

/// Fails when two images are farther apart than `tolerance` levels of 255, compared premultiplied.
///
/// On failure the actual and the expected image and their difference, 16 times enlarged, are left
/// as PNG in `.build/test-failures`.
package func expectClose(
  _ actual: Image, _ expected: Image, within tolerance: Double, _ name: String,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let comparison = try ImageComparison(actual, expected)
  guard comparison.maximum > tolerance else { return }
  let pixel = comparison.worstPixel
  let folder = try leave(actual, expected, name)
  Issue.record(
    """
    \(name): \(comparison.maximum) levels at \(pixel.x), \(pixel.y) of \(actual.size), \
    more than \(tolerance); pictures in \(folder)
    """, sourceLocation: sourceLocation)
}

/// Writes the three images of a failure.
private func leave(_ actual: Image, _ expected: Image, _ name: String) throws -> String {
  let folder = "\(Files.root)/.build/test-failures"
  mkdir("\(Files.root)/.build", 0o755)
  mkdir(folder, 0o755)
  let safe = String(name.map { $0.isLetter || $0.isNumber ? $0 : "-" })
  for (label, image) in [
    ("actual", actual), ("expected", expected), ("difference", try actual.difference(to: expected)),
  ] {
    let file = StillSink.file("\(folder)/\(safe)-\(label).png", overwrite: true)
    try StillEncoder().encode(image.forViewing, as: .png, to: file)
  }
  return folder
}

extension Image {
  /// Straight 8-bit, which PNG can hold.
  fileprivate var forViewing: Image {
    var viewable = Image(zeros: size, format: PixelFormat(format.layout, .uint8))
    for y in 0..<size.height {
      for x in 0..<size.width {
        let coverage = format.layout.hasAlpha ? sample(x: x, y: y, channel: 3) : 1
        for channel in 0..<format.layout.channels {
          var value = sample(x: x, y: y, channel: channel)
          if alpha == .premultiplied && channel < 3 { value = coverage > 0 ? value / coverage : 0 }
          viewable.setSample(value, x: x, y: y, channel: channel)
        }
      }
    }
    return viewable
  }
}
