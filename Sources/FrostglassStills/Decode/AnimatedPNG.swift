internal import CVips
internal import FrostglassCore

/// The frames of an animated PNG: where they are, and what they do to the canvas.
///
/// libvips 8.14 reads the image that every reader of PNG shows. Each frame's data become a small PNG
/// here, which libvips decodes, and frames are put together as their blend and disposal say.
struct AnimatedPNG: ComposedAnimation {
  /// A frame.
  struct Frame {
    let shown: AnimationFrame
    /// Milliseconds.
    let delay: Int
    /// The chunks of its data in the file, and the bytes to skip at the start of each chunk.
    fileprivate(set) var data: [(chunk: PNGChunk, skipped: Int)] = []
  }

  /// The reason for a file giving no frames.
  enum Refusal: Error {
    /// It ends too soon, or fails a checksum.
    case damaged(String)
    /// Its announcement makes no sense: it is what a reader shows that knows no animations.
    case nonsense
  }

  /// Bytes in which the announcement of an animation is looked for; what stands before it is a color
  /// profile at most.
  static let mostBefore = 1 << 18

  let size: Size
  private(set) var frames: [Frame] = []
  private let loop: Int
  /// The chunks that each frame's PNG has before its data, but for the first: of sizes and kinds.
  private let shared: [UInt8]
  private let header: Range<Int>

  var delays: [Int] { frames.map(\.delay) }

  /// True if the canvas can show through: at a place that is cleared, or that no frame has covered.
  private var needsAlpha: Bool {
    !frames[0].shown.covers(size)
      || frames.dropLast().enumerated().contains { $1.shown.clears(isFirst: $0 == 0) }
  }

  /// Finds how many frames are announced before an image's data; 0 for a still.
  ///
  /// - Parameter start: the first bytes of the file.
  static func announced(_ start: [UInt8]) -> Int {
    var frames = 0
    PNGChunk.each(start) { chunk in
      if chunk.kind == "acTL" {
        frames = ByteOrder.big.number(start, at: chunk.content.lowerBound, bytes: 4) ?? 0
      }
      return chunk.kind != "acTL" && chunk.kind != "IDAT" && chunk.kind != "IEND"
    }
    return frames
  }

  /// Finds all frames.
  ///
  /// - Parameter file: all of it.
  init(_ file: UnsafeRawBufferPointer) throws(Refusal) {
    var reader = Reader(file: file)
    let end = PNGChunk.each(file) { reader.take($0) }
    guard reader.isSound, let size = reader.size else { throw .nonsense }
    guard end, reader.frames.allSatisfy({ !$0.data.isEmpty }) else {
      throw .damaged("it ends before its last frame")
    }
    // More frames than are announced are there all the same.
    guard !reader.frames.isEmpty, reader.frames.count >= reader.announced else { throw .nonsense }
    self.size = size
    frames = reader.frames
    loop = reader.loop
    shared = reader.shared
    header = reader.header
  }

  /// Goes through the chunks of a file.
  private struct Reader {
    let file: UnsafeRawBufferPointer
    private(set) var isSound = true
    private(set) var size: Size?
    private(set) var frames: [Frame] = []
    private(set) var announced = -1
    private(set) var loop = 0
    private(set) var shared: [UInt8] = []
    private(set) var header = 0..<0
    private var hasData = false
    private var next = 0

    init(file: UnsafeRawBufferPointer) { self.file = file }

    private func number(_ place: Int, _ count: Int = 4) -> Int {
      ByteOrder.big.number(file, at: place, bytes: count) ?? 0
    }

