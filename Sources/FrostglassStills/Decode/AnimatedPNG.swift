internal import CVips
internal import FrostglassCore
internal import Synchronization

/// The frames of an animated PNG: where they are, and what they do to the canvas.
///
/// libvips 8.14 reads the picture that every reader of PNG shows. Each frame's data become a small PNG
/// here, which libvips decodes, and frames are put together as their blend and disposal say.
struct AnimatedPNG {
  /// What is done with a frame's place before the next one.
  enum Disposal: Int { case none, background, previous }

  /// A frame.
  struct Frame {
    let place: Rect
    /// Milliseconds.
    let delay: Int
    let disposal: Disposal
    /// Whether it goes over what is there by its alpha, instead of replacing it.
    let isOver: Bool
    /// Where its data are in the file, and how many bytes of each chunk are before them.
    fileprivate(set) var data: [(chunk: PNGChunk, skipped: Int)] = []
  }

  /// Why a file gives no frames.
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

  /// Whether a canvas can show through: a place that is cleared, or that no frame has covered.
  private var needsAlpha: Bool {
    let isCovered = frames[0].place == Rect(x: 0, y: 0, width: size.width, height: size.height)
    return !isCovered
      || frames.dropLast().enumerated().contains {
        $1.disposal == .background || $0 == 0 && $1.disposal == .previous
      }
  }

  /// Finds how many frames are announced before a picture's data; 0 for a still.
  ///
  /// - Parameter start: what the file begins with.
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
    guard !reader.frames.isEmpty, reader.frames.count == reader.announced else { throw .nonsense }
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

    /// - Returns: whether to go on.
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
        let disposal = Disposal(rawValue: number(start + 24, 1)), number(start + 25, 1) <= 1
      else { return false }
      let (above, below) = (number(start + 20, 2), number(start + 22, 2))
      let unit = below == 0 ? 100 : below
      frames.append(
        Frame(
          place: place, delay: (above * 1000 + unit / 2) / unit,
          disposal: disposal, isOver: number(start + 25, 1) == 1))
      return true
    }
  }

  /// A frame's own PNG.
  fileprivate func file(of frame: Frame, _ file: UnsafeRawBufferPointer) -> [UInt8] {
    var head = Array(file[header])
    head.replaceSubrange(
      0..<8,
      with: ByteOrder.big.bytes(frame.place.width, 4) + ByteOrder.big.bytes(frame.place.height, 4))
    var made = PNGChunk.signature + PNGChunk.bytes("IHDR", head) + shared
    for part in frame.data {
      made += PNGChunk.bytes("IDAT", Array(file[part.chunk.content].dropFirst(part.skipped)))
    }
    return made + PNGChunk.bytes("IEND", [])
  }

  /// Frames as a picture, one below the other, composed when they are asked for.
  ///
  /// - Parameters:
  ///   - base: what libvips reads of the file, with what is said beside its pixels.
  ///   - bytes: the file.
  ///   - first: counted from 0.
  func picture(
    _ base: VipsPicture, from bytes: ByteSource, first: Int, count: Int
  ) throws(VipsFailure) -> VipsPicture {
    guard size.height <= Int(VIPS_MAX_COORD) / count else {
      throw VipsFailure(log: "its frames are higher together than \(VIPS_MAX_COORD) pixels")
    }
    let channels = base.bands + (needsAlpha && base.bands % 2 == 1 ? 1 : 0)
    let bytesPerSample = base.bandFormat == VIPS_FORMAT_USHORT ? 2 : 1
    let made: UnsafeMutablePointer<VipsImage>? = bytes.withContents { file in
      let canvas = AnimationCanvas(
        self, file, bytes, first: first, channels: channels, bytesPerSample: bytesPerSample)
      let maker = Unmanaged.passRetained(canvas).toOpaque()
      return base.withPointer {
        fg_new_frames(
          $0, Int32(size.height * count), Int32(channels), makeFrameRows, maker, releaseCanvas)
      }
    }
    guard let made else { throw .take() }
    let picture = VipsPicture(owning: made)
    picture.limitToOneThread()
    picture.setNumber("n-pages", frames.count)
    picture.setNumber("page-height", size.height)
    picture.setNumbers("delay", delays)
    picture.setNumber("loop", loop)
    return picture
  }
}

