internal import CVips
public import FrostglassCore

/// An open image file: what it is, and its pixels from top to bottom, decoded when they are asked for.
///
/// A turned picture is decoded whole with the first row. All rows are read from one thread, but for
/// whole frames. Of an animation with all its frames, rows go on from one frame to the next.
package final class StillReader {
  package let header: StillHeader
  package let metadata: StillMetadata
  let open: OpenStill
  private let profile: DecodeOptions.Profile
  let colors: ColorConversion
  private var rows: VipsRows?
  /// Significant bits of 16-bit samples that sit in the upper bits; `nil` where all 16 are.
  private let upperBits: Int?

  init(_ open: OpenStill, _ profile: DecodeOptions.Profile) throws(DecodeError) {
    self.open = open
    self.profile = profile
    header = StillHeader(open)
    do throws(VipsFailure) {
      colors = try ColorConversion(
        open.picture, shape: open.shape, choice: profile, decodesFirst: false)
    } catch {
      throw .damaged(name: open.name, reason: error.reason)
    }
    metadata = StillMetadata(
      of: open.picture, open.texts, profile: colors.profile, colorsConverted: colors.converted,
      frames: open.loadedFrames)
    let bits = open.picture.number("heif-bitdepth") ?? 16
    upperBits = open.shape.depth == .uint16 && (9..<16).contains(bits) ? bits : nil
  }

  private func openRows() throws(VipsFailure) -> VipsRows {
    if let rows { return rows }
    let rows = VipsRows(of: try upright(colors.picture))
    self.rows = rows
    return rows
  }

  /// Applies the orientation. Turning reads columns, so the picture is decoded whole before it.
  private func upright(_ picture: VipsPicture) throws(VipsFailure) -> VipsPicture {
    guard picture.orientation > 1, open.loadedFrames == 1 else { return picture }
    return try picture.inMemory().applying(fg_upright)
  }

  /// Decodes the next rows.
  ///
  /// - Parameters:
  ///   - next: rows that follow the last ones read.
  ///   - target: room for them without gaps.
  /// - Throws: `DecodeError.damaged`.
  package func read(
    _ next: Range<Int>, into target: UnsafeMutableRawPointer
  ) throws(DecodeError) {
    do throws(VipsFailure) {
      try ClearedMemory.during(header.format) { () throws(VipsFailure) in
        try openRows().read(next, into: target)
      }
    } catch {
      throw .damaged(name: open.name, reason: error.reason)
    }
    let count = next.count * header.size.width * header.pixelFormat.bytesPerPixel
    fillLowBits(UnsafeMutableRawBufferPointer(start: target, count: count))
  }

  /// Decodes the next frame of an animation with all its frames, in any thread.
  ///
  /// - Parameter index: the frame after the last one decoded, counted from 0.
  /// - Throws: `DecodeError.damaged`.
  package func frame(_ index: Int) throws(DecodeError) -> Image {
    var image = Image(zeros: header.size, format: header.pixelFormat)
    let first = index * header.size.height
    try image.withUnsafeMutableBytes { bytes -> Result<Void, DecodeError> in
      guard let start = bytes.baseAddress else { return .success(()) }
      do throws(DecodeError) {
        return .success(try read(first..<first + header.size.height, into: start))
      } catch { return .failure(error) }
    }.get()
    rows?.leaveThread()
    return image
  }

  /// Lets another thread read what follows.
  package func leaveThread() { rows?.leaveThread() }

  /// Makes decoding fail soon, from any thread.
  package func cancel() {
    open.picture.cancel()
    colors.picture.cancel()
  }

  /// Decodes all; instead of reading rows, not after it.
  ///
  /// - Throws: `DecodeError.damaged`.
  package func image() throws(DecodeError) -> Image {
    do throws(VipsFailure) {
      let colors =
        colors.converted
        ? try ColorConversion(
          open.picture, shape: open.shape, choice: profile, decodesFirst: true) : colors
      let picture = try ClearedMemory.during(header.format) { () throws(VipsFailure) in
        try upright(colors.picture)
      }
      var bytes = try ClearedMemory.during(header.format) { () throws(VipsFailure) in
        try picture.pixels()
      }
      bytes.withUnsafeMutableBytes(fillLowBits)
      do throws(ImageError) {
        return try Image(
          size: picture.size, format: header.pixelFormat, alpha: .straight, bytes: bytes)
      } catch { throw VipsFailure(log: error.description) }
    } catch {
      throw .damaged(name: open.name, reason: error.reason)
    }
  }

  /// Decodes all at another size; instead of reading rows, not after it.
  ///
  /// Of a JPEG that becomes much smaller, most is never decoded.
  ///
  /// - Parameter size: upright, both sides at least 1.
  /// - Throws: `DecodeError.damaged`.
  package func image(
    scaledTo size: Size, _ kernel: ScalingKernel
  ) throws(DecodeError) -> Image {
    do throws(VipsFailure) {
      let stored = open.isTransposed ? Size(width: size.height, height: size.width) : size
      let shrunk = try open.shrunk(for: stored)
      let colors = try ColorConversion(
        shrunk, shape: open.shape, choice: profile, decodesFirst: false)
      let scaled = try colors.picture.scaled(to: stored, header.pixelFormat, kernel)
      var bytes = try ClearedMemory.during(header.format) { () throws(VipsFailure) in
        try upright(scaled).pixels()
      }
      bytes.withUnsafeMutableBytes(fillLowBits)
      do throws(ImageError) {
        return try Image(size: size, format: header.pixelFormat, alpha: .straight, bytes: bytes)
      } catch { throw VipsFailure(log: error.description) }
    } catch {
      throw .damaged(name: open.name, reason: error.reason)
    }
  }

  /// Stretches samples that sit in the upper bits to full scale.
  ///
  /// libvips shifts 10 and 12 bits up to 16 and leaves zeros below, so white would be 65472 or
  /// 65520. Repeating the upper bits in the lower ones makes it 65535, also of means of such samples.
  private func fillLowBits(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let upperBits else { return }
    let samples = bytes.bindMemory(to: UInt16.self)
    for index in samples.indices { samples[index].stretch(upperBits) }
  }
}

