internal import CVips
internal import FrostglassCore
internal import Glibc

/// Where an encoded image comes from.
public enum StillSource: Sendable, Hashable {
  /// A file, or anything else that can be opened for reading under this path.
  case file(String)
  /// The process's standard input, read once from where it stands.
  case standardInput
  /// A whole encoded image in memory.
  case bytes([UInt8])

  /// How messages call it: the path, `standard input` or `the given bytes`.
  public var name: String {
    switch self {
    case .file(let path): path
    case .standardInput: "standard input"
    case .bytes: "the given bytes"
    }
  }
}

/// Encoded bytes that libvips reads from as far as it needs.
final class ByteSource {
  private let pointer: UnsafeMutablePointer<VipsSource>

  /// Opens a source and looks at its first byte.
  init(_ source: StillSource) throws(DecodeError) {
    let opened: UnsafeMutablePointer<VipsSource>?
    switch source {
    case .file(let path): opened = try Self.open(path)
    case .standardInput: opened = try Self.adopt(STDIN_FILENO, name: source.name)
    case .bytes(let bytes):
      guard !bytes.isEmpty else { throw .empty(name: source.name) }
      opened = bytes.withUnsafeBytes { fg_source_from_bytes($0.baseAddress, $0.count) }
    }
    guard let opened else {
      throw .unreadable(path: source.name, reason: VipsFailure.take().reason)
    }
    pointer = opened
    try refuseEmpty(name: source.name)
  }

  deinit { g_object_unref(pointer) }

  /// The format that the first bytes announce.
  var signature: StillFormat? {
    firstBytes(StillFormat.signatureLength).flatMap { StillFormat(signature: $0) }
  }

  /// Recognizes the format from the first bytes, whatever the name says.
  func loader(name: String) throws(DecodeError) -> StillLoader {
    let signature = signature
    if signature?.isOfRows == true { return .rows }
    guard let type = loaderType, let nickname = vips_nickname_find(g_type_from_name(type)),
      let loader = StillLoader(nickname: String(cString: nickname))
    else {
      vips_error_clear()
      throw signature != nil
        ? .damaged(name: name, reason: "its header cannot be read")
        : .unknownFormat(name: name, accepted: StillFormat.allCases)
    }
    return loader
  }

  /// The name that libvips has for what reads this file.
  private var loaderType: UnsafePointer<CChar>? {
    if let type = vips_foreign_find_load_source(pointer) { return type }
    vips_error_clear()
    VipsModules.load()
    return vips_foreign_find_load_source(pointer)
  }

  /// Reads the header; pixels follow when they are asked for, from top to bottom.
  func load(_ strictness: VipsFailOn) throws(VipsFailure) -> VipsPicture {
    try picture(fg_load(pointer, strictness))
  }

  /// A JPEG at 1/shrink of its size: 1, 2, 4 or 8.
  func loadJPEG(_ strictness: VipsFailOn, shrink: Int) throws(VipsFailure) -> VipsPicture {
    try picture(fg_load_jpeg_shrunk(pointer, strictness, Int32(shrink)))
  }

  /// Frames of an animation, one below the other.
  ///
  /// - Parameters:
  ///   - first: counted from 0.
  ///   - count: `nil` for all that follow.
  func loadFrames(
    _ strictness: VipsFailOn, from first: Int, count: Int?
  ) throws(VipsFailure) -> VipsPicture {
    try picture(fg_load_frames(pointer, strictness, Int32(first), Int32(count ?? -1)))
  }

  /// The first picture of a TIFF, by libtiff instead of libvips. It reads from this source.
  func loadByLibtiff(_ size: Size, orientation: Int) throws(VipsFailure) -> VipsPicture {
    try picture(
      fg_tiff_by_libtiff(
        pointer, Int32(size.width), Int32(size.height), Int32(orientation)))
  }

  private func picture(
    _ image: UnsafeMutablePointer<VipsImage>?
  ) throws(VipsFailure) -> VipsPicture {
    guard let image else { throw .take() }
    let picture = VipsPicture(owning: image)
    picture.limitToOneThread()
    return picture
  }

