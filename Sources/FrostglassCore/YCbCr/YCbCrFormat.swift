/// The layout of an image in planes of brightness (Y) and color differences (Cb and Cr, or U and V).
///
/// Colors are those of RGB images, encoded: only the weighted sums are undone. Primaries and transfer curves do not
/// change.
public struct YCbCrFormat: Sendable, Hashable {
  /// The matrix between RGB and the samples.
  public var matrix: Matrix
  /// The sample values of black and white.
  public var range: Levels
  /// The number of color samples per pixel.
  public var sampling: Sampling
  /// The position of color samples between pixels.
  public var siting: Siting
  /// Bits per sample.
  public var bits: Bits
  /// The arrangement of samples in planes.
  public var arrangement: Arrangement

  /// Without arguments, the planes of most video: BT.709, narrow, 4:2:0, left, 8 bits.
  public init(
    matrix: Matrix = .bt709, range: Levels = .narrow,
    sampling: Sampling = .both,
    siting: Siting = .left, bits: Bits = .eight,
    arrangement: Arrangement = .separate
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

  /// The planes of an image, brightness first: gray images, opaque and encoded.
  ///
  /// Where there are fewer color differences, an odd side is rounded up.
  ///
  /// - Parameter size: the size of the image; both sides at least 1.
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

  /// The names of the planes, in order.
  var planeNames: [String] { arrangement == .separate ? ["Y", "U", "V"] : ["Y", "UV"] }

  /// Samples of each of the color differences.
  func chromaSize(of size: Size) -> Size {
    Size(
      width: (size.width + sampling.columns - 1) / sampling.columns,
      height: (size.height + sampling.rows - 1) / sampling.rows)
  }
}

extension YCbCrFormat: CustomStringConvertible {
  /// The format in words.
  public var description: String {
    let place = sampling == .none ? "" : " \(siting.x)/\(siting.y)"
    return "\(matrix) \(range) \(sampling.rawValue)\(place), \(bits.rawValue) bits, \(arrangement)"
  }
}

extension YCbCrFormat {
  /// The standard whose weights make brightness from red, green and blue.
  public enum Matrix: String, Sendable, Hashable, CaseIterable {
    /// ITU-R BT.601: standard definition, and JPEG.
    case bt601
    /// ITU-R BT.709: high definition.
    case bt709
    /// ITU-R BT.2020, non-constant luminance: ultra high definition.
    case bt2020

    /// The weight of red, as the standard gives it.
    public var red: Double {
      switch self {
      case .bt601: 0.299
      case .bt709: 0.2126
      case .bt2020: 0.2627
      }
    }

    /// The weight of blue, as the standard gives it.
    public var blue: Double {
      switch self {
      case .bt601: 0.114
      case .bt709: 0.0722
      case .bt2020: 0.0593
      }
    }

    /// The weight of green: what is left, so that white has brightness 1.
    public var green: Double { 1 - red - blue }
  }
}

extension YCbCrFormat {
  /// The codes for black and white, given here for 8 bits; for more bits they are shifted left.
  public enum Levels: String, Sendable, Hashable, CaseIterable {
    /// Black is 16 and white 235; color differences go from 16 to 240 around 128. Of video.
    case narrow
    /// Black is 0 and white the largest code; color differences have the same span around 128. Of
    /// JPEG files.
    case full
  }
}

extension YCbCrFormat {
  /// The number of samples of the color differences.
  public enum Sampling: String, Sendable, Hashable, CaseIterable {
    /// One for each 2 × 2 pixels.
    case both = "4:2:0"
    /// One for every second pixel of a row.
    case columns = "4:2:2"
    /// One for every fourth pixel of a row.
    case quarterColumns = "4:1:1"
    /// One for each pixel.
    case none = "4:4:4"

    /// Pixels of a row for each sample: 1, 2 or 4.
    public var columns: Int {
      switch self {
      case .none: 1
      case .both, .columns: 2
      case .quarterColumns: 4
      }
    }
    /// Pixels of a column for each sample: 1 or 2.
    public var rows: Int { self == .both ? 2 : 1 }
  }
}

extension YCbCrFormat {
  /// The position of color difference samples among the pixels, where there are fewer samples than pixels.
  public struct Siting: Sendable, Hashable {
    /// The place along one axis.
    public enum Place: String, Sendable, Hashable, CaseIterable {
      /// On the first of the pixels it serves.
      case cosited
      /// In their middle.
      case centered
    }

    /// Along rows; of no matter for 4:4:4.
    public var x: Place
    /// Along columns; of no matter but for 4:2:0.
    public var y: Place

    /// A siting per axis.
    public init(x: Place, y: Place) {
      self.x = x
      self.y = y
    }

    /// On the left two of four pixels, between their rows: MPEG-2, H.264 and most video.
    public static let left = Siting(x: .cosited, y: .centered)
    /// Between all four pixels: JPEG, MPEG-1.
    public static let center = Siting(x: .centered, y: .centered)
    /// On the first of four pixels: ultra high definition (BT.2020, BT.2100).
    public static let topLeft = Siting(x: .cosited, y: .cosited)
  }
}

extension YCbCrFormat {
  /// The number of bits of a code.
  public enum Bits: Int, Sendable, Hashable, CaseIterable {
    /// In bytes.
    case eight = 8
    /// In the low bits of 16-bit words.
    case ten = 10
    /// In the low bits of 16-bit words.
    case twelve = 12
    /// In 16-bit words. In narrow range also what has its 10 or 12 bits at the top of the words, such
    /// as P010: the codes are the same. What is written has all 16 bits.
    case sixteen = 16

