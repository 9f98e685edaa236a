// Functions are named as the header names them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import CFrostglass
public import CFrostglassFiles
internal import FrostglassC
internal import FrostglassCore
internal import FrostglassStills

/// A decoded image, whose memory a caller may change.
final class ReadImage: CallersObject {
  static let name = "picture"

  let format: StillFormat
  let metadata: StillMetadata
  let description: Plan.Input
  private let owned: OwnedMemory

  init(_ still: Still) {
    (format, metadata) = (still.format, still.metadata)
    let image = still.image
    description = Plan.Input(image)
    let row = image.size.width * image.format.bytesPerPixel
    owned = OwnedMemory(row * image.size.height)
    let memory = owned.bytes
    image.withUnsafeBytes { bytes in
      for y in 0..<image.size.height {
        let start = y * image.bytesPerRow
        UnsafeMutableRawBufferPointer(rebasing: memory[y * row..<(y + 1) * row])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + row]))
      }
    }
  }

  var memory: UnsafeMutableRawBufferPointer { owned.bytes }

  /// Decodes a file for a caller.
  static func read(
    _ source: StillSource, _ options: UnsafePointer<fg_decode_options>?,
    _ place: UnsafeMutablePointer<OpaquePointer?>?
  ) throws {
    guard let place else { throw Failure(FG_BAD_ARGUMENT, "the place for the image is null") }
    place.pointee = nil
    let options = try DecodeOptions(options)
    try Waiting.check()
    place.pointee = Handles.all.add(ReadImage(try StillDecoder(options).decode(source)))
  }
}

/// Decodes a file: see the header.
@c(fg_decode_file) @implementation
public func fg_decode_file(
  _ file: UnsafePointer<CChar>?, _ options: UnsafePointer<fg_decode_options>?,
  _ picture: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<CChar>?,
  _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    try ReadImage.read(.file(path(file, "picture")), options, picture)
  }
}

/// Decodes a file's bytes: see the header.
@c(fg_decode_bytes) @implementation
public func fg_decode_bytes(
  _ start: UnsafeRawPointer?, _ size: Int, _ options: UnsafePointer<fg_decode_options>?,
  _ picture: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<CChar>?,
  _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    try ReadImage.read(.bytes(bytes(start, size)), options, picture)
  }
}

/// Gets a decoded image's pixels: see the header.
@c(fg_picture_image) @implementation
public func fg_picture_image(
  _ picture: OpaquePointer?, _ image: UnsafeMutablePointer<fg_image>?,
  _ error: UnsafeMutablePointer<CChar>?, _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    let picture = try Handles.all.object(picture, ReadImage.self)
    _ = try structure(image.map { UnsafePointer($0) }, "fg_image")
    image?.pointee = fg_image(picture.description, picture.memory.baseAddress)
  }
}

/// Frees a decoded image: see the header.
@c(fg_picture_free) @implementation
public func fg_picture_free(_ picture: OpaquePointer?) -> fg_status {
  answering(nil, 0) { try Handles.all.remove(picture, ReadImage.self) }
}
