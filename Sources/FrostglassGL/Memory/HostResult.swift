internal import CGLES
internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// A result that is read back into memory.
final class HostResult: ResultSink {
  private let description: Plan.Result
  private let runner: PlanRunner
  private var result: ResultImage
  private var waiting: [ReadBack] = []
  private var fence: GLFence?

  init(_ result: Plan.Result, into memory: ResultMemory = ResultMemory(), runner: PlanRunner) {
    description = result
    self.result = ResultImage(rect: result.rect, format: result.format, in: memory)
    self.runner = runner
  }

  func write(
    _ part: Rect, _ draw: (GLTexture) throws(GLFailure) -> Void
  ) throws(GLFailure) {
    let format = runner.format(ofResult: description.format.depth, part.size)
    let texture = try runner.pool.lend(part.size, format)
    defer { runner.pool.takeBack(texture) }
    try draw(texture)
    try read(part, from: texture)
  }

  /// Reads a part from a texture of its size.
  func read(_ part: Rect, from texture: GLTexture) throws(GLFailure) {
    try select(texture)
    if runner.transfer.needsPacking(description.format) {
      if try packed(part, from: texture) { return }
      try select(texture)
    }
    if let readBack = try runner.transfer.startReadBack(part, description.format, from: texture) {
      waiting.append(readBack)
    } else {
      try runner.transfer.readBack(part, from: texture, into: &result)
    }
  }

  /// Makes a texture what reading comes from.
  private func select(_ texture: GLTexture) throws(GLFailure) {
    if texture.format.isBuffer {
      texture.bind()
    } else {
      try runner.passes.attach(texture, "read-back")
    }
  }

  /// Has the device pack a part and reads that; whether it could.
  private func packed(_ part: Rect, from texture: GLTexture) throws(GLFailure) -> Bool {
    let picture = PackedImage(
      part.size, description.format, longestSide: runner.limits.longestSide)
    guard max(picture.texels.width, picture.texels.height) <= runner.limits.longestSide,
      let target = try? runner.pool.lend(
        picture.texels, runner.format(ofResult: .uint8, picture.texels))
    else { return false }
    defer { runner.pool.takeBack(target) }
    try runner.passes.pack(picture, from: texture, into: target)
    try select(target)
    guard
      let readBack = try runner.transfer.startReadBack(part, packed: picture, from: target)
    else { return false }
    waiting.append(readBack)
    return true
  }

  /// Takes parts that are not computed from an image whose bytes they have.
  func keep(_ parts: [Rect], of image: Image) {
    for part in parts { result.copy(part, of: image) }
  }

  /// Sends the device off with all that was asked for.
  func submit() {
    guard !waiting.isEmpty else { return }
    fence = GLFence(in: runner.context)
    glFlush()
  }

  /// Waits for what is still on its way.
  ///
  /// - Returns: the result, for any thread to copy, until `abandon`.
  func arrive() throws(GLFailure) -> ArrivedResult {
    // Memory that stays mapped has the pixels once the device is done, and not when it is looked at.
    if fence == nil { submit() }
    try fence?.wait()
    var rows: [ArrivedRows] = []
    for readBack in waiting {
      if let arrived = try runner.transfer.arrived(readBack) {
        rows.append(arrived)
      } else {
        try runner.transfer.finish(readBack, into: &result)
      }
    }
    // Nobody else has its bytes, so that nothing is copied where they are written.
    var whole = ResultImage(
      rect: Rect(x: 0, y: 0, width: 0, height: 0), format: result.format, in: ResultMemory())
    swap(&whole, &result)
    return ArrivedResult(description, whole, rows, by: runner.transfer.copies)
  }

  /// Waits for what is still on its way, and returns the whole result.
  func finish() throws(GLFailure) -> Image {
    defer { abandon() }
    return try arrive().image()
  }

  /// Lets go of what is still on its way.
  func abandon() {
    for readBack in waiting { runner.transfer.buffers?.takeBack(readBack.buffer) }
    waiting = []
  }
}

/// The result of a plan while its tiles arrive: rows without gaps, in the result's format.
struct ResultImage {
  private let rect: Rect
  let format: PixelFormat
  private var bytes: [UInt8]

  var size: Size { rect.size }
  private var rowBytes: Int { rect.width * format.bytesPerPixel }

  /// - Parameter memory: used again where it is of the result's length.
  init(rect: Rect, format: PixelFormat, in memory: ResultMemory) {
    self.rect = rect
    self.format = format
    let count = rect.area * format.bytesPerPixel
    bytes = memory.take()
    guard bytes.count != count else { return }
    // Every byte is written by exactly one tile.
    bytes = [UInt8](unsafeUninitializedCapacity: count) { _, filled in filled = count }
  }

  /// Gives access to the bytes from the first pixel of a part on.
  mutating func withBytes(at part: Rect, _ body: (UnsafeMutableRawPointer?) -> Void) {
    let offset = self.offset(of: part)
    bytes.withUnsafeMutableBytes { body($0.baseAddress.map { $0 + offset }) }
  }

  /// Copies a part's pixels as they have arrived.
  mutating func take(
    _ part: Rect, _ form: ReadBack.Form, from pixels: UnsafeRawBufferPointer,
    by copies: RowCopies
  ) {
    switch form {
    case .rows: copy(part, from: pixels, by: copies)
    case .samples(let bytes): fill(part, with: pixels, sampleBytes: bytes, by: copies)
    }
  }

