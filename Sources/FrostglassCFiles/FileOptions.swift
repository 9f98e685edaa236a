internal import CFrostglass
internal import CFrostglassFiles
internal import Frostglass
internal import FrostglassC
internal import FrostglassCore
internal import FrostglassStills
internal import Glibc

extension DecodeOptions {
  /// Reads a caller's decode options.
  ///
  /// - Parameter memoryLimit: the limit if the options have none; `nil` for half of the machine's memory.
  init(
    _ options: UnsafePointer<fg_decode_options>?, memoryLimit: Int? = nil
  ) throws {
    self.init(maxMemory: memoryLimit)
    guard let options else { return }
    let given = try structure(options, "fg_decode_options")
    for (name, number) in [
      ("most_pixels", given.most_pixels), ("memory_limit", given.memory_limit),
      ("frame", given.frame),
    ] where number < 0 {
      throw Failure(FG_BAD_ARGUMENT, "\(name) is \(number); it must be 0 or more")
    }
    guard given.reserved == 0 else {
      throw Failure(FG_BAD_ARGUMENT, "reserved of the fg_decode_options is not 0")
    }
    if given.most_pixels > 0 { maxPixels = Int(given.most_pixels) }
    if given.memory_limit > 0 { maxMemory = Int(given.memory_limit) }
    if given.frame > 0 { frame = Int(given.frame) }
    profile = try choice(given.keep_profile, "keep_profile", of: [.srgb, .keep])
  }
}

/// A caller's options for writing a file.
struct FileWriting {
  /// The format; `nil` for that of the name, or of the image that was read.
  var format: StillFormat?
  var options = EncodeOptions()
  var background = Color.white
  var overwrites = false

  init(_ options: UnsafePointer<fg_encode_options>?) throws {
    guard let options else { return }
    let given = try structure(options, "fg_encode_options")
    guard given.reserved == 0 else {
      throw Failure(FG_BAD_ARGUMENT, "reserved of the fg_encode_options is not 0")
    }
    if let start = given.format {
      let name = try text(start, "format")
      guard let format = StillFormat(rawValue: name) else {
        let known = StillFormat.allCases.map(\.rawValue).joined(separator: ", ")
        throw Failure(FG_BAD_VALUE, "format is \(name); it must be one of \(known)")
      }
      self.format = format
    }
    if let start = given.background {
      let name = try text(start, "background")
      guard let color = Color(text: name) else {
        throw Failure(FG_BAD_VALUE, "background is \(name); it must be a color, such as #fff")
      }
      background = color
    }
    self.options.quality = try Self.number(given.quality, "quality", 1...100)
    self.options.effort = try Self.number(given.effort, "effort", 1...10).map { $0 - 1 }
    self.options.lossless = try choice(given.lossless, "lossless", of: [false, true])
    self.options.strip = try choice(given.strip, "strip", of: [false, true])
    overwrites = try choice(given.overwrite, "overwrite", of: [false, true])
  }

  /// Returns the sink for a path.
  func sink(_ path: String) -> StillSink { .file(path, overwrite: overwrites) }

  /// - Returns: `nil` for 0, the default.
  private static func number(
    _ number: Int32, _ name: String, _ range: ClosedRange<Int32>
  ) throws -> Int? {
    if number == 0 { return nil }
    guard range.contains(number) else {
      throw Failure(
        FG_BAD_VALUE,
        "\(name) is \(number); it must be from \(range.lowerBound) to \(range.upperBound), or 0")
    }
    return Int(number)
  }
}

/// The largest length of a path, in bytes; Linux takes 4096.
private let longestPath = 65536

/// Returns a caller's path of any bytes.
///
/// - Parameter name: the path's name in messages.
func path(_ start: UnsafePointer<CChar>?, _ name: String) throws -> String {
  guard let start else { throw Failure(FG_BAD_ARGUMENT, "the \(name)'s path is null") }
  guard strnlen(start, longestPath + 1) <= longestPath else {
    throw Failure(FG_BAD_ARGUMENT, "the \(name)'s path has more than \(longestPath) bytes")
  }
  guard start[0] != 0 else { throw Failure(FG_BAD_ARGUMENT, "the \(name)'s path is empty") }
  return String(systemPath: start)
}

/// Returns a copy of a caller's bytes.
func bytes(_ start: UnsafeRawPointer?, _ count: Int) throws -> [UInt8] {
  guard let start else { throw Failure(FG_BAD_ARGUMENT, "the file's bytes are null") }
  guard count >= 0, !UInt(bitPattern: start).addingReportingOverflow(UInt(count)).overflow else {
    throw Failure(FG_BAD_ARGUMENT, "the file's bytes go beyond the end of memory")
  }
  // A failed copy would end the process.
  guard count <= MachineMemory.half else {
    throw Failure(
      FG_TOO_LARGE,
      "a file of \(ByteCount(count)) is too large to be in memory; the limit is "
        + "\(ByteCount(MachineMemory.half)). Give its path")
  }
  return Array(UnsafeRawBufferPointer(start: start, count: count))
}

extension DecodeError: ErrorWithStatus {
  package var status: Int {
    switch self {
    case .missing, .isDirectory, .unreadable: FG_NO_INPUT
    case .tooManyPixels, .tooMuchMemory: FG_TOO_LARGE
    case .noSuchFrame: FG_BAD_VALUE
    case .codecUnavailable: FG_UNAVAILABLE
    case .empty, .unknownFormat, .damaged, .unsupportedPixels, .unsupportedKind, .hdr, .changed:
      FG_BAD_FILE
    }
  }
}

extension EncodeError: ErrorWithStatus {
  package var status: Int {
    if case .codecUnavailable = self { FG_UNAVAILABLE } else { FG_CANNOT_WRITE }
  }
}

extension FrostglassError: ErrorWithStatus {
  package var status: Int {
    switch self {
    case .decode(let error): error.status
    case .text(let error): error.status
    case .plan(let error): error.status
    case .execute(let error): error.status
    case .encode(let error): error.status
    case .cancelled, .deadlineExceeded: FG_CANCELLED
    case .scene, .lettering, .element, .video, .frames: FG_FAILED
    }
  }
}
