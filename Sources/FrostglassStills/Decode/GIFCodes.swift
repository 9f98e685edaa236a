internal import FrostglassCore

/// The codes of a GIF's images, read as far as it takes to see where they end.
///
/// Some programs leave the end code out. libnsgif, which libvips 8.14 reads GIF files with, does not read a last code
/// that ends with its byte: it wants another byte first.
enum GIFCodes {
  /// The findings about the codes of a file's images.
  struct Findings {
    /// The file with an end code behind the codes of images that need one; `nil` where none does.
    var ended: [UInt8]?
    /// The oddity of the codes, as a predicate of the file.
    var doubt: String?
  }

  /// - Throws: `Shortage` for an image whose codes stop before its last pixel.
  static func findings(_ file: UnsafeRawBufferPointer) throws(Shortage) -> Findings {
    guard let blocks = GIFBlocks(file) else { return Findings() }
    var findings = Findings()
    var made: [UInt8] = []
    var copied = 0
    var frames = 0
    for block in blocks {
      guard case .image(let size) = block.content else { continue }
      frames += 1
      guard let found = pixels(block.parts, file, size) else { continue }
      guard found.count >= size.area else {
        throw Shortage(frame: frames, pixels: found.count, size: size)
      }
      if found.count > size.area, findings.doubt == nil {
        findings.doubt = "has more pixels in frame \(frames) than fit and may be damaged"
      }
      guard let end = found.missingEnd else { continue }
      // The empty part behind all others.
      let place = block.parts.upperBound - 1
      made += file[copied..<place] + [UInt8(end.count)] + end
      copied = place
    }
    if copied > 0 { findings.ended = made + file[copied...] }
    return findings
  }

  /// An image that has fewer pixels than it says.
  struct Shortage: Error {
    let frame: Int
    let pixels: Int
    let size: Size
  }

  /// Reads an image's codes.
  ///
  /// - Returns: the number of pixels they stand for, and an end code where the last code ends with its byte and is
  ///   none; `nil` for invalid codes.
  private static func pixels(
    _ parts: Range<Int>, _ file: UnsafeRawBufferPointer, _ size: Size
  ) -> (count: Int, missingEnd: [UInt8]?)? {
    guard parts.lowerBound > 0, parts.upperBound <= file.count, file[parts.upperBound - 1] == 0
    else { return nil }
    let least = Int(file[parts.lowerBound - 1])
    guard (1...11).contains(least), size.area > 0 else { return nil }
    let clear = 1 << least
    // Pixels that each code stands for.
    var lengths = [Int32](repeating: 1, count: 4096)
    var (next, width, previous) = (clear + 2, least + 1, -1)
    var (bits, held, pixels) = (0, 0, 0)
    var place = parts.lowerBound
    while place < parts.upperBound, file[place] > 0 {
      let stop = min(place + 1 + Int(file[place]), parts.upperBound)
      for index in place + 1..<stop {
        bits |= Int(file[index]) << held
        held += 8
        while held >= width {
          let code = bits & (1 << width - 1)
          bits >>= width
          held -= width
          if code == clear + 1 { return (pixels, nil) }
          if code == clear {
            (next, width, previous) = (clear + 2, least + 1, -1)
            continue
          }
          // What no encoder writes is the decoder's to judge.
          guard code < next || code == next && previous >= 0 else { return nil }
          if previous >= 0, next < 4096 {
            lengths[next] = lengths[previous] + 1
            next += 1
            if next == 1 << width, width < 12 { width += 1 }
          }
          pixels += code < clear ? 1 : Int(lengths[code])
          previous = code
        }
      }
      place = stop
    }
    return (pixels, held == 0 ? ByteOrder.little.bytes(clear + 1, (width + 7) / 8) : nil)
  }
}
