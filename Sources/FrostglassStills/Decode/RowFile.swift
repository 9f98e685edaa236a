internal import CVips
internal import FrostglassCore

/// A file whose pixels stand in it as they are, row by row: BMP and the PPM family.
///
/// libvips has BMP from ImageMagick alone, and does not trust its own reader of PPM. Both formats are a
/// header and rows, so they are read here: a file that is too short for its header's size is damaged,
/// and nothing is decoded of it.
struct RowFile {
  /// The upright size.
  let size: Size
  /// The pixel format of decoded rows.
  let pixels: PixelFormat
  /// An ICC profile that is embedded.
  var profile: [UInt8]?
  /// The reason why colors are not used, as a predicate.
  var note: String?
  /// Pixels per millimeter, where the file says so.
  var resolution: StillMetadata.Resolution?
  /// Comments in the header.
  var comments: [[UInt8]] = []
  /// Writes a row's samples without gaps; rows come in any order and in any thread, counted from the
  /// top. It is given the whole file.
  let row: (Int, UnsafeRawBufferPointer, UnsafeMutableRawPointer) -> Void

  /// The reason for not reading a file.
  enum Refusal: Error {
    /// It contradicts itself or ends too soon.
    case damaged(String)
    /// It is of a kind that is not read, in words such as `a BMP with run-length coding`.
    case kind(String)
  }

  /// Reads the header of a file.
  init(_ format: StillFormat, _ file: UnsafeRawBufferPointer) throws(Refusal) {
    self = format == .bmp ? try BitmapFile.read(file) : try PortableFile.read(file)
  }

  init(
    _ size: Size, _ pixels: PixelFormat,
    row: @escaping (Int, UnsafeRawBufferPointer, UnsafeMutableRawPointer) -> Void
  ) {
    (self.size, self.pixels, self.row) = (size, pixels, row)
  }

  /// Refuses sides that libvips does not count to, and more rows than there are bytes for.
  ///
  /// - Parameters:
  ///   - bits: of a row at least.
  ///   - left: bytes of the file behind the header.
  static func check(_ width: Int, _ height: Int, bits: Int, left: Int) throws(Refusal) {
    let sides = 1..<Int(VIPS_MAX_COORD)
    guard sides.contains(width), sides.contains(height) else {
      throw .damaged("its size makes no sense")
    }
    let (need, overflow) = ((bits + 7) / 8).multipliedReportingOverflow(by: height)
    guard !overflow, need <= left else {
      throw .damaged(
        "its header claims \(width)×\(height) pixels, which \(max(left, 0)) bytes cannot hold")
    }
  }

  /// The image, whose rows are read from the file when they are asked for.
  ///
  /// - Parameter bytes: the file that this was read from.
  func picture(from bytes: ByteSource) throws(VipsFailure) -> VipsImageHandle {
    guard let file = bytes.withContents({ $0 }) else { throw .take() }
    let picture = try VipsImageHandle.making(
      size, bands: pixels.layout.channels, pixels.bandFormat, pixels.interpretation
    ) { region in
      // The file stays as long as the image does.
      withExtendedLifetime(bytes) { fill(region, from: file) }
    }
    if let profile { picture.setBlob("icc-profile-data", profile) }
    guard let resolution else { return picture }
    return try picture.applying {
      fgk_retag($0, $1, pixels.interpretation, resolution.horizontal, resolution.vertical)
    }
  }

  /// Fills a region, which may be a part of the rows.
  private func fill(
    _ region: UnsafeMutablePointer<VipsRegion>, from file: UnsafeRawBufferPointer
  ) {
    let area = region.pointee.valid
    let pixel = pixels.bytesPerPixel
    if area.left == 0, Int(area.width) == size.width {
      for y in area.top..<area.top + area.height {
        row(Int(y), file, fgk_region_row(region, y))
      }
      return
    }
    withUnsafeTemporaryAllocation(byteCount: size.width * pixel, alignment: 16) { whole in
      guard let start = whole.baseAddress else { return }
      for y in area.top..<area.top + area.height {
        row(Int(y), file, start)
        fgk_region_place(region, area.left, y)
          .copyMemory(from: start + Int(area.left) * pixel, byteCount: Int(area.width) * pixel)
      }
    }
  }
}

