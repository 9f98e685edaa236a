internal import FrostglassCore

/// The header fields of a JPEG XL codestream that libvips does not report.
///
/// ISO/IEC 18181-1: fields of some bits each, the lowest first, one after the other without gaps.
struct JPEGXLHeader {
  /// True if more frames follow; only the first is read.
  private(set) var isAnimation = false
  /// True if colors are stored multiplied by the first alpha channel.
  private(set) var isPremultiplied = false
  /// True if the image is stored turned or mirrored, as the decoder undoes.
  private(set) var isTurned = false
  /// The transfer function, as ITU-T H.273 numbers it; `nil` where a profile or a number says it.
  private(set) var transfer: Int?

  /// - Parameter file: a codestream, or boxes with one; `nil` where its header is not there.
  init?(_ file: some BlockOfBytes) {
    guard let header = Self.header(of: file) else { return nil }
    var bits = Bits(bytes: header)
    guard bits.take(16) == 0x0AFF else { return nil }
    bits.skipSize()
    // All else is the default: one image, without alpha.
    guard !bits.flag() else { return }
    if bits.flag() {
      isTurned = bits.take(3) != 0
      if bits.flag() { bits.skipSize() }
      if bits.flag() { bits.skipPreview() }
      isAnimation = bits.flag()
      if isAnimation { bits.skipTimes() }
    }
    bits.skipDepth()
    _ = bits.flag()  // Buffers of 16 bits.
    let channels = bits.number([0, 0, 4, 12], [0, 1, 2, 1])
    var alpha: Bool?
    for _ in 0..<channels where !bits.isOver {
      let found = bits.channel()
      alpha = alpha ?? found
    }
    isPremultiplied = alpha ?? false
    _ = bits.flag()  // Colors in XYB.
    transfer = bits.flag() ? 13 : bits.transfer()
    if bits.isOver { return nil }
  }

  /// The first bytes of the codestream, with more than a header before its colors usually has.
  private static func header(of file: some BlockOfBytes) -> [UInt8]? {
    let most = 4096
    guard file.starts(with: [0, 0, 0, 12]) else { return Array(file.prefix(most)) }
    for (name, content) in BoxReader(file: file).boxes(in: 0..<file.count) {
      switch name {
      case "jxlc": return Array(file[content].prefix(most))
      // Its number is before it.
      case "jxlp": return Array(file[content].dropFirst(4).prefix(most))
      default: break
      }
    }
    return nil
  }

  /// Bits in order; zeros behind the last.
  private struct Bits {
    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isOver: Bool { place > bytes.count * 8 }

    mutating func take(_ count: Int) -> Int {
      var value = 0
      for bit in 0..<count {
        if place < bytes.count * 8 { value |= Int(bytes[place / 8] >> (place % 8) & 1) << bit }
        place += 1
      }
      return value
    }

    mutating func flag() -> Bool { take(1) == 1 }

    /// A number by two bits before it: how many bits it has, and what is added.
    mutating func number(_ lengths: [Int], _ offsets: [Int]) -> Int {
      let index = take(2)
      return offsets[index] + take(lengths[index])
    }

    /// Skips the timing of frames.
    mutating func skipTimes() {
      skipNumber([0, 0, 10, 30])
      skipNumber([0, 0, 8, 10])
      skipNumber([0, 3, 16, 32])
      _ = flag()
    }

    /// Bits of a sample.
    mutating func skipDepth() {
      let isFloat = flag()
      skipNumber([0, 0, 0, 6])
      if isFloat { _ = take(4) }
    }

    /// Reads an extra channel. Returns true if it is alpha that colors are multiplied by, and `nil` for other
    /// channels.
    mutating func channel() -> Bool? {
      guard !flag() else { return false }
      let kind = name()
      skipDepth()
      skipNumber([0, 0, 0, 3])
      let letters = number([0, 4, 5, 10], [0, 0, 16, 48])
      for _ in 0..<letters { _ = take(8) }
      switch kind {
      case 0: return flag()
      // The color of a spot, and the place in an array of filters.
      case 2: _ = take(64)
      case 5: skipNumber([0, 2, 4, 8])
      default: break
      }
      return nil
    }

    /// The transfer function of a color encoding.
    mutating func transfer() -> Int? {
      let hasProfile = flag()
      let space = name()
      guard !hasProfile, space != 2 else { return nil }
      if name() == 2 { skipPlace() }
      if space != 1, name() == 2 { for _ in 0..<3 { skipPlace() } }
      return flag() ? nil : name()
    }

    /// A number that stands for one of some names.
    private mutating func name() -> Int { number([0, 0, 4, 6], [0, 1, 2, 18]) }

    private mutating func skipPlace() { for _ in 0..<2 { skipNumber([19, 19, 20, 21]) } }

    /// A number whose length is told by two bits before it.
    private mutating func skipNumber(_ lengths: [Int]) { _ = take(lengths[take(2)]) }

    /// Height, ratio of the sides, and the width where there is none.
    mutating func skipSize() { skipSides(isSmall: flag(), small: 5, [9, 13, 18, 30]) }

    mutating func skipPreview() {
      let isInEights = flag()
      skipSides(isSmall: false, small: 0, isInEights ? [0, 0, 5, 9] : [6, 8, 10, 12])
    }

    private mutating func skipSides(isSmall: Bool, small: Int, _ lengths: [Int]) {
      for side in 0..<2 {
        if isSmall { _ = take(small) } else { skipNumber(lengths) }
        if side == 0, take(3) != 0 { return }
      }
    }
  }
}