/// The picture that an animation's frames are put together on. It keeps the file.
private final class AnimationCanvas: Sendable {
  private struct State {
    /// Frames that are on the canvas.
    var shown = 0
    var canvas: [UInt8] = []
    /// What was at the last frame's place before, where that is to come back.
    var saved: [UInt8] = []
  }

  private let animation: AnimatedPNG
  private let contents: FileBytes
  /// The first frame that is shown.
  private let first: Int
  private let channels: Int
  private let bytesPerSample: Int
  private let state = Mutex(State())

  /// A file that stays where it is as long as its source does.
  private struct FileBytes: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    let source: ByteSource
  }

  init(
    _ animation: AnimatedPNG, _ file: UnsafeRawBufferPointer, _ source: ByteSource, first: Int,
    channels: Int, bytesPerSample: Int
  ) {
    self.animation = animation
    contents = FileBytes(bytes: file, source: source)
    self.first = first
    (self.channels, self.bytesPerSample) = (channels, bytesPerSample)
  }

  private var pixel: Int { channels * bytesPerSample }

  /// Fills rows, which may be those of several frames.
  func fill(_ region: UnsafeMutablePointer<VipsRegion>) -> VipsFailure? {
    let area = region.pointee.valid
    let size = animation.size
    return state.withLock { state in
      for y in Int(area.top)..<Int(area.top) + Int(area.height) {
        do throws(VipsFailure) { try show(first + y / size.height, &state) } catch { return error }
        let start = (y % size.height * size.width + Int(area.left)) * pixel
        state.canvas.withUnsafeBytes { canvas in
          let row = UnsafeRawBufferPointer(
            rebasing: canvas[start..<start + Int(area.width) * pixel])
          UnsafeMutableRawBufferPointer(
            start: fg_region_place(region, area.left, Int32(y)), count: row.count
          ).copyMemory(from: row)
        }
      }
      return nil
    }
  }

  /// Brings the canvas to a frame.
  private func show(_ frame: Int, _ state: inout State) throws(VipsFailure) {
    if state.canvas.isEmpty || state.shown > frame + 1 {
      state.canvas = [UInt8](repeating: 0, count: animation.size.area * pixel)
      state.shown = 0
    }
    while state.shown <= frame {
      if state.shown > 0 { dispose(animation.frames[state.shown - 1], state.shown == 1, &state) }
      try draw(animation.frames[state.shown], &state)
      state.shown += 1
    }
  }

  private func range(_ place: Rect, row: Int) -> Range<Int> {
    let start = ((place.y + row) * animation.size.width + place.x) * pixel
    return start..<start + place.width * pixel
  }

  private func dispose(_ frame: AnimatedPNG.Frame, _ isFirst: Bool, _ state: inout State) {
    let width = frame.place.width * pixel
    for row in 0..<frame.place.height {
      let range = range(frame.place, row: row)
      switch frame.disposal {
      case .none: return
      // There is nothing to come back to after the first one.
      case .background,
        .previous where isFirst:
        state.canvas.withUnsafeMutableBytes { canvas in
          for index in range { canvas[index] = 0 }
        }
      case .previous:
        state.canvas.replaceSubrange(range, with: state.saved[row * width..<(row + 1) * width])
      }
    }
  }

  private func draw(_ frame: AnimatedPNG.Frame, _ state: inout State) throws(VipsFailure) {
    let place = frame.place
    state.saved.removeAll(keepingCapacity: true)
    if frame.disposal == .previous {
      for row in 0..<place.height { state.saved += state.canvas[range(place, row: row)] }
    }
    let (samples, bands) = try decoded(frame)
    let hasAlpha = bands % 2 == 0
    let stored = bands * bytesPerSample
    for row in 0..<place.height {
      let target = range(place, row: row)
      let source = row * place.width * stored
      if bands == channels, !frame.isOver || !hasAlpha {
        state.canvas.replaceSubrange(target, with: samples[source..<source + place.width * stored])
        continue
      }
      for x in 0..<place.width {
        blend(
          samples, source + x * stored, hasAlpha, frame.isOver, &state.canvas,
          target.lowerBound + x * pixel)
      }
    }
  }

  /// Puts one pixel over another, or in its place; alpha is straight.
  private func blend(
    _ samples: [UInt8], _ source: Int, _ hasAlpha: Bool, _ isOver: Bool, _ canvas: inout [UInt8],
    _ target: Int
  ) {
    let full = bytesPerSample == 2 ? 65535.0 : 255.0
    func sample(_ bytes: [UInt8], _ place: Int, _ channel: Int) -> Double {
      let index = place + channel * bytesPerSample
      return bytesPerSample == 2
        ? Double(UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8) : Double(bytes[index])
    }
    func set(_ channel: Int, _ value: Double) {
      let index = target + channel * bytesPerSample
      let level = UInt16(min(max(value + 0.5, 0), full))
      canvas[index] = UInt8(truncatingIfNeeded: level)
      if bytesPerSample == 2 { canvas[index + 1] = UInt8(level >> 8) }
    }
    let colors = channels % 2 == 0 ? channels - 1 : channels
    let above = hasAlpha ? sample(samples, source, colors) / full : 1
    let below = channels % 2 == 0 ? sample(canvas, target, colors) / full : 1
    if !isOver || above == 1 || below == 0 {
      for channel in 0..<colors { set(channel, sample(samples, source, channel)) }
      if channels > colors { set(colors, above * full) }
      return
    }
    guard above > 0 else { return }
    let alpha = above + below * (1 - above)
    for channel in 0..<colors {
      let mixed =
        sample(samples, source, channel) * above
        + sample(canvas, target, channel) * below * (1 - above)
      set(channel, mixed / alpha)
    }
    if channels > colors { set(colors, alpha * full) }
  }

  /// A frame's samples, and how many there are of a pixel.
  private func decoded(_ frame: AnimatedPNG.Frame) throws(VipsFailure) -> ([UInt8], Int) {
    for part in frame.data {
      // Its checksum was for the chunk as it stands in the file.
      guard part.chunk.isIntact(in: contents.bytes) else {
        throw VipsFailure(log: "its PNG data is cut off or fails its checksum")
      }
    }
    let file = animation.file(of: frame, contents.bytes)
    let source: ByteSource
    do throws(DecodeError) { source = try ByteSource(.bytes(file)) } catch {
      throw VipsFailure(log: error.description)
    }
    let picture = try source.load(VIPS_FAIL_ON_ERROR)
    let bands = picture.bands
    guard picture.size == frame.place.size, bands == channels || bands == channels - 1,
      (picture.bandFormat == VIPS_FORMAT_USHORT) == (bytesPerSample == 2)
    else { throw VipsFailure(log: "a frame has other samples than the picture") }
    return (try picture.pixels(), bands)
  }
}