    /// The type of a sample.
    public var depth: PixelFormat.Depth { self == .eight ? .uint8 : .uint16 }

    /// The largest code.
    var largest: Double { Double(1 << rawValue - 1) }

    /// The largest code as a fraction of the largest that the words can hold.
    var fill: Double { largest / Double(depth.fullScale) }
  }
}

extension YCbCrFormat {
  /// The arrangement of color differences, next to brightness, which has its own plane.
  public enum Arrangement: String, Sendable, Hashable, CaseIterable {
    /// A plane of blue and one of red differences, in this order: I420 and its kind.
    case separate
    /// One plane in which both are interleaved, blue first: NV12 and similar. It is described as a gray image of twice
    /// the width.
    case interleaved

    /// Two or three.
    public var planeCount: Int { self == .separate ? 3 : 2 }
  }
}

// The numbers of ITU-T H.273, which gives those of BT.601, BT.709 and BT.2020 in one form.
extension YCbCrFormat {
  /// The code of black, and how many there are from black to white.
  private var luma: (black: Double, span: Double) {
    let step = Double(1 << (bits.rawValue - 8))
    return range == .narrow ? (16 * step, 219 * step) : (0, bits.largest)
  }

  /// The code of no difference, and how many there are from the smallest to the largest.
  private var chroma: (middle: Double, span: Double) {
    let step = Double(1 << (bits.rawValue - 8))
    return (128 * step, range == .narrow ? 224 * step : bits.largest)
  }

  /// From brightness, blue and red difference, as fractions of the largest code, to colors.
  ///
  /// With weights kr, kg and kb, brightness is `Y = kr R + kg G + kb B`, and the differences are
  /// `Cb = (B − Y) / 2 (1 − kb)` and `Cr = (R − Y) / 2 (1 − kr)`, which are in −½…½. Solved for R
  /// and B at once, and with these for G.
  var toColors: ColorMatrix {
    let (red, green, blue) = (matrix.red, matrix.green, matrix.blue)
    let fromBlue = 2 * (1 - blue)
    let fromRed = 2 * (1 - red)
    func row(_ cb: Double, _ cr: Double) -> SIMD4<Double> {
      SIMD4(
        bits.largest / luma.span, cb * bits.largest / chroma.span, cr * bits.largest / chroma.span,
        -luma.black / luma.span - (cb + cr) * chroma.middle / chroma.span)
    }
    return ColorMatrix(rows: [
      row(0, fromRed), row(-fromBlue * blue / green, -fromRed * red / green), row(fromBlue, 0),
    ])
  }

  /// From colors to brightness, blue and red difference, as fractions of the largest code.
  var fromColors: [SIMD4<Double>] {
    let weights = SIMD4(matrix.red, matrix.green, matrix.blue, 0)
    func difference(_ color: SIMD4<Double>, _ weight: Double) -> SIMD4<Double> {
      var row = (color - weights) * (chroma.span / (2 * (1 - weight) * bits.largest))
      row.w = chroma.middle / bits.largest
      return row
    }
    var brightness = weights * (luma.span / bits.largest)
    brightness.w = luma.black / bits.largest
    return [
      brightness, difference(SIMD4(0, 0, 1, 0), matrix.blue),
      difference(SIMD4(1, 0, 0, 0), matrix.red),
    ]
  }
}

/// An image in planes of brightness and color differences, in memory.
public struct YCbCrImage: Sendable {
  /// Width and height of the image in pixels; color planes may have fewer.
  public let size: Size
  /// The layout of the planes.
  public let format: YCbCrFormat
  /// As `format.planes(of: size)` describes them.
  public let planes: [Image]

  /// Puts planes together.
  ///
  /// - Parameter planes: brightness first, then blue and red differences or both in one; images of
  ///   codes, with any distance between rows.
  /// - Throws: `YCbCrError` when there are too few or too many, or when one is not as
  ///   `format.planes(of: size)` has it.
  public init(size: Size, format: YCbCrFormat, planes: [Image]) throws(YCbCrError) {
    let accepted = format.planes(of: size)
    guard planes.count == accepted.count else {
      throw .planeCount(planes.count, needed: accepted.count)
    }
    for (index, plane) in planes.enumerated() where Plan.Input(plane) != accepted[index] {
      throw .plane(format.planeNames[index], got: Plan.Input(plane), accepted: accepted[index])
    }
    self.size = size
    self.format = format
    self.planes = planes
  }
}

/// Why images are not the planes of an image.
public enum YCbCrError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There are not as many planes as the format has.
  case planeCount(Int, needed: Int)
  /// The name of a plane, what it is and what it would have to be.
  case plane(String, got: Plan.Input, accepted: Plan.Input)

  /// A description for the person who made the image.
  public var description: String {
    switch self {
    case .planeCount(let count, let needed):
      "\(count) planes; this format has \(needed)"
    case .plane(let name, let got, let accepted):
      "the plane \(name) is \(got.size) \(got.format), \(got.transfer); it must be "
        + "\(accepted.size) \(accepted.format), \(accepted.transfer)"
    }
  }
}
