internal import FrostglassCore

/// Windows bitmaps: headers of 40, 52, 56, 108 and 124 bytes; 1, 4 and 8 bits with a palette, 16, 24 and
/// 32 bits, with masks where there are some.
enum BitmapFile {
  /// Reads the header.
  static func read(_ file: UnsafeRawBufferPointer) throws(RowFile.Refusal) -> RowFile {
    let header = try Header(file)
    let resolution = header.resolution
    var rows: RowFile
    switch header.bits {
    case 1, 4, 8: rows = try header.indexed(file)
    case 24: rows = header.plain(bytes: 3)
    default: rows = try header.masked(file)
    }
    rows.resolution = resolution
    rows.profile = header.profile(file)
    return rows
  }

  /// What the first bytes say.
  private struct Header {
    let width: Int
    let height: Int
    let bits: Int
    /// Where pixels begin.
    let start: Int
    /// Bytes of a row, which is filled up to four.
    let stride: Int
    private let isTopDown: Bool
    private let length: Int
    private let compression: Int
    private let colors: Int
    private let perMeter: (x: Int, y: Int)

    init(_ file: UnsafeRawBufferPointer) throws(RowFile.Refusal) {
      func number(_ place: Int, _ count: Int = 4) -> Int {
        ByteOrder.little.number(file, at: place, bytes: count) ?? 0
      }
      length = number(14)
      guard length != 12, length != 16, length != 64 else { throw .kind("a BMP of OS/2") }
      guard [40, 52, 56, 108, 124].contains(length), file.count > 14 + length else {
        throw .damaged("its header makes no sense")
      }
      width = Int(Int32(truncatingIfNeeded: number(18)))
      let rows = Int(Int32(truncatingIfNeeded: number(22)))
      isTopDown = rows < 0
      height = abs(rows)
      bits = number(28, 2)
      compression = number(30)
      switch compression {
      case 0: break
      case 3, 6: break
      case 1, 2: throw .kind("a BMP with run-length coding")
      case 4, 5: throw .kind("a BMP that wraps \(compression == 4 ? "a JPEG" : "a PNG")")
      default: throw .damaged("its compression makes no sense")
      }
      guard [1, 4, 8, 16, 24, 32].contains(bits), compression == 0 || bits == 16 || bits == 32
      else { throw .damaged("\(bits) bits per pixel make no sense") }
      perMeter = (number(38), number(42))
      colors = number(46)
      start = number(10)
      guard start >= 14 + length else { throw .damaged("its pixels begin in its header") }
      guard (1..<1 << 24).contains(width) else { throw .damaged("its size makes no sense") }
      stride = (width * bits + 31) / 32 * 4
      // The last row need not be filled up.
      try RowFile.check(width, height, bits: width * bits, left: file.count - start)
      try RowFile.check(
        width, max(height - 1, 1), bits: height > 1 ? 8 * stride : 0,
        left: file.count - start - (width * bits + 7) / 8)
    }

    var resolution: StillMetadata.Resolution? {
      guard (1...10_000_000).contains(perMeter.x), (1...10_000_000).contains(perMeter.y) else {
        return nil
      }
      return StillMetadata.Resolution(
        horizontal: Double(perMeter.x) / 1000, vertical: Double(perMeter.y) / 1000)
    }

    /// Where a row begins, counted from the top.
    func place(of row: Int) -> Int { start + (isTopDown ? row : height - 1 - row) * stride }

    /// The profile that a header of 124 bytes points at, or the file's own colors: those of a calibrated
    /// header of 108 bytes are taken for sRGB.
    func profile(_ file: UnsafeRawBufferPointer) -> [UInt8]? {
      guard length == 124, ByteOrder.little.number(file, at: 70, bytes: 4) == 0x4D42_4544,
        let offset = ByteOrder.little.number(file, at: 126, bytes: 4),
        let count = ByteOrder.little.number(file, at: 130, bytes: 4),
        count >= 128, count <= 16 << 20, 14 + offset <= file.count - count
      else { return nil }
      return Array(file[14 + offset..<14 + offset + count])
    }

