internal import CVips
internal import FrostglassCore

/// Writes an animated PNG: each frame is encoded by libvips, and its data are put into the chunks of an
/// animation here. What a frame has in common with the one before is left out around it.
struct AnimatedPNGWriter {
  /// The pixels' format, and that of libvips' images of them.
  let pixels: PixelFormat
  let metadata: StillMetadata?
  /// Encodes an image as a PNG; the first has the metadata.
  let encode: (VipsImageHandle, _ isFirst: Bool) throws(VipsFailure) -> [UInt8]

  /// Writes the whole file, into memory or an open file.
  ///
  /// - Parameter picture: the frames, one below the other.
  func write(_ picture: VipsImageHandle, to spool: SpoolFile?) throws(VipsFailure) -> EncodedBytes {
    let animation = metadata?.animation ?? StillMetadata.Animation(delays: [100])
    let size = Size(
      width: picture.size.width, height: picture.size.height / animation.frames)
    let rows = VipsRows(of: picture)
    var output = EncodedOutput(spool: spool)
    var (before, frame) = (
      [UInt8](), [UInt8](repeating: 0, count: size.area * pixels.bytesPerPixel)
    )
    var number = 0
    for (index, delay) in animation.delays.enumerated() {
      try frame.withUnsafeMutableBufferPointer { bytes throws(VipsFailure) in
        guard let start = bytes.baseAddress else { return }
        let first = index * size.height
        try rows.read(first..<first + size.height, into: start)
      }
      let place =
        index == 0
        ? Rect(x: 0, y: 0, width: size.width, height: size.height)
        : changed(before, frame, size)
      let file = try encode(self.picture(of: place, in: frame, size), index == 0)
      let control = PNGChunk.bytes("fcTL", Self.control(number, place, delay))
      number += 1
      var isBehind = false
      PNGChunk.each(file) { chunk in
        switch chunk.kind {
        case "IHDR" where index == 0:
          output.bytes += file[..<chunk.whole.upperBound]
          output.bytes += PNGChunk.bytes(
            "acTL",
            ByteOrder.big.bytes(animation.frames, 4) + ByteOrder.big.bytes(animation.loop, 4))
        case "IDAT" where index == 0:
          if !isBehind { output.bytes += control }
          isBehind = true
          output.bytes += file[chunk.whole]
        case "IDAT":
          if !isBehind { output.bytes += control }
          isBehind = true
          output.bytes += PNGChunk.bytes(
            "fdAT", ByteOrder.big.bytes(number, 4) + file[chunk.content])
          number += 1
        // libpng 1.6.39 writes it behind the image again.
        case "eXIf" where isBehind: break
        // What libvips puts behind the image is said once, too.
        case _ where index == 0 && chunk.kind != "IEND": output.bytes += file[chunk.whole]
        default: break
        }
        return true
      }
      try output.flush()
      swap(&before, &frame)
      if index == 0 { frame = before }
    }
    output.bytes += PNGChunk.bytes("IEND", [])
    return try output.finish()
  }

  /// Returns a frame's position and timing. The frame replaces the canvas there, and stays.
  private static func control(_ number: Int, _ place: Rect, _ delay: Int) -> [UInt8] {
    let numbers = [number, place.width, place.height, place.x, place.y]
    let big = numbers.flatMap { ByteOrder.big.bytes($0, 4) }
    // Milliseconds as long as 16 bits hold them, else hundredths.
    let (time, unit) = delay <= 65535 ? (delay, 1000) : (min(delay / 10, 65535), 100)
    return big + ByteOrder.big.bytes(time, 2) + ByteOrder.big.bytes(unit, 2) + [0, 0]
  }

  /// The least rectangle around all pixels that are not as before; one pixel where all are.
  private func changed(_ before: [UInt8], _ frame: [UInt8], _ size: Size) -> Rect {
    let pixel = pixels.bytesPerPixel
    let width = size.width * pixel
    var (top, bottom, left, right) = (size.height, -1, width, -1)
    before.withUnsafeBytes { before in
      frame.withUnsafeBytes { frame in
        for y in 0..<size.height {
          let row = y * width..<(y + 1) * width
          guard let first = row.first(where: { before[$0] != frame[$0] }),
            let last = row.last(where: { before[$0] != frame[$0] })
          else { continue }
          (top, bottom) = (min(top, y), y)
          (left, right) = (min(left, first - y * width), max(right, last - y * width))
        }
      }
    }
    guard bottom >= 0 else { return Rect(x: 0, y: 0, width: 1, height: 1) }
    (left, right) = (left / pixel, right / pixel)
    return Rect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
  }

  /// A part of a frame as an image of its own.
  private func picture(
    of place: Rect, in frame: [UInt8], _ size: Size
  ) throws(VipsFailure) -> VipsImageHandle {
    var part = Image(zeros: place.size, format: pixels)
    let count = place.width * pixels.bytesPerPixel
    for row in 0..<place.height {
      let start = ((place.y + row) * size.width + place.x) * pixels.bytesPerPixel
      part.bytes.replaceSubrange(
        row * part.bytesPerRow..<row * part.bytesPerRow + count, with: frame[start..<start + count])
    }
    return try VipsImageHandle(copying: part)
  }
}

/// Bytes of an encoded file on their way to memory or a file.
struct EncodedOutput {
  let spool: SpoolFile?
  var bytes: [UInt8] = []
  private var written = 0

  init(spool: SpoolFile?) { self.spool = spool }

  mutating func flush() throws(VipsFailure) {
    guard let spool else { return }
    try spool.write(bytes, at: written)
    written += bytes.count
    bytes.removeAll(keepingCapacity: true)
  }

  mutating func finish() throws(VipsFailure) -> EncodedBytes {
    try flush()
    return spool.map { EncodedBytes(in: $0) } ?? EncodedBytes(bytes)
  }
}
