internal import FrostglassCore
public import FrostglassStills

/// A placeholder that a page shows while an image loads.
///
/// Everything is computed from one copy of the image of at most 100 pixels per side. It is averaged on encoded
/// values, and pixels are weighted by their alpha.
///
///     let placeholder = try Placeholder(of: .file("photo.jpg"))
///     print(placeholder.blurHash)
public struct Placeholder: Sendable, Hashable {
  /// The image's own size, upright.
  public let size: Size
  /// 28 characters for the usual 12 components; no alpha.
  public let blurHash: String
  /// 5 to 25 bytes, with alpha; on pages mostly written as base64.
  public let thumbHash: [UInt8]
  /// The mean of light, weighted by alpha; `nil` for a wholly transparent image.
  public let average: Color?
  /// The color of which there is most; `nil` for a wholly transparent image.
  public let dominant: Color?
  /// True if any part is transparent.
  public let hasAlpha: Bool
  /// A tiny image as `data:image/webp;base64,…`.
  public let dataURI: String

  /// `thumbHash` as base64.
  public var thumbHashText: String { Base64.text(thumbHash) }

  /// The longest side of the copy that everything is computed from; ThumbHash takes no more.
  private static let side = 100

  /// Reads an image file, in the thread that asks. Of a large JPEG, most is never decoded.
  ///
  /// - Throws: `FrostglassError.decode`, `.encode` for a format of the tiny image that is not written,
  ///   and `.plan` for a side that it cannot have.
  public init(
    of source: StillSource, options: Placeholder.Options = Placeholder.Options()
  ) throws(FrostglassError) {
    try self.init(of: source, options, Cancellation())
  }

  /// - Parameter cancellation: ends the decoder.
  fileprivate init(
    of source: StillSource, _ options: Placeholder.Options, _ cancellation: Cancellation
  ) throws(FrostglassError) {
    guard (1...Self.side).contains(options.uriSide) else {
      throw .plan(
        .badValue(
          filter: "placeholder", parameter: "uriSide", value: "\(options.uriSide)",
          accepted: "from 1 to \(Self.side) pixels"))
    }
    let copy: Image
    (size, copy) = try Self.read(source, options.decoding, cancellation)
    let pixels = PlaceholderPixels(copy)
    hasAlpha = !pixels.isOpaque
    blurHash = BlurHash.encode(pixels, components: options.components, on: options.background)
    thumbHash = ThumbHash.encode(pixels)
    average = pixels.average
    dominant = pixels.dominant
    dataURI = try Self.uri(copy, options)
  }

  /// The image's size and its small copy.
  private static func read(
    _ source: StillSource, _ decoding: DecodeOptions, _ cancellation: Cancellation
  ) throws(FrostglassError) -> (Size, Image) {
    do {
      let decoder = StillDecoder(decoding)
      nonisolated(unsafe) let reader = try decoder.reader(of: source)
      // `cancel` is for any thread.
      cancellation.onCancel { reader.cancel() }
      let size = reader.header.size
      let small = size.limited(to: side)
      try decoder.checkMemory(reader.imageMemory(scaledTo: small), for: reader)
      return (size, try reader.image(scaledTo: small, .soft))
    } catch { throw .decode(error) }
  }

  private static func uri(
    _ copy: Image, _ options: Placeholder.Options
  ) throws(FrostglassError) -> String {
    let tiny: Image
    tiny = try mapped(
      FrostglassError.decode, copy.scaled(to: copy.size.limited(to: options.uriSide), .soft))
    let format = options.uriFormat
    let keepsAlpha = format.pixelFormat(preserving: .rgba8).layout.hasAlpha
    let image = PlaceholderPixels(tiny).image(on: keepsAlpha ? nil : options.background)
    do {
      // A blurred stand-in needs no details.
      let bytes = try StillEncoder(EncodeOptions(quality: 50)).encode(image, as: format)
      let bare = format == .webp ? WebPFile.withoutExif(bytes) : bytes
      return "data:image/\(format.rawValue);base64," + Base64.text(bare)
    } catch { throw .encode(error) }
  }
}

