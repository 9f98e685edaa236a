import Glibc
import TestSupport

/// Small ICC profiles put together by hand.
enum ICCProfile {
  enum Curve {
    /// Samples proportional to light.
    case linear
    /// The curve of sRGB.
    case srgb
  }

  /// A display profile with the primaries of sRGB, adapted to D50.
  static func rgb(_ curve: Curve) -> [UInt8] {
    let shape = bytes(curve)
    return profile(
      space: "RGB ",
      tags: [
        ("wtpt", xyz(0.9642, 1, 0.8249)), ("rXYZ", xyz(0.43607, 0.22249, 0.01392)),
        ("gXYZ", xyz(0.38515, 0.71687, 0.09708)), ("bXYZ", xyz(0.14307, 0.06061, 0.7141)),
        ("rTRC", shape), ("gTRC", shape), ("bTRC", shape),
      ])
  }

  /// Display P3: wider primaries under the curve of sRGB, adapted to D50.
  static var displayP3: [UInt8] {
    let shape = bytes(.srgb)
    return profile(
      space: "RGB ",
      tags: [
        ("wtpt", xyz(0.9642, 1, 0.8249)), ("rXYZ", xyz(0.51512, 0.2412, -0.00105)),
        ("gXYZ", xyz(0.29198, 0.69225, 0.04189)), ("bXYZ", xyz(0.1571, 0.06657, 0.78407)),
        ("rTRC", shape), ("gTRC", shape), ("bTRC", shape),
      ])
  }

  static func gray(_ curve: Curve) -> [UInt8] {
    profile(space: "GRAY", tags: [("wtpt", xyz(0.9642, 1, 0.8249)), ("kTRC", bytes(curve))])
  }

  /// A profile for RGB with tables to L*a*b*.
  static func tables(_ tables: [(String, [UInt8])]) -> [UInt8] {
    var made = profile(
      space: "RGB ", tags: [("wtpt", xyz(0.9642, 1, 0.8249))] + tables)
    made.replaceSubrange(20..<24, with: Array("Lab ".utf8))
    return made
  }

  /// Returns a linear sample in sRGB, 0…1.
  static func encoded(_ light: Float) -> Float {
    light <= 0.0031308 ? light * 12.92 : 1.055 * powf(light, 1 / 2.4) - 0.055
  }

  private static func bytes(_ curve: Curve) -> [UInt8] {
    switch curve {
    case .linear: Array("curv".utf8) + [0, 0, 0, 0, 0, 0, 0, 0]
    case .srgb:
      Array("para".utf8) + [0, 0, 0, 0, 0, 3, 0, 0]
        + [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].flatMap(fixed)
    }
  }

  private static func profile(space: String, tags: [(String, [UInt8])]) -> [UInt8] {
    let text = Array("text".utf8) + [0, 0, 0, 0] + Array("none\0".utf8) + [0, 0, 0]
    let all = tags + [("cprt", text), ("desc", description)]
    var table = PNGFile.bigEndian32(all.count)
    var data: [UInt8] = []
    let start = 128 + 4 + 12 * all.count
    for (name, content) in all {
      table += Array(name.utf8) + PNGFile.bigEndian32(start + data.count)
      table += PNGFile.bigEndian32(content.count)
      data += content + [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
    }
    var header = PNGFile.bigEndian32(start + data.count) + [0, 0, 0, 0, 2, 0x40, 0, 0]
    header += Array("mntr".utf8) + Array(space.utf8) + Array("XYZ ".utf8)
    header += [UInt8](repeating: 0, count: 12) + Array("acsp".utf8)
    header += [UInt8](repeating: 0, count: 28)
    header += [0.9642, 1, 0.8249].flatMap(fixed)
    header += [UInt8](repeating: 0, count: 128 - header.count)
    return header + table + data
  }

  private static var description: [UInt8] {
    Array("desc".utf8) + [0, 0, 0, 0, 0, 0, 0, 5] + Array("made\0".utf8)
      + [UInt8](repeating: 0, count: 78)
  }

  private static func xyz(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
    Array("XYZ ".utf8) + [0, 0, 0, 0] + [x, y, z].flatMap(fixed)
  }

  private static func fixed(_ value: Double) -> [UInt8] {
    PNGFile.bigEndian32(Int((value * 65536).rounded()))
  }
}
