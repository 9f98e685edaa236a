/// How a picture is held in planes of brightness (Y) and color differences (Cb and Cr, or U and V).
///
/// Colors are those of RGB pictures, encoded: only the weighted sums are taken back, no primaries
/// and no transfer curve are changed.
public struct YCbCrFormat: Sendable, Hashable {
  public var matrix: YCbCrMatrix
  public var range: YCbCrRange
  public var sampling: ChromaSampling
  public var siting: ChromaSiting
  public var bits: YCbCrBits
  public var arrangement: YCbCrArrangement

  /// Without arguments, the planes of most video: BT.709, narrow, 4:2:0, left, 8 bits.
  public init(
    matrix: YCbCrMatrix = .bt709, range: YCbCrRange = .narrow, sampling: ChromaSampling = .both,
    siting: ChromaSiting = .left, bits: YCbCrBits = .eight,
    arrangement: YCbCrArrangement = .separate
  ) {
    self.matrix = matrix
    self.range = range
    self.sampling = sampling
    self.siting = siting
    self.bits = bits
    self.arrangement = arrangement
  }

  /// As JPEG files have it: BT.601, full, 4:2:0, centered.
  public static let jpeg = YCbCrFormat(matrix: .bt601, range: .full, siting: .center)

  /// The planes of a picture, brightness first: gray images, opaque and encoded.
  ///
  /// Where there are fewer color differences, an odd side is rounded up.
  ///
  /// - Parameter size: of the picture; both sides at least 1.
  public func planes(of size: Size) -> [Plan.Input] {
    let chroma = chromaSize(of: size)
    let color =
      arrangement == .separate
      ? [chroma, chroma] : [Size(width: 2 * chroma.width, height: chroma.height)]
    return ([size] + color).map { size in
      Plan.Input(
        size: size, format: PixelFormat(.gray, bits.depth), alpha: .opaque, transfer: .encoded)
    }
  }

  /// What the planes are called, in order.
  var planeNames: [String] { arrangement == .separate ? ["Y", "U", "V"] : ["Y", "UV"] }

  /// Samples of each of the color differences.
  func chromaSize(of size: Size) -> Size {
    Size(
      width: sampling.halvesColumns ? (size.width + 1) / 2 : size.width,
      height: sampling.halvesRows ? (size.height + 1) / 2 : size.height)
  }
}

extension YCbCrFormat: CustomStringConvertible {
  public var description: String {
    let place = sampling == .none ? "" : " \(siting.x)/\(siting.y)"
    return "\(matrix) \(range) \(sampling.rawValue)\(place), \(bits.rawValue) bits, \(arrangement)"
  }
}
