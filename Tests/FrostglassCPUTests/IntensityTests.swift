import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// A style's intensity: both ends, and the way between them.
struct IntensityTests {
  static let names = Catalog.styles.map { $0.name }

  /// Values outside 0…1 stay too.
  @Test(arguments: names) func noneIsTheImageItself(name: String) async throws {
    for format in [PixelFormat.rgb8, .rgba8, PixelFormat(.rgb, .float32)] {
      let image = TestImages.make(23, 17, format) { x, y, channel in
        let value = Float((x * 7 + y * 13 + channel * 5) % 32) / 31
        return format.depth == .float32 ? 3 * value - 1 : value
      }
      let result = try await PropertyTests.run("\(name)(intensity=0)", image)
      let plain = try await PropertyTests.run("mix(1)", image)
      #expect(result.bytes == plain.bytes, "\(format)")
    }
  }

  @Test(arguments: names) func allIsTheLook(name: String) async throws {
    let image = TestImages.noise(31, 27)
    let full = try await PropertyTests.run("\(name)(intensity=1)", image)
    #expect(try await full.bytes == PropertyTests.run("\(name)()", image).bytes)
    let kept = zip(full.bytes, image.bytes).count { $0 == $1 }
    #expect(kept < image.bytes.count / 4)
  }

  /// On grays every look is a line in its intensity, limited at the end.
  @Test(arguments: names) func graysMoveOneWay(name: String) async throws {
    for level in [Float(0), 0.25, 0.5, 0.75, 1] {
      let image = TestImages.flat(5, 5, PixelFormat(.rgb, .float32), [level, level, level])
      var moved: Float = 0
      var direction: Float = 0
      for intensity in [0.25, 0.5, 0.75, 1] {
        let result = try await PropertyTests.run("\(name)(intensity=\(intensity))", image)
        let change = result.sample(x: 2, y: 2, channel: 1) - level
        if direction == 0 && abs(change) > 1e-5 { direction = change.sign == .minus ? -1 : 1 }
        #expect(change * direction >= moved - 1e-5, "\(level) \(intensity)")
        moved = max(moved, change * direction)
      }
    }
  }

  /// The blur itself grows: at half the intensity fine detail is gone, where a mix with the sharp
  /// image would keep half of it.
  @Test(arguments: ["thin-light", "chrome-dark", "dark", "7blur-sky", "image-effects-light"])
  func halfIsABlurAndNoMix(name: String) async throws {
    let image = TestImages.checkerboard(64, 64, PixelFormat(.rgb, .float32))
    var last: Float = 1
    for intensity in [0.1, 0.25, 0.5, 1] {
      let result = try await PropertyTests.run("\(name)(intensity=\(intensity))", image)
      let values = (16..<48).map { result.sample(x: $0, y: 30, channel: 0) }
      let range = (values.max() ?? 0) - (values.min() ?? 0)
      // Colors gain contrast while the blur takes it.
      #expect(range <= last + 0.01)
      if intensity == 0.5 { #expect(range < 0.05) }
      last = range
    }
  }
}