    /// - Returns: true to go on.
    mutating func take(_ chunk: PNGChunk) -> Bool {
      let start = chunk.content.lowerBound
      switch chunk.kind {
      // A second one would be of no frame before it.
      case "IHDR" where size == nil && chunk.content.count == 13:
        size = Size(width: number(start), height: number(start + 4))
        header = chunk.content
      case "acTL" where chunk.content.count == 8:
        (announced, loop) = (number(start), number(start + 4))
      case "fcTL": isSound = isSound && begin(chunk)
      case "fdAT":
        isSound = isSound && chunk.content.count >= 4 && !frames.isEmpty && isNext(start)
        if isSound { frames[frames.count - 1].data.append((chunk, 4)) }
      case "IDAT":
        hasData = true
        // Without a frame's beginning before it, the still is no frame.
        if frames.count == 1 { frames[0].data.append((chunk, 0)) }
      // What says how samples are to be understood.
      case "PLTE", "tRNS", "sBIT":
        // Each once, as long as it may be: they are in front of each frame.
        if !hasData, chunk.content.count <= 768, shared.count < 1200 { shared += file[chunk.whole] }
      case "IEND": return false
      default: break
      }
      return isSound
    }

    private mutating func isNext(_ place: Int) -> Bool {
      defer { next += 1 }
      return number(place) == next
    }

    private mutating func begin(_ chunk: PNGChunk) -> Bool {
      let start = chunk.content.lowerBound
      guard chunk.content.count == 26, let size, isNext(start), frames.count < 1 << 20 else {
        return false
      }
      let place = Rect(
        x: number(start + 12), y: number(start + 16), width: number(start + 4),
        height: number(start + 8))
      let sides = 1...Int(Int32.max)
      guard sides.contains(place.width), sides.contains(place.height),
        place.x <= size.width - place.width, place.y <= size.height - place.height,
        // The still as a frame is the whole canvas.
        hasData || place.size == size && place.x == 0 && place.y == 0,
        let disposal = AnimationFrame.Disposal(rawValue: number(start + 24, 1)),
        number(start + 25, 1) <= 1
      else { return false }
      let (above, below) = (number(start + 20, 2), number(start + 22, 2))
      let unit = below == 0 ? 100 : below
      frames.append(
        Frame(
          shown: AnimationFrame(
            place: place, disposal: disposal, isOver: number(start + 25, 1) == 1),
          delay: (above * 1000 + unit / 2) / unit))
      return true
    }
  }

  /// A frame's own PNG.
  private func file(of frame: Frame, _ file: UnsafeRawBufferPointer) -> [UInt8] {
    var head = Array(file[header])
    head.replaceSubrange(
      0..<8,
      with: ByteOrder.big.bytes(frame.shown.place.width, 4)
        + ByteOrder.big.bytes(frame.shown.place.height, 4))
    var made = PNGChunk.signature + PNGChunk.bytes("IHDR", head) + shared
    for part in frame.data {
      made += PNGChunk.bytes("IDAT", Array(file[part.chunk.content].dropFirst(part.skipped)))
    }
    return made + PNGChunk.bytes("IEND", [])
  }

  func picture(
    _ base: VipsImageHandle, from bytes: ByteSource, first: Int, count: Int
  ) throws(VipsFailure) -> VipsImageHandle {
    let file = bytes.withContents { FileBytes(bytes: $0, source: bytes) }
    let canvas = AnimationCanvas(
      size, frames.map(\.shown), first: first,
      channels: base.bands + (needsAlpha && base.bands % 2 == 1 ? 1 : 0),
      bytesPerSample: base.bandFormat == VIPS_FORMAT_USHORT ? 2 : 1
    ) { [self] index throws(VipsFailure) in
      guard let file else { throw VipsFailure(log: "it cannot be read") }
      return try decoded(frames[index], file)
    }
    let picture = try canvas.picture(base, count: count)
    picture.setNumber("n-pages", frames.count)
    picture.setNumbers("delay", delays)
    picture.setNumber("loop", loop)
    return picture
  }

