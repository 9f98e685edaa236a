internal import CVips
internal import FrostglassCore

/// The frames of a GIF: where they are, and what they do to the canvas.
///
/// libnsgif, which libvips 8.14 reads GIF files with, clears a place to the background color, and libvips leaves
/// alpha out where no frame declares a transparent color. Browsers show such places transparent. Where that
/// makes a difference, each frame becomes a small GIF here, which libvips decodes, and frames are put together
/// as their disposal says.
struct AnimatedGIF: ComposedAnimation {
  /// A frame.
  private struct Frame {
    let shown: AnimationFrame
    /// The ranges of its image in the file, and of the control block for it.
    let image: Range<Int>
    let control: Range<Int>?
    let isTransparent: Bool
  }

  private let size: Size
  private let frames: [Frame]

  /// - Parameters:
  ///   - file: all of it.
  ///   - size: of its frames, as libvips sees them.
  private init?(_ file: UnsafeRawBufferPointer, _ size: Size) {
    guard let blocks = GIFBlocks(file) else { return nil }
    var frames: [Frame] = []
    var control: Range<Int>?
    for block in blocks {
      switch block.content {
      case .extension(GIF.control) where block.parts.count >= 6: control = block.whole
      case .extension: break
      case .image(let own):
        let corner = [1, 3].map {
          ByteOrder.little.number(file, at: block.whole.lowerBound + $0, bytes: 2) ?? 0
        }
        let place = Rect(x: corner[0], y: corner[1], width: own.width, height: own.height)
          .intersection(Rect(x: 0, y: 0, width: size.width, height: size.height))
        let flags = control.map { file[$0.lowerBound + 3] } ?? 0
        let disposal: AnimationFrame.Disposal =
          switch flags >> 2 & 7 {
          case 2: .background
          // Some programs write 4 for it.
          case 3, 4: .previous
          default: .none
          }
        frames.append(
          Frame(
            shown: AnimationFrame(place: place, disposal: disposal, isOver: true),
            image: block.whole, control: control, isTransparent: flags & 1 == 1))
        control = nil
      }
    }
    guard !frames.isEmpty else { return nil }
    (self.size, self.frames) = (size, frames)
  }

  /// True if parts are transparent that libvips makes opaque.
  private var needsAlpha: Bool {
    let hasAlpha = frames.contains(where: \.isTransparent)
    return !hasAlpha && !frames[0].shown.covers(size)
      || frames.dropLast().enumerated().contains { index, frame in
        frame.shown.clears(isFirst: index == 0)
          && (!frame.isTransparent || frame.shown.disposal == .previous)
      }
  }

  /// The frames of a file; `nil` where libvips shows them as they are.
  ///
  /// - Parameter picture: the image that libvips reads of the file.
  static func found(in bytes: ByteSource, _ picture: VipsImageHandle) -> AnimatedGIF? {
    bytes.withContents { file in
      guard let found = AnimatedGIF(file, picture.size), found.needsAlpha,
        found.frames.count == picture.number("n-pages") ?? 1
      else { return nil }
      return found
    }
  }

  func picture(
    _ base: VipsImageHandle, from bytes: ByteSource, first: Int, count: Int
  ) throws(VipsFailure) -> VipsImageHandle {
    let contents = bytes.withContents { FileBytes(bytes: $0, source: bytes) }
    let canvas = AnimationCanvas(
      size, frames.map(\.shown), first: first, channels: 4, bytesPerSample: 1
    ) { [self] index throws(VipsFailure) in
      guard let contents else { throw VipsFailure(log: "it cannot be read") }
      return try .frame(file(of: frames[index], contents.bytes))
    }
    return try canvas.picture(base, count: count)
  }

  /// A frame's own GIF, as large as its place.
  private func file(of frame: Frame, _ file: UnsafeRawBufferPointer) -> [UInt8] {
    let size = frame.shown.place.size
    let sides = ByteOrder.little.bytes(size.width, 2) + ByteOrder.little.bytes(size.height, 2)
    var made = Array(file[..<6]) + sides + file[10..<13 + GIF.colorBytes(file[10])]
    if let control = frame.control {
      var block = Array(file[control])
      // Nothing comes after it.
      block[3] &= 1
      made += block
    }
    var image = Array(file[frame.image])
    image.replaceSubrange(1..<5, with: [0, 0, 0, 0])
    return made + image + [0x3B]
  }
}