    /// Samples that stand in the order blue, green, red.
    func plain(bytes: Int) -> RowFile {
      let width = width
      return RowFile(Size(width: width, height: height), .rgb8) { [self] y, file, target in
        let samples = target.assumingMemoryBound(to: UInt8.self)
        let place = place(of: y)
        for x in 0..<width {
          samples[3 * x] = file[place + bytes * x + 2]
          samples[3 * x + 1] = file[place + bytes * x + 1]
          samples[3 * x + 2] = file[place + bytes * x]
        }
      }
    }

    /// Numbers of colors in a palette. It becomes gray where all its colors are.
    func indexed(_ file: UnsafeRawBufferPointer) throws(RowFile.Refusal) -> RowFile {
      let most = 1 << bits
      let count = colors == 0 ? most : min(colors, most)
      let place = 14 + length
      guard place + 4 * count <= file.count else { throw .damaged("its palette is cut off") }
      var palette = [SIMD4<UInt8>](repeating: SIMD4(0, 0, 0, 0), count: 256)
      for index in 0..<count {
        let entry = place + 4 * index
        palette[index] = SIMD4(file[entry + 2], file[entry + 1], file[entry], 0)
      }
      let colors = palette
      let isGray = colors[..<count].allSatisfy { $0.x == $0.y && $0.y == $0.z }
      let (width, bits) = (width, bits)
      return RowFile(
        Size(width: width, height: height), isGray ? .gray8 : .rgb8
      ) { [self] y, file, target in
        let samples = target.assumingMemoryBound(to: UInt8.self)
        let place = self.place(of: y)
        for x in 0..<width {
          let byte = Int(file[place + x * bits / 8])
          let color = colors[byte >> (8 - bits - x * bits % 8) & (1 << bits - 1)]
          if isGray {
            samples[x] = color.x
          } else {
            (samples[3 * x], samples[3 * x + 1], samples[3 * x + 2]) = (color.x, color.y, color.z)
          }
        }
      }
    }

    /// Pixels of 16 or 32 bits, in which masks say where the samples are.
    func masked(_ file: UnsafeRawBufferPointer) throws(RowFile.Refusal) -> RowFile {
      guard compression != 0 || bits == 16 else { return plain(bytes: 4) }
      var masks: [UInt32] = [0x7C00, 0x3E0, 0x1F, 0]
      if compression != 0 {
        // They stand in a longer header, or behind the short one.
        let hasAlpha = length >= 56 || compression == 6
        masks = (0..<4).map { index in
          index < 3 || hasAlpha
            ? UInt32(
              truncatingIfNeeded: ByteOrder.little.number(file, at: 54 + 4 * index, bytes: 4) ?? 0)
            : 0
        }
      }
      guard masks[..<3].allSatisfy({ $0 != 0 }) else { throw .damaged("a color has no bits") }
      let parts = masks.filter { $0 != 0 }.map(Part.init)
      let (width, bytes, count) = (width, bits / 8, parts.count)
      return RowFile(
        Size(width: width, height: height), count == 4 ? .rgba8 : .rgb8
      ) { [self] y, file, target in
        let samples = target.assumingMemoryBound(to: UInt8.self)
        let place = place(of: y)
        for x in 0..<width {
          var pixel: UInt32 = 0
          for byte in 0..<bytes {
            pixel |= UInt32(file[place + bytes * x + byte]) << UInt32(8 * byte)
          }
          for index in 0..<count { samples[count * x + index] = parts[index].sample(pixel) }
        }
      }
    }
  }

  /// The bits of a pixel that are one sample.
  private struct Part {
    private let mask: UInt32
    private let shift: UInt32
    private let most: UInt64

    init(_ mask: UInt32) {
      self.mask = mask
      shift = UInt32(mask.trailingZeroBitCount)
      most = UInt64(mask >> shift)
    }

    /// Stretched to full scale.
    func sample(_ pixel: UInt32) -> UInt8 {
      UInt8(truncatingIfNeeded: (UInt64((pixel & mask) >> shift) * 255 + most / 2) / most)
    }
  }
}