private func makeFrameRows(
  _ region: UnsafeMutablePointer<VipsRegion>?, _: UnsafeMutableRawPointer?,
  _ maker: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?,
  _: UnsafeMutablePointer<gboolean>?
) -> Int32 {
  guard let region, let maker else { return -1 }
  let failure = Unmanaged<AnimationCanvas>.fromOpaque(maker).takeUnretainedValue().fill(region)
  guard let failure else { return 0 }
  fg_fail(failure.reason)
  return -1
}

private func releaseCanvas(
  _: UnsafeMutablePointer<VipsImage>?, _ maker: UnsafeMutableRawPointer?
) {
  if let maker { Unmanaged<AnimationCanvas>.fromOpaque(maker).release() }
}

extension AnimatedPNG {
  /// The animation of a file; `nil` where it has none, or one that makes no sense.
  static func found(
    in bytes: ByteSource, name: String
  ) throws(DecodeError) -> AnimatedPNG? {
    guard announced(bytes.firstBytes(mostBefore) ?? []) > 0 else { return nil }
    let found = bytes.withContents { file -> Result<AnimatedPNG, Refusal>? in
      do throws(Refusal) { return .success(try AnimatedPNG(file)) } catch {
        return .failure(error)
      }
    }
    switch found {
    case .success(let animation): return animation
    case .failure(.nonsense), nil: return nil
    case .failure(.damaged(let reason)): throw .damaged(name: name, reason: reason)
    }
  }

  /// Some of its frames below each other.
  ///
  /// - Parameters:
  ///   - still: the picture that it is to other readers.
  ///   - count: `nil` for all that follow.
  func frames(
    of still: VipsPicture, from bytes: ByteSource, first: Int, count: Int?, name: String
  ) throws(DecodeError) -> VipsPicture {
    do throws(VipsFailure) {
      return try picture(still, from: bytes, first: first, count: count ?? frames.count - first)
    } catch { throw .damaged(name: name, reason: error.reason) }
  }
}
