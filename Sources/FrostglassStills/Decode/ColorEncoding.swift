internal import FrostglassCore
internal import Glibc

/// Colors as a file describes them without an ICC profile: primaries, white point and transfer curve.
///
/// The one place that makes ICC profiles. What a file says in numbers becomes a profile, and goes the way of
/// embedded ones from there on.
struct ColorEncoding: Hashable {
  /// CIE xy chromaticities.
  struct Primaries: Hashable {
    var red: [Double]
    var green: [Double]
    var blue: [Double]
    var white: [Double]

    static let sRGB = Primaries(
      red: [0.64, 0.33], green: [0.3, 0.6], blue: [0.15, 0.06], white: [0.3127, 0.329])

    /// True if no coordinate is more than 0.002 off, as rounded by various programs.
    func isNear(_ other: Primaries) -> Bool {
      zip(red + green + blue + white, other.red + other.green + other.blue + other.white)
        .allSatisfy { abs($0 - $1) < 0.002 }
    }
  }

  /// The curve from a sample to light, in the forms of an ICC `para` tag.
  enum Curve: Hashable {
    /// Light is the sample to this power.
    case power(Double)
    /// Light is `(a x + b)^g` from `d` on, and `c x` below; the five numbers are g, a, b, c and d.
    case pieces([Double])

    static let sRGB = Curve.pieces([2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
  }

  var primaries = Primaries.sRGB
  var curve = Curve.sRGB
  /// Curves of red, green and blue where they differ.
  var colorCurves: [Curve]?
  /// Primaries and transfer of ITU-T H.273 that say the same; written into the profile.
  var codePoints: [Int]?

  /// True if samples of such colors need no conversion.
  var isSRGB: Bool { primaries == .sRGB && curve == .sRGB && colorCurves == nil }

  /// Returns an ICC profile, version 4: matrix and curves; of gray pixels the curve alone.
  ///
  /// Returns `nil` if the primaries enclose no colors, and for gray pixels that are colored by their curves.
  func profile(isGray: Bool) -> [UInt8]? {
    let curve = Self.tag(curve)
    var tags = [
      ("desc", Self.text("Colors as the image file describes them")),
      ("cprt", Self.text("No copyright")), ("wtpt", Self.xyz(Self.d50)),
    ]
    if isGray {
      guard colorCurves == nil else { return nil }
      tags.append(("kTRC", curve))
    } else {
      guard let colors = primaries.adaptedColors else { return nil }
      tags += zip(["rXYZ", "gXYZ", "bXYZ"], colors).map { ($0, Self.xyz($1)) }
      let curves = colorCurves?.map(Self.tag) ?? [curve, curve, curve]
      tags += zip(["rTRC", "gTRC", "bTRC"], curves).map { ($0, $1) }
      tags.append(("chad", Self.numbers("sf32", primaries.adaptation.flatMap { $0 })))
      if let codePoints {
        // Matrix coefficients 0 are RGB; the last byte is full range.
        let bytes = codePoints.map { UInt8(clamping: $0) } + [0, 1]
        tags.append(("cicp", Array("cicp".utf8) + [0, 0, 0, 0] + bytes))
      }
    }
    return Self.profile(space: isGray ? "GRAY" : "RGB ", tags)
  }

  /// Returns a profile for RGB whose three curves are a table of light, 16 bits each; of gray that is shown
  /// with equal samples nothing else matters.
  static func profile(light: [Int]) -> [UInt8]? {
    profile(
      curve: Array("curv".utf8) + [0, 0, 0, 0] + ByteOrder.big.bytes(light.count, 4)
        + light.flatMap { ByteOrder.big.bytes($0, 2) })
  }

  /// The same with three curves that are a tag.
  static func profile(curve: [UInt8]) -> [UInt8]? {
    guard let colors = Primaries.sRGB.adaptedColors else { return nil }
    return profile(
      space: "RGB ",
      [
        ("desc", text("Gray as RGB")), ("cprt", text("No copyright")), ("wtpt", xyz(d50)),
      ] + zip(["rXYZ", "gXYZ", "bXYZ"], colors).map { ($0, xyz($1)) }
        + ["rTRC", "gTRC", "bTRC"].map { ($0, curve) })
  }
}

extension ColorEncoding {
  /// The white point of the connection space.
  fileprivate static let d50 = [0.9642, 1, 0.8249]

