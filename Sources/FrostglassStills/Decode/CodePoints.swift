internal import Glibc

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
