// Functions are named as the header names them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import CFrostglass
public import CFrostglassFiles
internal import FrostglassC
internal import FrostglassCPU
internal import FrostglassCore
internal import FrostglassStills

/// Bytes made for a caller.
final class MadeBytes: CallersObject {
  static let name = "data"

  private let owned: OwnedMemory

  init(_ bytes: [UInt8]) {
    owned = OwnedMemory(bytes.count)
    memory.copyBytes(from: bytes)
  }

  var memory: UnsafeMutableRawBufferPointer { owned.bytes }
}

/// A caller's pixels, and the file to encode them as.
private struct Encoding {
  private let image: CheckedImage
  private let like: ReadImage?
  private let writing: FileWriting

  init(
    _ image: UnsafePointer<fg_image>?, _ like: OpaquePointer?,
    _ options: UnsafePointer<fg_encode_options>?
  ) throws {
    self.image = try CheckedImage(structure(image, "fg_image"), "image")
    guard self.image.description.transfer == .encoded else {
      throw Failure(FG_BAD_IMAGE, "transfer of the image is linear; files have encoded samples")
    }
    self.like = try like.map { like in
      try Handles.all.object(like, ReadImage.self)
    }
    writing = try FileWriting(options)
    try Waiting.check()
  }

  /// - Parameter path: `nil` for memory.
  /// - Returns: the file's bytes if it goes to memory.
  func write(to path: String?) throws -> [UInt8]? {
    let format: StillFormat
    if let chosen = writing.format {
      format = chosen
    } else if let path {
      format = try StillFormat.toWrite(path: path)
    } else {
      format = like?.format ?? .png
    }
    let picture = try picture(as: format)
    // It is a single image, whatever it was read from.
    var metadata = like?.metadata
    metadata?.animation = nil
    let encoder = StillEncoder(writing.options)
    guard let path else { return try encoder.encode(picture, metadata: metadata, as: format) }
    try encoder.encode(picture, metadata: metadata, as: format, to: writing.sink(path))
    return nil
  }

  /// Returns the pixels in a format's depth and channels, with straight alpha or none.
  private func picture(as format: StillFormat) throws -> Image {
    let description = image.description
    let wanted = format.pixelFormat(preserving: description.format)
    // Samples in the fourth channel of an opaque image may be anything.
    let isAsWritten = description.alpha == .straight || !description.format.layout.hasAlpha
    if wanted == description.format, isAsWritten {
      return try image.image()
    }
    let plan = try FilterChain([]).plan(for: description)
      .storing(as: wanted, on: writing.background).withStraightAlpha
    let output = ImageOutput()
    let io = PixelIO(
      [.memory(image.source, isBlueFirst: image.order == .bgr)], to: [.image(output)])
    _ = try FastBackend().runNow(plan, io)
    guard let made = output.take() else { throw Failure(FG_FAILED, "there is no result") }
    return made
  }
}

extension Plan {
  /// The same plan, whose single result has straight alpha as in files.
  fileprivate var withStraightAlpha: Plan {
    var (steps, result) = (steps, result)
    guard result.alpha == .premultiplied, case .store(var store)? = steps.last?.pass else {
      return self
    }
    store.alpha = .straight
    steps[steps.count - 1].pass = .store(store)
    result.alpha = .straight
    return Plan(inputs: inputs, slots: slots, steps: steps, results: [result])
  }
}

/// Encodes pixels as a file: see the header.
@c(fg_encode_file) @implementation
public func fg_encode_file(
  _ image: UnsafePointer<fg_image>?, _ like: OpaquePointer?, _ file: UnsafePointer<CChar>?,
  _ options: UnsafePointer<fg_encode_options>?, _ error: UnsafeMutablePointer<CChar>?,
  _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    _ = try Encoding(image, like, options).write(to: path(file, "output"))
  }
}

/// Encodes pixels as a file's bytes: see the header.
@c(fg_encode_bytes) @implementation
public func fg_encode_bytes(
  _ image: UnsafePointer<fg_image>?, _ like: OpaquePointer?,
  _ options: UnsafePointer<fg_encode_options>?, _ data: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<CChar>?, _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    guard let data else { throw Failure(FG_BAD_ARGUMENT, "the place for the data is null") }
    data.pointee = nil
    let made = try Encoding(image, like, options).write(to: nil)
    data.pointee = Handles.all.add(MadeBytes(made ?? []))
  }
}

/// Gets the bytes of data: see the header.
@c(fg_data_bytes) @implementation
public func fg_data_bytes(
  _ data: OpaquePointer?, _ bytes: UnsafeMutablePointer<UnsafeRawPointer?>?,
  _ size: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<CChar>?, _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    let data = try Handles.all.object(data, MadeBytes.self)
    guard let bytes, let size else {
      throw Failure(FG_BAD_ARGUMENT, "the place for the bytes or for their size is null")
    }
    (bytes.pointee, size.pointee) = (UnsafeRawPointer(data.memory.baseAddress), data.memory.count)
  }
}

/// Frees data: see the header.
@c(fg_data_free) @implementation
public func fg_data_free(_ data: OpaquePointer?) -> fg_status {
  answering(nil, 0) { try Handles.all.remove(data, MadeBytes.self) }
}