  private static func profile(space: String, _ tags: [(String, [UInt8])]) -> [UInt8] {
    var table = ByteOrder.big.bytes(tags.count, 4)
    var data: [UInt8] = []
    // Equal tags are one.
    var places: [[UInt8]: Int] = [:]
    for (name, content) in tags {
      let place = places[content] ?? 132 + 12 * tags.count + data.count
      if places.updateValue(place, forKey: content) == nil {
        data += content + [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
      }
      table += Array(name.utf8) + ByteOrder.big.bytes(place, 4)
      table += ByteOrder.big.bytes(content.count, 4)
    }
    var header = ByteOrder.big.bytes(128 + table.count + data.count, 4) + [0, 0, 0, 0]
    header += [4, 0x40, 0, 0] + Array("mntr\(space)XYZ ".utf8)
    // A date, which is to be one: that of the version of the format.
    header += [2022, 5, 1, 0, 0, 0].flatMap { ByteOrder.big.bytes($0, 2) }
    header += Array("acsp".utf8) + [UInt8](repeating: 0, count: 28) + d50.flatMap(fixed)
    header += [UInt8](repeating: 0, count: 128 - header.count)
    return header + table + data
  }

  private static func fixed(_ value: Double) -> [UInt8] {
    ByteOrder.big.bytes(Int((value * 65536).rounded()), 4)
  }

  private static func numbers(_ kind: String, _ values: [Double]) -> [UInt8] {
    Array(kind.utf8) + [0, 0, 0, 0] + values.flatMap(fixed)
  }

  private static func xyz(_ values: [Double]) -> [UInt8] { numbers("XYZ ", values) }

  private static func text(_ text: String) -> [UInt8] {
    let letters: [UInt8] = text.utf8.flatMap { [0, $0] }
    let numbers = [0, 1, 12].flatMap { ByteOrder.big.bytes($0, 4) }
    let place = [letters.count, 28].flatMap { ByteOrder.big.bytes($0, 4) }
    return Array("mluc".utf8) + numbers + Array("enUS".utf8) + place + letters
  }

  private static func tag(_ curve: Curve) -> [UInt8] {
    let (kind, values): (UInt8, [Double]) =
      switch curve {
      case .power(let exponent): (0, [exponent])
      case .pieces(let values): (3, values)
      }
    return Array("para".utf8) + [0, 0, 0, 0, 0, kind, 0, 0] + values.flatMap(fixed)
  }
}

/// Matrices of three rows.
private typealias Matrix = [[Double]]

extension ColorEncoding.Primaries {
  /// Cones of the Bradford transform.
  private static let cones: Matrix = [
    [0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296],
  ]

  private static func light(_ place: [Double]) -> [Double] {
    [place[0] / place[1], 1, (1 - place[0] - place[1]) / place[1]]
  }

  /// The matrix that takes the white point to D50.
  fileprivate var adaptation: Matrix {
    let own = Self.cones.times(Self.light(white))
    let wanted = Self.cones.times(ColorEncoding.d50)
    let scaled = (0..<3).map { row in Self.cones[row].map { $0 * wanted[row] / own[row] } }
    return Self.cones.inverse?.times(scaled) ?? []
  }

  /// The XYZ of full red, green and blue, adapted to D50; `nil` if they enclose no colors.
  fileprivate var adaptedColors: [[Double]]? {
    let all = [red, green, blue, white]
    guard white[1] > 0.0001, all.allSatisfy({ $0.allSatisfy { (-1...2).contains($0) } }) else {
      return nil
    }
    // Primaries may be imaginary, as those of ProPhoto and ACES are, down to no light at all.
    let colors = [red, green, blue].map { [$0[0], $0[1], 1 - $0[0] - $0[1]] }
    let columns = colors.transposed
    guard let amounts = columns.inverse?.times(Self.light(white)) else { return nil }
    let found = zip(colors, amounts).map { color, amount in
      adaptation.times(color.map { $0 * amount })
    }
    // What a profile has room for.
    return found.allSatisfy { $0.allSatisfy { abs($0) < 8 } } ? found : nil
  }
}

extension [[Double]] {
  fileprivate var transposed: [[Double]] { (0..<3).map { column in map { $0[column] } } }