  /// Bytes in all; `nil` where that cannot be known. A pipe is read to its end for it.
  var length: Int? {
    let length = Int(vips_source_length(pointer))
    guard length >= 0 else {
      vips_error_clear()
      return nil
    }
    return length
  }

  /// Runs something on the whole source; `nil` where it cannot be read. A pipe is read to its end.
  func withContents<Result>(_ body: (UnsafeRawBufferPointer) -> Result?) -> Result? {
    var count = 0
    guard let start = vips_source_map(pointer, &count) else {
      vips_error_clear()
      return nil
    }
    return body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Runs something on the whole source, or on its beginning where it is a pipe, which is to be read a
  /// little at a time.
  ///
  /// - Parameter wholly: whether a pipe is read to its end all the same.
  func withMetadata<Result>(
    wholly: Bool, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result? {
    if wholly || vips_source_is_mappable(pointer) != 0 { return withContents(body) }
    return firstBytes(Self.beginning)?.withUnsafeBytes(body)
  }

  /// Bytes of a pipe that are looked through for metadata.
  private static let beginning = 1 << 18

  /// What the source begins with, at most `count` bytes; `nil` where it cannot be read.
  func firstBytes(_ count: Int) -> [UInt8]? {
    var start: UnsafeMutablePointer<UInt8>?
    let found = Int(vips_source_sniff_at_most(pointer, &start, count))
    return found < 0 ? nil : [UInt8](UnsafeBufferPointer(start: start, count: found))
  }

  private func refuseEmpty(name: String) throws(DecodeError) {
    guard let first = firstBytes(1) else {
      throw .unreadable(path: name, reason: VipsFailure.take().reason)
    }
    guard !first.isEmpty else { throw .empty(name: name) }
  }

  private static func open(
    _ path: String
  ) throws(DecodeError) -> UnsafeMutablePointer<VipsSource>? {
    let descriptor = Glibc.open(path.systemPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = errno
      throw code == ENOENT || code == ENOTDIR
        ? .missing(path: path) : .unreadable(path: path, reason: systemWords(code))
    }
    defer { close(descriptor) }
    return try adopt(descriptor, name: path)
  }

  /// Reads on from an open descriptor, which is duplicated.
  private static func adopt(
    _ descriptor: Int32, name: String
  ) throws(DecodeError) -> UnsafeMutablePointer<VipsSource>? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw .unreadable(path: name, reason: systemWords(errno))
    }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw .isDirectory(path: name) }
    // A file that opens and cannot be read: libvips would fail too, but without saying why.
    var byte: UInt8 = 0
    if pread(descriptor, &byte, 1, 0) < 0, errno != ESPIPE {
      throw .unreadable(path: name, reason: systemWords(errno))
    }
    return vips_source_new_from_descriptor(descriptor)
  }
}

/// The loaders of libvips that are let near a file, and our own; all others count as unknown formats.
///
/// SVG, PDF, ImageMagick and the like interpret whole languages, which is no way to treat a
/// stranger's file.
enum StillLoader: String, CaseIterable {
  case jpegload, pngload, webpload, heifload, gifload, tiffload, jxlload
  /// None of libvips': files of rows.
  case rows

  /// Finds the loader by libvips' nickname, such as `jpegload_source`.
  init?(nickname: String) {
    guard let base = nickname.split(separator: "_").first else { return nil }
    self.init(rawValue: String(base))
    if self == .rows { return nil }
  }

  /// From which trouble on a file counts as damaged.
  var strictness: VipsFailOn { VIPS_FAIL_ON_ERROR }

  /// The format of what this loader opened; several share one.
  ///
  /// - Parameter bytes: what it was opened from.
  func format(of picture: VipsPicture, _ bytes: ByteSource) -> StillFormat {
    switch self {
    case .jpegload: .jpeg
    case .pngload: .png
    case .webpload: .webp
    case .gifload: .gif
    case .tiffload: .tiff
    case .jxlload: .jxl
    case .rows: bytes.signature ?? .bmp
    case .heifload: picture.text("heif-compression") == "av1" ? .avif : .heic
    }
  }
}