/// What is known of an image file before its pixels are decoded.
public struct StillHeader: Sendable, Hashable {
  /// The upright size, after the orientation is applied.
  public let size: Size
  /// The pixel format that decoding gives.
  public let pixelFormat: PixelFormat
  /// Frames in the file: more than 1 for an animated GIF, WebP or PNG only.
  public let frames: Int
  /// What the file holds beside them that cannot be read: frames of a PNG whose animation
  /// makes no sense, pages of a TIFF and pictures of a HEIC or AVIF after the first.
  public let unreadFrames: Int
  /// The format the file has, whatever its name.
  public let format: StillFormat

  init(_ open: OpenStill) {
    size = open.size
    pixelFormat = open.shape.decoded
    frames = open.frames
    unreadFrames = open.unreadFrames
    format = open.format
  }
}

extension UInt16 {
  /// Adds the upper bits at the lower end, up to full scale.
  fileprivate mutating func stretch(_ upperBits: Int) {
    let (sum, overflow) = addingReportingOverflow(self >> UInt16(upperBits))
    self = overflow ? .max : sum
  }
}

extension StillReader {
  /// About how many bytes decoding takes while rows are read one after another, those rows not
  /// counted: what the codec keeps, and the rows that libvips has in store.
  ///
  /// Measured on pictures of noise with libvips 8.14 and rounded up.
  package var rowMemory: Int { open.memory + (isReoriented ? decodedBytes : 0) }

  /// About how many bytes decoding into one image takes, with that image.
  package var imageMemory: Int {
    open.memory + decodedBytes * (1 + (isReoriented ? 1 : 0) + (colors.converted ? 1 : 0))
  }

  /// About how many bytes decoding into an image of another size takes, with that image.
  package func imageMemory(scaledTo size: Size) -> Int {
    let grows = size.width > header.size.width || size.height > header.size.height
    let target = size.area * header.pixelFormat.bytesPerPixel
    return open.memory + (grows ? decodedBytes : 0) + target * (isReoriented ? 2 : 1)
  }

  /// Bytes of a decoded frame.
  private var decodedBytes: Int { header.size.area * header.pixelFormat.bytesPerPixel }

  /// Whether a stored orientation is applied, which takes the whole picture.
  private var isReoriented: Bool { open.picture.orientation > 1 && open.loadedFrames == 1 }
}