  /// A frame as an image of its own.
  private func decoded(
    _ frame: Frame, _ contents: FileBytes
  ) throws(VipsFailure) -> VipsImageHandle {
    for part in frame.data {
      // Its checksum was for the chunk as it stands in the file.
      guard part.chunk.isIntact(in: contents.bytes) else {
        throw VipsFailure(log: "its PNG data is cut off or fails its checksum")
      }
    }
    return try .frame(file(of: frame, contents.bytes))
  }
}

extension AnimatedPNG {
  /// The animation of a file; `nil` where it has none, or one that makes no sense.
  static func found(
    in bytes: ByteSource, name: String
  ) throws(DecodeError) -> AnimatedPNG? {
    guard announced(bytes.firstBytes(mostBefore) ?? []) > 0 else { return nil }
    let found = bytes.withContents { file -> Result<AnimatedPNG, Refusal>? in
      Result { () throws(Refusal) in try AnimatedPNG(file) }
    }
    switch found {
    case .success(let animation): return animation
    case .failure(.nonsense), nil: return nil
    case .failure(.damaged(let reason)): throw .damaged(name: name, reason: reason)
    }
  }
}

/// The rows of a PNG file, as far as they can be told before they are decoded.
struct PNGRows {
  /// Bytes of a row before it is compressed, with the one that names its filter.
  let bytes: Int
  let areInterlaced: Bool
  /// The positions in the file where their data begin, and where the last of them end.
  let dataStart: Int
  let dataEnd: Int
  private let data: [Range<Int>]
  private let width: Int
  private let height: Int
  private let bitsPerPixel: Int

  /// - Parameter file: all of it, or as much as there is.
  /// - Returns: `nil` for what has no such header, or no data.
  init?(_ file: UnsafeRawBufferPointer) {
    guard let width = ByteOrder.big.number(file, at: 16, bytes: 4),
      let height = ByteOrder.big.number(file, at: 20, bytes: 4), file.count > 28,
      let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][Int(file[25])]
    else { return nil }
    self.width = width
    self.height = height
    bitsPerPixel = Int(file[24]) * channels
    bytes = Self.bytes(width, bitsPerPixel)
    areInterlaced = file[28] != 0
    var data: [Range<Int>] = []
    var place = PNGChunk.signature.count
    while place + 8 <= file.count, let length = ByteOrder.big.number(file, at: place, bytes: 4) {
      let content = place + 8..<min(place + 8 + length, file.count)
      if file[place + 4..<place + 8].elementsEqual("IDAT".utf8) {
        data.append(content)
      } else if !data.isEmpty {
        break
      }
      place += 12 + length
    }
    guard let first = data.first, let last = data.last else { return nil }
    self.data = data
    dataStart = first.lowerBound
    dataEnd = last.upperBound
  }

  private static func bytes(_ width: Int, _ bits: Int) -> Int { (width * bits + 7) / 8 + 1 }

  /// Returns true if it is interlaced, and its data expand to more than its rows take. All rows are decoded at once
  /// then.
  func isTooMuchInterlaced(in file: UnsafeRawBufferPointer) -> Bool {
    guard areInterlaced else { return false }
    // The seven passes of Adam7: the first column and row of each, and the steps from there.
    let passes = [
      (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
      (0, 1, 1, 2),
    ]
    let most = passes.reduce(0.0) { sum, pass in
      let columns = max(width - pass.0 + pass.2 - 1, 0) / pass.2
      let rows = max(height - pass.1 + pass.3 - 1, 0) / pass.3
      return columns == 0 ? sum : sum + Double(rows) * Double(Self.bytes(columns, bitsPerPixel))
    }
    // What is claimed is more than the file could have: that is refused elsewhere.
    guard most < Double(file.count) * 1032 else { return false }
    // As libpng, which passes over what is too much.
    let limit = Int(most) + (1 << 16)
    let whole = data.reduce(into: [UInt8]()) { $0 += file[$1] }
    return whole.withUnsafeBytes { fgk_inflated_size($0.baseAddress, $0.count, limit) } > limit
  }
}