extension RowFile {
  /// Reads the header of what is opened.
  init(_ bytes: ByteSource, name: String) throws(DecodeError) {
    let format = bytes.signature ?? .bmp
    let found = bytes.withContents { file -> Result<RowFile, Refusal>? in
      Result { () throws(Refusal) in try RowFile(format, file) }
    }
    switch found {
    case .success(let file): self = file
    case .failure(.kind(let found)): throw .unsupportedKind(name: name, found: found)
    case .failure(.damaged(let reason)): throw .damaged(name: name, reason: reason)
    case nil: throw .damaged(name: name, reason: "it cannot be read to its end")
    }
  }
}

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
    let colors = BitmapColor(file, headerLength: header.length)
    rows.profile = colors.profile ?? colors.encoding?.profile(isGray: rows.pixels.layout == .gray)
    rows.note = colors.note
    return rows
  }

  /// The header of a Windows bitmap.
  private struct Header {
    let width: Int
    let height: Int
    let bits: Int
    /// The position of the first pixel.
    let start: Int
    /// Bytes of a row, which is filled up to four.
    let stride: Int
    private let isTopDown: Bool
    let length: Int
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

    /// Returns the position of a row, counted from the top.
    func place(of row: Int) -> Int { start + (isTopDown ? row : height - 1 - row) * stride }

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

/// The PPM family: PBM, PGM and PPM, as text or binary, and PFM.
///
/// A PFM holds linear light, as its inventors and programs that render have it; images here are
/// encoded for a display, so samples go through the curve of sRGB, on with its powers above 1 and
/// mirrored below 0.
enum PortableFile {
  /// Reads the header.
  static func read(_ file: UnsafeRawBufferPointer) throws(RowFile.Refusal) -> RowFile {
    var words = Words(file: file, place: 2)
    let letter = file.count > 2 ? file[1] : 0
    guard let width = words.number(), let height = words.number() else {
      throw .damaged("its header makes no sense")
    }
    var rows: RowFile
    switch letter {
    case UInt8(ascii: "f"), UInt8(ascii: "F"):
      rows = try floats(width, height, colors: letter == UInt8(ascii: "F") ? 3 : 1, &words)
    case UInt8(ascii: "1"), UInt8(ascii: "4"):
      rows = try bits(width, height, isText: letter == UInt8(ascii: "1"), &words)
    default:
      let kind = Int(letter) - Int(UInt8(ascii: "0"))
      rows = try samples(
        width, height, kind % 3 == 2 ? PixelFormat.Layout.gray : .rgb, isText: kind < 4, &words)
    }
    rows.comments = words.comments
    return rows
  }

  private static func floats(
    _ width: Int, _ height: Int, colors: Int, _ words: inout Words
  ) throws(RowFile.Refusal) -> RowFile {
    // Its sign is the order of bytes. How bright 1 is would be its amount, which nobody writes.
    guard let scale = words.float(), scale != 0, scale.isFinite, words.endHeader() else {
      throw .damaged("its header makes no sense")
    }
    let start = words.place
    let stride = 4 * colors * width.clamped
    try RowFile.check(width, height, bits: 8 * stride, left: words.file.count - start)
    let isLittle = scale < 0
    return RowFile(
      Size(width: width, height: height), PixelFormat(colors == 3 ? .rgb : .gray, .float32)
    ) { y, file, target in
      let samples = target.assumingMemoryBound(to: Float.self)
      // The lowest row comes first.
      let place = start + (height - 1 - y) * stride
      for index in 0..<colors * width {
        let bits = file.loadUnaligned(fromByteOffset: place + 4 * index, as: UInt32.self)
        let value = Float(
          bitPattern: isLittle ? UInt32(littleEndian: bits) : UInt32(bigEndian: bits))
        // NaN would spread over the image.
        samples[index] = value.isFinite ? TransferCurve.encode(value) : 0
      }
    }
  }

  /// A bit is 1 for black.
  private static func bits(
    _ width: Int, _ height: Int, isText: Bool, _ words: inout Words
  ) throws(RowFile.Refusal) -> RowFile {
    guard words.endHeader() else { throw .damaged("its header makes no sense") }
    let start = words.place
    try RowFile.check(
      width, height, bits: isText ? 8 * width.clamped : width, left: words.file.count - start)
    let size = Size(width: width, height: height)
    guard !isText else {
      return try text(size, .gray8, most: 1, &words) { $0 == 0 ? 255 : 0 }
    }
    let stride = (width + 7) / 8
    return RowFile(size, .gray8) { y, file, target in
      let samples = target.assumingMemoryBound(to: UInt8.self)
      for x in 0..<width {
        let byte = file[start + y * stride + x / 8]
        samples[x] = byte >> UInt8(7 - x % 8) & 1 == 0 ? 255 : 0
      }
    }
  }

  private static func samples(
    _ width: Int, _ height: Int, _ layout: PixelFormat.Layout, isText: Bool, _ words: inout Words
  ) throws(RowFile.Refusal) -> RowFile {
    guard let most = words.number(), (1...65535).contains(most), words.endHeader() else {
      throw .damaged("its header makes no sense")
    }
    let start = words.place
    let size = Size(width: width, height: height)
    let pixels = PixelFormat(layout, most < 256 ? .uint8 : .uint16)
    let count = layout.channels * width.clamped
    let stride = count * pixels.depth.bytes
    // As text, a sample is a digit and what parts it from the next.
    try RowFile.check(
      width, height, bits: isText ? 16 * count - 8 : 8 * stride, left: words.file.count - start)
    let full = pixels.depth == .uint8 ? 255 : 65535
    func stretched(_ value: Int) -> Int {
      most == full ? value : (min(value, most) * full + most / 2) / most
    }
    guard !isText else { return try text(size, pixels, most: most, &words, stretched) }
    return RowFile(size, pixels) { y, file, target in
      let place = start + y * stride
      if pixels.depth == .uint8 {
        let row = UnsafeRawBufferPointer(rebasing: file[place..<place + stride])
        UnsafeMutableRawBufferPointer(start: target, count: stride).copyMemory(from: row)
        guard most != full else { return }
        let samples = target.assumingMemoryBound(to: UInt8.self)
        for index in 0..<count { samples[index] = UInt8(stretched(Int(samples[index]))) }
      } else {
        let samples = target.assumingMemoryBound(to: UInt16.self)
        for index in 0..<count {
          let value = file.loadUnaligned(fromByteOffset: place + 2 * index, as: UInt16.self)
          samples[index] = UInt16(stretched(Int(UInt16(bigEndian: value))))
        }
      }
    }
  }

  /// Numbers in letters, which are read once and whole.
  private static func text(
    _ size: Size, _ pixels: PixelFormat, most: Int, _ words: inout Words,
    _ stretched: (Int) -> Int
  ) throws(RowFile.Refusal) -> RowFile {
    let row = size.width * pixels.layout.channels
    var samples: [UInt16] = []
    samples.reserveCapacity(row * size.height)
    var last = 0
    for _ in 0..<row * size.height {
      // Bits need nothing between them.
      guard let number = most == 1 ? words.digit() : words.number(),
        number <= most
      else { throw .damaged("its samples end too soon, or make no sense") }
      samples.append(UInt16(stretched(number)))
      last = number
    }
    let all = samples
    // A digit that follows would make another sample of the last one.
    let mayLackDigit = most > 1 && words.place == words.file.count && last * 10 <= most
    var rows = RowFile(size, pixels) { y, _, target in
      for index in 0..<row {
        let sample = all[y * row + index]
        if pixels.depth == .uint8 {
          target.assumingMemoryBound(to: UInt8.self)[index] = UInt8(truncatingIfNeeded: sample)
        } else {
          target.assumingMemoryBound(to: UInt16.self)[index] = sample
        }
      }
    }
    if mayLackDigit { rows.note = "ends with its last sample, which may lack a digit" }
    return rows
  }
}

/// Words of a header, with comments between them that go from `#` to the line's end.
private struct Words {
  /// Comments that are kept, and bytes of each.
  private static let (mostComments, longest) = (16, 1 << 16)

  let file: UnsafeRawBufferPointer
  var place: Int
  private(set) var comments: [[UInt8]] = []

  init(file: UnsafeRawBufferPointer, place: Int) { (self.file, self.place) = (file, place) }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

  private mutating func skipSpace() {
    while place < file.count {
      if file[place] == UInt8(ascii: "#") {
        let end = file[place...].firstIndex { $0 == 10 || $0 == 13 } ?? file.count
        if comments.count < Self.mostComments, end - place <= Self.longest {
          comments.append(Array(file[place + 1..<end].drop { $0 == 32 }))
        }
        place = end
      } else if Self.isSpace(file[place]) {
        place += 1
      } else {
        return
      }
    }
  }

  /// One digit, 0 or 1, right here.
  mutating func digit() -> Int? {
    skipSpace()
    guard place < file.count, file[place] == 48 || file[place] == 49 else { return nil }
    defer { place += 1 }
    return Int(file[place]) - 48
  }

  /// A number up to a billion.
  mutating func number() -> Int? {
    skipSpace()
    var value = 0
    let start = place
    while place < file.count, (48...57).contains(file[place]), place - start < 10 {
      value = value * 10 + Int(file[place]) - 48
      place += 1
    }
    return place > start && value <= 1_000_000_000 ? value : nil
  }

  /// A number with a sign and a fraction.
  mutating func float() -> Double? {
    skipSpace()
    let word = file[place...].prefix(32).prefix { !Self.isSpace($0) }
    place += word.count
    return Double(String(decoding: word, as: UTF8.self))
  }

  /// One space ends the header; also a comment behind the last number, as some write it.
  mutating func endHeader() -> Bool {
    guard place < file.count, Self.isSpace(file[place]) else { return false }
    place += 1
    return true
  }
}

extension Int {
  /// A side that is multiplied without overflow; what is beyond is refused anyway.
  fileprivate var clamped: Int { Swift.min(self, 1 << 40) }
}
