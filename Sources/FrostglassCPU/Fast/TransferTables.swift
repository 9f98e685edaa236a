internal import CKernels
internal import FrostglassCore
internal import Glibc

/// A power of floats as row kernels compute it, without `pow`: the exponent's by a table, the fraction's by a
/// polynomial of degree 6 through its Chebyshev points.
struct PowerCurve: Sendable {
  /// The coefficients of (m − 1.5)ᵏ, for a fraction m from 1 to 2.
  private let terms: [Float]
  /// By the lowest four bits of an exponent.
  private let scales: [Float]

  /// - Parameters:
  ///   - factor: the factor of the power.
  ///   - exponents: 16 that follow each other, of the floats that the curve is for.
  init(_ power: Double, times factor: Double, exponents: Range<Int>) {
    precondition(exponents.count == 16, "an exponent has no scale, or two")
    terms = Self.polynomial(Int(FG_CURVE_TERMS)) { factor * pow(1.5 + $0, power) }
    var scales = [Float](repeating: 0, count: 16)
    for exponent in exponents {
      scales[exponent & 15] = Float(exp2(power * Double(exponent - 127)))
    }
    self.scales = scales
  }

  /// Calls `body` with the curve while its tables stay where they are.
  func withCurve<Result>(_ body: (fgk_curve) -> Result) -> Result {
    terms.withUnsafeBufferPointer { terms in
      scales.withUnsafeBufferPointer { scales in
        guard let terms = terms.baseAddress, let scales = scales.baseAddress else {
          preconditionFailure("a curve has numbers")
        }
        return body(fgk_curve(terms: terms, scales: scales))
      }
    }
  }

  /// Coefficients of the polynomial that has a function's values at the Chebyshev points of -½…½, the
  /// constant first.
  private static func polynomial(_ count: Int, _ value: (Double) -> Double) -> [Float] {
    let points = (0..<count).map { 0.5 * cos(.pi * Double(2 * $0 + 1) / Double(2 * count)) }
    // Newton's divided differences, then products multiplied out.
    var differences = points.map(value)
    for order in 1..<count {
      for index in (order..<count).reversed() {
        differences[index] =
          (differences[index] - differences[index - 1]) / (points[index] - points[index - order])
      }
    }
    var terms = [Double](repeating: 0, count: count)
    for index in (0..<count).reversed() {
      for power in (1..<count).reversed() {
        terms[power] = terms[power - 1] - points[index] * terms[power]
      }
      terms[0] = differences[index] - points[index] * terms[0]
    }
    return terms.map { Float($0) }
  }
}

/// The sRGB curve from light to encoded values without `pow`, less than 2⁻²⁰ from it: a sixteenth of a 16-bit
/// level.
///
/// Plans have room for three times as much: they take what floats lose by loading alone 12.92 times. Below
/// 0.0031308 the curve is a line; beyond 1, where kernels leave it, it is computed.
package enum EncodingCurve {
  /// `1.055 x^(5/12)`, from 2⁻¹⁵ on.
  static let curve = PowerCurve(1 / 2.4, times: 1.055, exponents: 112..<128)

  /// Light as it is encoded, which is odd around 0.
  package static func encoded(_ light: [Float], _ instructions: InstructionSet) -> [Float] {
    let room = Int(FG_SLACK)
    let source = [Float](unsafeUninitializedCapacity: light.count + room) { source, count in
      _ = source.update(fromContentsOf: light)
      for index in light.count..<light.count + room { source.initializeElement(at: index, to: 0) }
      count = light.count + room
    }
    var result = [Float](repeating: 0, count: light.count + room)
    encode(source, into: &result, light.count, instructions.kernels)
    return Array(result[..<light.count])
  }

  /// - Parameter target: has room for whole vectors.
  static func encode(
    _ light: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>, _ count: Int,
    _ kernels: fgk_row_kernels
  ) {
    let isBeyond = curve.withCurve { curve in
      withUnsafePointer(to: curve) { kernels.float_encode(light, $0, target, count) }
    }
    guard isBeyond != 0 else { return }
    for index in 0..<count where !(abs(light[index]) <= 1) {
      target[index] = TransferCurve.encode(light[index])
    }
  }
}

