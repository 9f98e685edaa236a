import CFrostglass
import FrostglassCore

/// The status and error of a call.
struct Answer: Equatable {
  var status: Int
  var error: String

  /// Calls with room for an error.
  static func of(_ call: (UnsafeMutablePointer<CChar>?, Int) -> fg_status) -> Answer {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { room in
      room.initialize(repeating: 0x78)
      let status = call(room.baseAddress, room.count)
      guard let start = room.baseAddress else { return Answer(status: -1, error: "") }
      return Answer(status: Int(status), error: String(cString: start))
    }
  }
}

/// Pixels of a caller's: rows somewhere in memory of its own.
final class CallerImage {
  let memory: UnsafeMutableRawPointer
  let count: Int
  var image: fg_image

  /// The pixels of an image with gaps between rows.
  init(_ image: Image, gap: Int = 0) {
    let row = image.size.width * image.format.bytesPerPixel
    let stride = row + gap
    count = stride * image.size.height
    let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 64)
    self.memory = memory
    memory.initializeMemory(as: UInt8.self, repeating: 0xA5, count: count)
    image.withUnsafeBytes { bytes in
      for y in 0..<image.size.height {
        UnsafeMutableRawBufferPointer(start: memory + y * stride, count: row)
          .copyBytes(from: bytes[y * image.bytesPerRow..<y * image.bytesPerRow + row])
      }
    }
    self.image = Self.image(image, memory, stride)
  }

  deinit { memory.deallocate() }

  private static func image(
    _ image: Image, _ memory: UnsafeMutableRawPointer, _ stride: Int
  ) -> fg_image {
    var made = fg_image()
    made.struct_size = MemoryLayout<fg_image>.stride
    made.data = memory
    made.width = Int64(image.size.width)
    made.height = Int64(image.size.height)
    made.stride = Int64(stride)
    made.format = Int32((PixelFormat.all.firstIndex(of: image.format) ?? -2) + 1)
    made.alpha = image.alpha == .premultiplied ? 1 : image.alpha == .opaque ? 2 : 0
    made.transfer = image.transfer == .linear ? 1 : 0
    return made
  }

  /// The bytes of all pixels, without gaps.
  var pixels: [UInt8] {
    let row = Int(image.width) * bytesPerPixel
    return (0..<Int(image.height)).flatMap { y in
      Array(UnsafeRawBufferPointer(start: memory + y * Int(image.stride), count: row))
    }
  }

  /// Bytes between rows that are not what they were.
  var changedGaps: Int {
    let row = Int(image.width) * bytesPerPixel
    return (0..<Int(image.height)).reduce(0) { sum, y in
      let gap = UnsafeRawBufferPointer(
        start: memory + y * Int(image.stride) + row, count: Int(image.stride) - row)
      return sum + gap.count { $0 != 0xA5 }
    }
  }

  /// Channels and samples; those with blue first are counted after the others.
  var format: PixelFormat {
    let index = Int(image.format) - 1
    return PixelFormat.all[index < PixelFormat.all.count ? index : index - 6]
  }

  private var bytesPerPixel: Int { format.bytesPerPixel }

  /// Replaces all pixels with others, which have no gaps.
  func fill(_ pixels: UnsafeRawBufferPointer) {
    let row = Int(image.width) * bytesPerPixel
    for y in 0..<Int(image.height) {
      UnsafeMutableRawBufferPointer(start: memory + y * Int(image.stride), count: row)
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: pixels[y * row..<(y + 1) * row]))
    }
  }
}

/// An engine and plans as a caller has them.
final class Caller {
  let engine: OpaquePointer

  init(threads: Int64 = 2, memory: Int64 = 0) throws {
    var options = fg_engine_options()
    options.struct_size = MemoryLayout<fg_engine_options>.stride
    options.threads = threads
    options.memory_limit = memory
    var made: OpaquePointer?
    let answer = Answer.of { fg_engine_create(&options, &made, $0, $1) }
    guard let made else { throw Refused(answer: answer) }
    engine = made
  }

  deinit { fg_engine_free(engine) }

  /// Makes a plan for images like this one.
  ///
  /// - Parameter change: of the options.
  func plan(
    _ filters: [String], _ like: fg_image, _ change: (inout fg_plan_options) -> Void = { _ in }
  ) throws -> OpaquePointer {
    var plan: OpaquePointer?
    let answer = planning(filters, like, &plan, change)
    guard let plan else { throw Refused(answer: answer) }
    return plan
  }

  /// Makes a plan and returns the answer.
  func planning(
    _ filters: [String], _ like: fg_image, _ plan: inout OpaquePointer?,
    _ change: (inout fg_plan_options) -> Void = { _ in }
  ) -> Answer {
    let texts = filters.map { strdupped($0) }
    defer { texts.forEach { $0.deallocate() } }
    let pointers = texts.map { UnsafePointer($0) as UnsafePointer<CChar>? }
    return withUnsafePointer(to: like) { like in
      var options = fg_plan_options()
      options.struct_size = MemoryLayout<fg_plan_options>.stride
      options.input = like
      change(&options)
      return Answer.of { fg_plan_create(engine, pointers, pointers.count, &options, &plan, $0, $1) }
    }
  }

  /// An error of the library.
  struct Refused: Error { let answer: Answer }
}

/// A text with a zero at its end.
func strdupped(_ text: String) -> UnsafeMutablePointer<CChar> {
  let bytes = Array(text.utf8CString)
  let start = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
  start.initialize(from: bytes, count: bytes.count)
  return start
}
