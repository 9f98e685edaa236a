internal import CVips
internal import FrostglassCore

/// The layout of rows in a BMP, PPM or PFM. These are written here and not by libvips.
struct RowFileLayout {
  private let format: StillFormat
  private let size: Size
  private let pixels: PixelFormat
  private let header: [UInt8]
  /// Bytes of a row in the file.
  private let stride: Int
  /// The bytes after the rows.
  private var tail: [UInt8] = []

  /// - Parameters:
  ///   - pixels: as the format takes them.
  ///   - metadata: as fitted to the format.
  /// - Returns: `nil` for formats that libvips writes.
  init?(
    _ format: StillFormat, _ size: Size, _ pixels: PixelFormat, _ metadata: StillMetadata?
  ) {
    (self.format, self.size, self.pixels) = (format, size, pixels)
    let packed = size.width * pixels.bytesPerPixel
    let isGray = pixels.layout == .gray
    let sides = "\(size.width) \(size.height)"
    switch format {
    case .ppm:
      let most = pixels.depth == .uint8 ? 255 : 65535
      header = Array("\(isGray ? "P5" : "P6")\n\(sides)\n\(most)\n".utf8)
      stride = packed
    case .pfm:
      // Below 0 for little-endian.
      header = Array("\(isGray ? "Pf" : "PF")\n\(sides)\n-1.0\n".utf8)
      stride = packed
    case .bmp:
      stride = (packed + 3) / 4 * 4
      tail = metadata?.profile(for: pixels.layout) ?? []
      header = Self.bitmapHeader(
        size, pixels.layout, stride: stride, metadata?.resolution ?? .usual, profile: tail.count)
    default: return nil
    }
  }

  /// The first 14 bytes, and a header of 40, or of 124 where there are alpha or a profile to tell of.
  private static func bitmapHeader(
    _ size: Size, _ layout: PixelFormat.Layout, stride: Int,
    _ resolution: StillMetadata.Resolution, profile: Int
  ) -> [UInt8] {
    func little(_ numbers: Int...) -> [UInt8] {
      numbers.flatMap { ByteOrder.little.bytes($0, 4) }
    }
    let isLong = layout.hasAlpha || profile > 0
    let length = isLong ? 124 : 40
    let grays: [[UInt8]] = layout == .gray ? (0...255).map { [$0, $0, $0, 0] } : []
    let palette = Array(grays.joined())
    let start = 14 + length + palette.count
    let perMeter = [resolution.horizontal, resolution.vertical].map {
      Int(min(max($0 * 1000, 0), 10_000_000).rounded())
    }
    var header = Array("BM".utf8) + little(start + stride * size.height + profile, 0, start)
    header += little(length, size.width, size.height)
    header += ByteOrder.little.bytes(1, 2) + ByteOrder.little.bytes(8 * layout.channels, 2)
    header += little(layout.hasAlpha ? 3 : 0, stride * size.height, perMeter[0], perMeter[1])
    header += little(layout == .gray ? 256 : 0, 0)
    guard isLong else { return header + palette }
    // Masks of red, green, blue and alpha, in the order of what Windows has in memory.
    header +=
      layout.hasAlpha ? little(0xFF0000, 0xFF00, 0xFF, 0xFF00_0000) : little(0, 0, 0, 0)
    // `MBED`, a profile in the file, or `sRGB`; letters are read from the highest byte on.
    header += little(profile > 0 ? 0x4D42_4544 : 0x7352_4742)
    header += [UInt8](repeating: 0, count: 36 + 12)
    // For photographs; where the profile is, counted from behind the first 14 bytes.
    header += little(4, profile > 0 ? start - 14 + stride * size.height : 0, profile, 0)
    return header + palette
  }

  /// Writes the whole file, into memory or an open file. Rows are computed in their order.
  func write(_ picture: VipsImageHandle, to spool: SpoolFile?) throws(VipsFailure) -> EncodedBytes {
    let rows = VipsRows(of: picture)
    let row = UnsafeMutableRawBufferPointer.allocate(
      byteCount: size.width * pixels.bytesPerPixel, alignment: 16)
    defer { row.deallocate() }
    guard let start = row.baseAddress else { throw VipsFailure(log: "out of memory") }
    let end = header.count + stride * size.height
    var stored = [UInt8](repeating: 0, count: stride)
    guard let spool else {
      var file = header
      file.reserveCapacity(end + tail.count)
      file += [UInt8](repeating: 0, count: end - header.count)
      for y in 0..<size.height {
        try rows.read(y..<y + 1, into: start)
        store(UnsafeRawBufferPointer(row), in: &stored)
        file.replaceSubrange(place(of: y)..<place(of: y) + stride, with: stored)
      }
      return EncodedBytes(file + tail)
    }
    try spool.write(header, at: 0)
    for y in 0..<size.height {
      try rows.read(y..<y + 1, into: start)
      store(UnsafeRawBufferPointer(row), in: &stored)
      try spool.write(stored, at: place(of: y))
    }
    try spool.write(tail, at: end)
    return EncodedBytes(in: spool)
  }

  /// Returns the position of a row, counted from the top. The lowest row comes first, except in a PPM.
  private func place(of y: Int) -> Int {
    header.count + (format == .ppm ? y : size.height - 1 - y) * stride
  }

  /// A row as it stands in the file.
  private func store(_ row: UnsafeRawBufferPointer, in stored: inout [UInt8]) {
    switch (format, pixels.depth) {
    case (.bmp, _) where pixels.layout != .gray:
      let channels = pixels.layout.channels
      for place in Swift.stride(from: 0, to: row.count, by: channels) {
        stored[place] = row[place + 2]
        stored[place + 1] = row[place + 1]
        stored[place + 2] = row[place]
        if channels == 4 { stored[place + 3] = row[place + 3] }
      }
    case (.pfm, _):
      for place in Swift.stride(from: 0, to: row.count, by: 4) {
        let sample = TransferCurve.decode(row.load(fromByteOffset: place, as: Float.self))
        let bits = sample.bitPattern.littleEndian
        for byte in 0..<4 { stored[place + byte] = UInt8(truncatingIfNeeded: bits >> (8 * byte)) }
      }
    case (_, .uint16):
      for place in Swift.stride(from: 0, to: row.count, by: 2) {
        let sample = row.load(fromByteOffset: place, as: UInt16.self)
        stored[place] = UInt8(sample >> 8)
        stored[place + 1] = UInt8(truncatingIfNeeded: sample)
      }
    default: stored.withUnsafeMutableBytes { $0.copyMemory(from: row) }
    }
  }
}

/// Compression for what is sent often and never changes.
package enum Gzip {
  /// Compresses bytes as gzip (RFC 1952); `nil` where that makes them no smaller.
  package static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    var count = -1
    let made = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, initialized in
      count = bytes.withUnsafeBytes {
        Int(fgk_gzip($0.baseAddress, $0.count, buffer.baseAddress, buffer.count))
      }
      initialized = max(count, 0)
    }
    return count < 0 ? nil : made
  }
}