  /// Copies a part's pixels, leaving out channels and high bytes that the format does not have.
  ///
  /// - Parameters:
  ///   - pixels: four samples per pixel, without gaps.
  ///   - sampleBytes: bytes of one of them, low byte first; at least as many as the format's.
  mutating func fill(
    _ part: Rect, with pixels: UnsafeRawBufferPointer, sampleBytes: Int, by copies: RowCopies
  ) {
    if format.layout == .rgba, sampleBytes == format.depth.bytes {
      copy(part, from: pixels, by: copies)
    } else {
      narrow(part, pixels, sampleBytes)
    }
  }

  /// Copies a part's rows, which lie one after another.
  mutating func copy(
    _ part: Rect, from pixels: UnsafeRawBufferPointer, by copies: RowCopies
  ) {
    let length = part.width * format.bytesPerPixel
    let rowBytes = rowBytes
    withBytes(at: part) { target in
      guard let target, let source = pixels.baseAddress else { return }
      copies.copy(
        to: target, every: rowBytes, from: source, every: length, length: length,
        rows: part.height)
    }
  }

  /// Copies a part's rows from where they are in an image of the same format.
  mutating func copy(_ part: Rect, of image: Image) {
    let (pixel, rowBytes) = (format.bytesPerPixel, rowBytes)
    image.withUnsafeBytes { source in
      withBytes(at: part) { target in
        guard let target, let source = source.baseAddress else { return }
        for y in 0..<part.height {
          memcpy(
            target + y * rowBytes, source + (part.y + y) * image.bytesPerRow + part.x * pixel,
            part.width * pixel)
        }
      }
    }
  }

  private mutating func narrow(
    _ part: Rect, _ source: UnsafeRawBufferPointer, _ sampleBytes: Int
  ) {
    // The bytes of a pixel that are kept.
    let kept = (0..<format.layout.channels).flatMap { channel in
      (0..<format.depth.bytes).map { channel * sampleBytes + $0 }
    }
    let pixelBytes = 4 * sampleBytes
    let start = offset(of: part)
    let rowBytes = rowBytes
    bytes.withUnsafeMutableBytes { target in
      for y in 0..<part.height {
        let from = y * part.width * pixelBytes
        let to = start + y * rowBytes
        if kept == [0, 1, 2] {
          ResultImage.dropFourth(source, from, part.width, target, to)
          continue
        }
        // Byte by byte of the pixel, so that the inner loop is the long one.
        for (position, byte) in kept.enumerated() {
          for x in 0..<part.width {
            target[to &+ x &* kept.count &+ position] = source[from &+ x &* pixelBytes &+ byte]
          }
        }
      }
    }
  }

  /// Copies pixels of four bytes without their last; four pixels become three words.
  private static func dropFourth(
    _ source: UnsafeRawBufferPointer, _ from: Int, _ count: Int,
    _ target: UnsafeMutableRawBufferPointer, _ to: Int
  ) {
    let fours = count / 4
    for four in 0..<fours {
      let pixels = source.loadUnaligned(fromByteOffset: from &+ four &* 16, as: SIMD4<UInt32>.self)
      let colors = pixels & 0xFF_FFFF
      let words = SIMD3(
        colors[0] | colors[1] &<< 24, colors[1] &>> 8 | colors[2] &<< 16,
        colors[2] &>> 16 | colors[3] &<< 8)
      for word in 0..<3 {
        target.storeBytes(
          of: words[word].littleEndian, toByteOffset: to &+ four &* 12 &+ word &* 4,
          as: UInt32.self)
      }
    }
    for x in 4 * fours..<count {
      for byte in 0..<3 { target[to + 3 * x + byte] = source[from + 4 * x + byte] }
    }
  }

  /// The finished image.
  func image(alpha: AlphaMode, transfer: PixelFormat.Transfer) throws(GLFailure) -> Image {
    do {
      return try Image(size: size, format: format, alpha: alpha, transfer: transfer, bytes: bytes)
    } catch {
      throw .image(error)
    }
  }

  private func offset(of part: Rect) -> Int {
    (part.y - rect.y) * rowBytes + (part.x - rect.x) * format.bytesPerPixel
  }
}

/// Memory on its way from a caller's image to the result that is written to it.
///
/// It has one owner at a time, so that nothing is copied where it is written.
final class ResultMemory {
  private var bytes: [UInt8] = []

  /// None: the result gets new memory.
  init() {}

  /// The memory of an output's image, which is gone.
  init(of output: ImageOutput) {
    guard var image = output.takeOwned() else { return }
    swap(&bytes, &image.bytes)
  }

  /// The memory; empty from the second time on.
  func take() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&bytes, &taken)
    return taken
  }
}

/// A result whose pixels are where any thread may read them: what is left to do takes no context.
final class ArrivedResult: Sendable {
  private let description: Plan.Result
  private let result: Mutex<ResultImage>
  private let rows: [ArrivedRows]
  private let copies: RowCopies

  /// - Parameters:
  ///   - result: all but the rows.
  ///   - rows: those that are still to be copied.
  init(
    _ description: Plan.Result, _ result: sending ResultImage, _ rows: [ArrivedRows],
    by copies: RowCopies
  ) {
    self.description = description
    self.result = Mutex(result)
    self.rows = rows
    self.copies = copies
  }

  /// Copies what is left, and returns the whole result. To be called once.
  ///
  /// - Throws: `GLFailure.lost` where the memory has gone with its context.
  func image() throws(GLFailure) -> Image {
    try result.withLock { result throws(GLFailure) in
      for row in rows {
        let isThere = row.memory.read {
          result.take(row.part, row.form, from: $0, by: copies)
        }
        guard isThere else { throw .lost(during: "a frame in flight") }
      }
      return try result.image(alpha: description.alpha, transfer: description.transfer)
    }
  }
}

/// Pixels of a part of a result, in memory that stays mapped.
struct ArrivedRows: Sendable {
  var part: Rect
  var form: ReadBack.Form
  var memory: SampleMemory
}
