// Functions are named as the header names them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import CFrostglass
internal import FrostglassCore
internal import Glibc

/// Writes all filters as JSON: see the header.
@c(fg_catalog_json) @implementation
public func fg_catalog_json(
  _ text: UnsafeMutablePointer<CChar>?, _ size: Int, _ needed: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<CChar>?, _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    try TextRoom(text, size).write(Catalog.json, needed)
  }
}

/// Returns the library's ABI version: see the header.
@c(fg_abi_version) @implementation
public func fg_abi_version() -> Int32 {
  // Programs call this first, so the handles exist before any fork.
  _ = Handles.all
  return Int32(FG_ABI_VERSION)
}

/// Returns the library's version: see the header.
@c(fg_version) @implementation
public func fg_version() -> UnsafePointer<CChar>? { Words.version }

/// Returns the size of a structure: see the header.
@c(fg_sizeof) @implementation
public func fg_sizeof(_ name: UnsafePointer<CChar>?) -> Int {
  guard let name else { return 0 }
  let sizes = [
    "fg_image": MemoryLayout<fg_image>.stride,
    "fg_engine_options": MemoryLayout<fg_engine_options>.stride,
    "fg_mask": MemoryLayout<fg_mask>.stride,
    "fg_plan_options": MemoryLayout<fg_plan_options>.stride,
    "fg_plan_info": MemoryLayout<fg_plan_info>.stride,
    "fg_planes": MemoryLayout<fg_planes>.stride,
    "fg_run_options": MemoryLayout<fg_run_options>.stride,
  ]
  return sizes.first { strcmp($0.key, name) == 0 }?.value ?? 0
}

/// Returns a status's name: see the header.
@c(fg_status_name) @implementation
public func fg_status_name(_ status: fg_status) -> UnsafePointer<CChar>? {
  Words.statuses.indices.contains(Int(status)) ? Words.statuses[Int(status)] : Words.unknown
}

/// Texts that live as long as the process.
private enum Words {
  nonisolated(unsafe) static let version = kept(Version.current)
  nonisolated(unsafe) static let unknown = kept("unknown")
  nonisolated(unsafe) static let statuses = [
    "FG_OK", "FG_BAD_ARGUMENT", "FG_BAD_HANDLE", "FG_BAD_TEXT", "FG_BAD_VALUE", "FG_BAD_IMAGE",
    "FG_TOO_LARGE", "FG_CANCELLED", "FG_BUFFER_TOO_SMALL", "FG_FAILED", "FG_NO_INPUT",
    "FG_BAD_FILE",
    "FG_CANNOT_WRITE", "FG_UNAVAILABLE",
  ].map(kept)

  private static func kept(_ text: String) -> UnsafePointer<CChar>? {
    strdup(text).map { UnsafePointer($0) }
  }
}