/// The blocks that a GIF consists of behind its header, in order: extensions and images, up to what is neither.
struct GIFBlocks<File: BlockOfBytes>: Sequence, IteratorProtocol {
  /// A block of the file.
  struct Block {
    let content: Content
    /// The range of the whole block.
    let whole: Range<Int>
    /// Its parts, each behind a byte that says how long it is; the last one is empty unless the file ends before.
    let parts: Range<Int>
  }

  enum Content: Hashable {
    /// By its label.
    case `extension`(UInt8)
    case image(Size)
  }

  private let file: File
  /// The position of the next block.
  private(set) var place: Int
  /// True if the file ends within the last block.
  private(set) var isCutOff = false

  /// - Parameter file: all of it; `nil` where there is not even a header.
  init?(_ file: File) {
    guard file.count > 13 else { return nil }
    self.file = file
    place = 13 + GIF.colorBytes(file[10])
  }

  mutating func next() -> Block? {
    let first = place
    guard place < file.count, let content = readHead() else { return nil }
    let start = Swift.min(place, file.count)
    while place < file.count {
      let length = Int(file[place])
      place += 1 + length
      if length == 0 {
        return Block(content: content, whole: first..<place, parts: start..<place)
      }
    }
    isCutOff = true
    return Block(content: content, whole: first..<file.count, parts: start..<file.count)
  }

  private mutating func readHead() -> Content? {
    let length = file[place] == 0x21 ? 2 : 10
    guard file[place] == 0x21 || file[place] == 0x2C else { return nil }
    guard place + length <= file.count else {
      isCutOff = true
      return nil
    }
    if length == 2 {
      defer { place += length }
      return .extension(file[place + 1])
    }
    let sides = [5, 7].map { ByteOrder.little.number(file, at: place + $0, bytes: 2) ?? 0 }
    // The size of the first code stands before the parts.
    place += length + GIF.colorBytes(file[place + 9]) + 1
    return .image(Size(width: sides[0], height: sides[1]))
  }
}

/// Constants and checks of GIF files, by their specification of 1989.
enum GIF {
  /// The label of comments.
  static let comment: UInt8 = 0xFE
  /// The label of what is said of the image that follows: how long it is shown, and what comes after it.
  static let control: UInt8 = 0xF9

  /// Returns true if a file ends at the end of a block, after at least one image. libnsgif accepts truncated files,
  /// and does not report missing frames.
  ///
  /// The byte that ends a GIF may be missing, as some programs omit it. Invalid blocks are left to the decoder, and
  /// data after the end are ignored.
  ///
  /// - Parameter file: all of it.
  static func isWhole(_ file: some BlockOfBytes) -> Bool {
    guard var blocks = GIFBlocks(file) else { return false }
    var hasImage = false
    while let block = blocks.next() {
      if case .image = block.content { hasImage = true }
    }
    guard !blocks.isCutOff, blocks.place <= file.count else { return false }
    return blocks.place < file.count || hasImage
  }

  /// Returns true if a byte follows the last block.
  static func hasEnd(_ file: some BlockOfBytes) -> Bool {
    guard var blocks = GIFBlocks(file) else { return false }
    while blocks.next() != nil {}
    return blocks.place < file.count
  }

  /// Returns the texts of the comments in a file.
  static func comments(_ file: some BlockOfBytes) -> [[UInt8]] {
    guard let blocks = GIFBlocks(file) else { return [] }
    return blocks.filter { $0.content == .extension(comment) }.map { block in
      var text: [UInt8] = []
      var place = block.parts.lowerBound
      while place < block.parts.upperBound {
        let next = place + 1 + Int(file[place])
        text += file[place + 1..<min(next, file.count)]
        place = next
      }
      return text
    }
  }

  /// The colors that frames of a file may have: with each frame those that no frame before it had, as
  /// 0xRRGGBB.
  static func colors(_ file: some BlockOfBytes) -> [[UInt32]] {
    guard let blocks = GIFBlocks(file) else { return [] }
    func table(_ start: Int, _ flags: UInt8) -> [UInt32] {
      stride(from: start, to: Swift.min(start + colorBytes(flags), file.count - 2), by: 3).map {
        UInt32(file[$0]) << 16 | UInt32(file[$0 + 1]) << 8 | UInt32(file[$0 + 2])
      }
    }
    var known = Set<UInt32>()
    var found: [[UInt32]] = []
    for block in blocks {
      guard case .image = block.content else { continue }
      let start = block.whole.lowerBound
      let own = table(start + 10, file[start + 9])
      found.append((own.isEmpty ? table(13, file[10]) : own).filter { known.insert($0).inserted })
    }
    return found
  }

  /// Bytes of the color table that such flags announce.
  static func colorBytes(_ flags: UInt8) -> Int {
    flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
  }
}

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