  fileprivate func times(_ vector: [Double]) -> [Double] {
    map { row in zip(row, vector).reduce(0) { $0 + $1.0 * $1.1 } }
  }

  fileprivate func times(_ other: [[Double]]) -> [[Double]] {
    other.transposed.map(times).transposed
  }

  /// Returns `nil` if there is none.
  fileprivate var inverse: [[Double]]? {
    func minor(_ row: Int, _ column: Int) -> Double {
      let (below, right) = ((row + 1) % 3, (column + 1) % 3)
      let (last, end) = ((row + 2) % 3, (column + 2) % 3)
      return self[below][right] * self[last][end] - self[below][end] * self[last][right]
    }
    let determinant = (0..<3).reduce(0) { $0 + self[0][$1] * minor(0, $1) }
    guard abs(determinant) > 1e-6 else { return nil }
    return (0..<3).map { row in (0..<3).map { minor($0, row) / determinant } }
  }
}

/// Colors by code points of ITU-T H.273: `nclx` in HEIC and AVIF, `cICP` in PNG.
struct CodePoints: Hashable {
  var primaries: Int
  var transfer: Int

  /// The transfer function of an HDR image, which is not read; `nil` for all others.
  var hdrTransfer: String? { [16: "PQ", 18: "HLG"][transfer] }

  /// The colors they stand for; `nil` for code points that are reserved, or whose curve no profile holds.
  ///
  /// 2 is "unspecified", which is sRGB. The curves of BT.709 and its relatives count as that of sRGB, as in
  /// browsers: images say so, cameras and displays never followed.
  var encoding: ColorEncoding? {
    guard let primaries = Self.primaries[primaries], let curve = Self.curves[transfer] else {
      return nil
    }
    return ColorEncoding(
      primaries: primaries, curve: curve, codePoints: [self.primaries, transfer])
  }

  private static let d65 = [0.3127, 0.329]
  private static let c = [0.31, 0.316]

  private static let primaries: [Int: ColorEncoding.Primaries] = {
    func space(
      _ red: [Double], _ green: [Double], _ blue: [Double], _ white: [Double]
    ) -> ColorEncoding.Primaries {
      ColorEncoding.Primaries(red: red, green: green, blue: blue, white: white)
    }
    let smpte170 = space([0.63, 0.34], [0.31, 0.595], [0.155, 0.07], d65)
    let p3 = space([0.68, 0.32], [0.265, 0.69], [0.15, 0.06], d65)
    var dci = p3
    dci.white = [0.314, 0.351]
    return [
      1: .sRGB, 2: .sRGB,
      4: space([0.67, 0.33], [0.21, 0.71], [0.14, 0.08], c),
      5: space([0.64, 0.33], [0.29, 0.6], [0.15, 0.06], d65),
      6: smpte170, 7: smpte170,
      8: space([0.681, 0.319], [0.243, 0.692], [0.145, 0.049], c),
      9: space([0.708, 0.292], [0.17, 0.797], [0.131, 0.046], d65),
      10: space([1, 0], [0, 1], [0, 0], [1 / 3, 1 / 3]),
      11: dci, 12: p3,
      22: space([0.63, 0.34], [0.295, 0.605], [0.155, 0.077], d65),
    ]
  }()

  private static let curves: [Int: ColorEncoding.Curve] = [
    1: .sRGB, 2: .sRGB, 4: .power(2.2), 5: .power(2.8), 6: .sRGB,
    7: .pieces([1 / 0.45, 1 / 1.1115, 0.1115 / 1.1115, 0.25, 0.0912]),
    8: .power(1), 11: .sRGB, 12: .sRGB, 13: .sRGB, 14: .sRGB, 15: .sRGB,
    // SMPTE ST 428-1: white, of 48 candelas, is not the highest level.
    17: .pieces([2.6, pow(52.37 / 48, 1 / 2.6), 0, 0, 0]),
  ]
}