/// The 8-bit level that light is encoded as, exactly as the sRGB curve and rounding would have it.
///
/// A float's upper 16 bits, exponent and 7 bits of fraction, divide 0…1 so finely that no two levels
/// begin in the same part. A table says which level a part begins with; where it goes over to the
/// next is found in another.
package struct EncodedLevels: Sendable {
  package static let table = EncodedLevels()

  /// The least light of each level; level 0 has none.
  private let least: [Float]
  /// For each part, from that of level 1's least light on, the level of its first value.
  private let starts: [UInt8]

  private init() {
    let least = [-Float.infinity] + (1...255).map { Self.leastLight(of: UInt8($0)) }
    let firstPart = Int(least[1].bitPattern >> 16)
    starts = (firstPart...Int(Float(1).bitPattern >> 16)).map { part in
      Self.level(of: Float(bitPattern: UInt32(part) << 16))
    }
    self.least = least + [.infinity]
  }

  /// The levels of light; not-a-number is 0.
  func encode(
    _ light: UnsafePointer<Float>, into levels: UnsafeMutablePointer<UInt8>, _ count: Int,
    _ kernels: fgk_row_kernels
  ) {
    EncodingCurve.curve.withCurve { curve in
      withUnsafePointer(to: curve) {
        kernels.float_encode8(light, $0, least, starts, levels, count)
      }
    }
  }

  /// The same, of an array.
  package func levels(of light: [Float], _ instructions: InstructionSet) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: light.count) { levels, count in
      if let start = levels.baseAddress {
        encode(light, into: start, light.count, instructions.kernels)
      }
      count = light.count
    }
  }

  /// Returns the table's level for linear light.
  private static func level(of light: Float) -> UInt8 {
    UInt8(TransferCurve.encode(light).clampedToUnit * 255 + 0.5)
  }

  /// Bisects the floats between 0 and 1, whose bit patterns are in their order.
  private static func leastLight(of level: UInt8) -> Float {
    var below: UInt32 = 0
    var least = Float(1).bitPattern
    while least - below > 1 {
      let middle = below + (least - below) / 2
      if Self.level(of: Float(bitPattern: middle)) >= level {
        least = middle
      } else {
        below = middle
      }
    }
    return Float(bitPattern: least)
  }
}

/// The light that each level of an integer depth stands for.
struct DecodedLevels: Sendable {
  static let eightBits = DecodedLevels()
  /// The light of 16-bit levels, which no kernel looks up.
  static let sixteenBits = light(most: 65535)

  /// By 8-bit level.
  private let light: [Float]
  /// The first bytes of all of them, the second, and so on.
  private let bytes: [UInt8]
  /// `u^2.4` of what is none of the levels, as colors divided by their alpha; from 2⁻⁴ to 2¹².
  private static let curve = PowerCurve(2.4, times: 1, exponents: 123..<139)

  private static func light(most: Int) -> [Float] {
    (0...most).map { TransferCurve.decode(Float($0) / Float(most)) }
  }

  private init() {
    let light = Self.light(most: 255)
    self.light = light
    bytes = (0..<4).flatMap { byte in
      light.map { UInt8(truncatingIfNeeded: $0.bitPattern >> UInt32(8 * byte)) }
    }
  }

  /// Calls `body` with what kernels take.
  func withLight(_ body: (UnsafePointer<fgk_light>) -> Void) {
    light.withUnsafeBufferPointer { levels in
      bytes.withUnsafeBufferPointer { bytes in
        Self.curve.withCurve { curve in
          guard let levels = levels.baseAddress, let bytes = bytes.baseAddress else { return }
          withUnsafePointer(to: fgk_light(levels: levels, bytes: bytes, curve: curve), body)
        }
      }
    }
  }
}
