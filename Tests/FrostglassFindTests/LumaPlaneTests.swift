import FrostglassCore
import FrostglassFind
import TestSupport
import Testing

/// Small planes: what frames are compared by.
@Suite struct LumaPlaneTests {
  @Test func planesHoldTheMeanBrightnessOfParts() throws {
    var bytes: [UInt8] = []
    for y in 0..<4 { for x in 0..<6 { bytes += [UInt8](repeating: UInt8(10 * x + y), count: 3) } }
    let image = try Image(size: Size(width: 6, height: 4), format: .rgb8, bytes: bytes)
    let plane = LumaPlane(shrinking: image, to: 3)
    #expect((plane.width, plane.height) == (3, 2))
    // Each is of two columns and two rows.
    #expect(plane.samples == [6, 26, 46, 8, 28, 48])
    let whole = LumaPlane(shrinking: image)
    #expect(whole.width == 6 && whole.samples[7] == 11)
  }

  @Test func greenIsBrighterThanBlue() throws {
    let image = try Image(
      size: Size(width: 3, height: 1), format: .rgb8, bytes: [255, 0, 0, 0, 255, 0, 0, 0, 255])
    #expect(LumaPlane(shrinking: image).samples == [76, 149, 28])
  }
}