extension Pipeline {
  /// Reads an image file on a thread of its own, and says what a page shows while it loads.
  ///
  /// A cancelled task, and the deadline, end it at once.
  ///
  /// - Parameters:
  ///   - source: the source of the image.
  ///   - options: the options of the placeholder.
  ///   - deadline: the time at which unfinished work is cancelled; `nil` for never.
  /// - Throws: as `Placeholder.init(of:options:)`; `.cancelled` and `.deadlineExceeded`.
  public func placeholder(
    of source: StillSource, options: Placeholder.Options = Placeholder.Options(),
    deadline: ContinuousClock.Instant? = nil
  ) async throws(FrostglassError) -> Placeholder {
    try await leaving(until: deadline) { cancellation throws(FrostglassError) in
      try Placeholder(of: source, options, cancellation)
    }
  }
}

extension Size {
  /// Returns the same shape with its longer side at most `side`, and no side below 1.
  func limited(to side: Int) -> Size {
    let longest = max(width, height)
    guard longest > side else { return self }
    func scaled(_ length: Int) -> Int { max(1, (length * side + longest / 2) / longest) }
    return Size(width: scaled(width), height: scaled(height))
  }
}

extension Placeholder {
  /// The options of a placeholder.
  public struct Options: Sendable, Hashable {
    /// The components of the BlurHash; `nil` takes 4 along the longer side and 3 along the shorter.
    public var components: BlurHash.Components?
    /// The color behind transparent images where alpha is not kept: in the BlurHash and in a JPEG.
    public var background: Color
    /// The tiny image's format: WebP, PNG or another that is written.
    public var uriFormat: StillFormat
    /// The tiny image's longer side in pixels, 1…100.
    public var uriSide: Int
    /// The decoding options and limits.
    public var decoding: DecodeOptions

    /// Creates options; those left out have their defaults.
    public init(
      components: BlurHash.Components? = nil, background: Color = .white,
      uriFormat: StillFormat = .webp, uriSide: Int = 16, decoding: DecodeOptions = DecodeOptions()
    ) {
      self.components = components
      self.background = background
      self.uriFormat = uriFormat
      self.uriSide = uriSide
      self.decoding = decoding
    }
  }
}

/// The parts of a WebP file.
enum WebPFile {
  /// The file without an EXIF block, smaller by 200 bytes: libvips 8.14 makes one up even where it is
  /// asked to strip.
  ///
  /// Source of the format: the WebP Container Specification. A file is `RIFF`, a length, `WEBP` and
  /// chunks; one without extras has a single chunk.
  static func withoutExif(_ file: [UInt8]) -> [UInt8] {
    guard file.count > 12, file.starts(with: "RIFF".utf8) else { return file }
    var kept: [ArraySlice<UInt8>] = []
    var start = 12
    while start + 8 <= file.count {
      let length = word(file, start + 4)
      let end = min(start + 8 + length + length % 2, file.count)
      let chunk = file[start..<end]
      if !chunk.starts(with: "EXIF".utf8) { kept.append(chunk) }
      start = end
    }
    // Without extras the header that announces them goes, too.
    if kept.count == 2, kept[0].starts(with: "VP8X".utf8) { kept.removeFirst() }
    let body = Array("WEBP".utf8) + kept.flatMap { withoutExifFlag($0) }
    return Array("RIFF".utf8) + bytes(body.count) + body
  }

  /// Bit 3 of the extended header says that there is EXIF.
  private static func withoutExifFlag(_ chunk: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard chunk.starts(with: "VP8X".utf8), chunk.count > 8 else { return chunk }
    var header = chunk
    header[header.startIndex + 8] &= ~8
    return header
  }

  private static func word(_ file: [UInt8], _ offset: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) }
  }

  private static func bytes(_ word: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
  }
}

/// Bytes as text, RFC 4648.
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0..<4 {
        let sign = alphabet[bits >> (18 - 6 * place) & 63]
        text.append(place <= group.count ? sign : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
