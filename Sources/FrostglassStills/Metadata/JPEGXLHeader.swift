internal import FrostglassCore

/// What the header of a JPEG XL codestream says that libvips does not tell.
///
/// ISO/IEC 18181-1: fields of some bits each, the lowest first, one after the other without gaps.
struct JPEGXLHeader {
  /// Whether more frames follow; only the first is read.
  private(set) var isAnimation = false

  /// - Parameter file: a codestream, or boxes with one; `nil` where its header is not there.
  init?(_ file: some BlockOfBytes) {
    guard let header = Self.header(of: file) else { return nil }
    var bits = Bits(bytes: header)
    guard bits.take(16) == 0x0AFF else { return nil }
    bits.skipSize()
    // All else is as usual: one picture.
    guard !bits.flag(), bits.flag() else { return }
    _ = bits.take(3)  // Orientation.
    if bits.flag() { bits.skipSize() }
    if bits.flag() { bits.skipPreview() }
    isAnimation = bits.flag()
    if bits.isOver { return nil }
  }

  /// The first bytes of the codestream, with more than a header before the frames' flag can have.
  private static func header(of file: some BlockOfBytes) -> [UInt8]? {
    let most = 64
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
