package import CFrostglass
package import FrostglassCore
internal import Glibc

/// The reason why a call failed: a status and a readable sentence.
package struct Failure: Error {
  package let status: fg_status
  package let message: String

  /// - Parameter status: one of the header's constants.
  package init(_ status: Int, _ message: String) {
    self.status = fg_status(status)
    self.message = message
  }
}

/// An error of the engine that has a status of its own in the header.
package protocol ErrorWithStatus: Error {
  /// One of the header's constants.
  var status: Int { get }
}

extension BackendError: ErrorWithStatus {
  package var status: Int {
    switch self {
    case .inputMismatch: FG_BAD_IMAGE
    case .cancelled, .deadlineExceeded: FG_CANCELLED
    case .unavailable, .broken: FG_UNAVAILABLE
    default: FG_FAILED
    }
  }
}

extension PlanError: ErrorWithStatus {
  package var status: Int {
    switch self {
    case .badValue, .regionOutside, .doubtful: FG_BAD_VALUE
    case .tooLarge: FG_TOO_LARGE
    case .malformed: FG_FAILED
    }
  }
}

extension FilterTextError: ErrorWithStatus {
  package var status: Int { FG_BAD_TEXT }
}

extension RegionTextError: ErrorWithStatus {
  package var status: Int { FG_BAD_TEXT }
}

extension ImageError: ErrorWithStatus {
  package var status: Int { FG_BAD_IMAGE }
}

/// A caller's buffer for a text.
package struct TextRoom {
  let start: UnsafeMutablePointer<CChar>?
  let size: Int

  /// - Parameter size: bytes, with the zero at the end.
  package init(_ start: UnsafeMutablePointer<CChar>?, _ size: Int) {
    self.start = start
    self.size = size
  }

  /// Writes as many whole characters of a text as fit, and a zero.
  package func write(_ text: String) {
    guard let start, size > 0 else { return }
    var text = text
    text.withUTF8 { bytes in
      var count = min(bytes.count, size - 1)
      // The first byte left out must not continue a character.
      while count > 0, count < bytes.count, bytes[count] & 0xC0 == 0x80 { count -= 1 }
      UnsafeMutableRawBufferPointer(start: start, count: count)
        .copyMemory(from: UnsafeRawBufferPointer(start: bytes.baseAddress, count: count))
      start[count] = 0
    }
  }

  /// Writes a whole text, and the number of bytes it takes.
  ///
  /// - Throws: a failure where it does not fit, unless there is no room at all: then only its length is
  ///   wanted.
  func write(_ text: String, _ needed: UnsafeMutablePointer<Int>?) throws {
    let count = text.utf8.count + 1
    needed?.pointee = count
    if start == nil && size == 0 { return }
    guard start != nil else { throw Failure(FG_BAD_ARGUMENT, "the buffer for the text is null") }
    write(text)
    guard count <= size else {
      throw Failure(
        FG_BUFFER_TOO_SMALL, "the text takes \(count) bytes, the buffer has \(size)")
    }
  }
}

/// Runs the body of a call, and converts its errors to a status and a message.
package func answering(
  _ error: UnsafeMutablePointer<CChar>?, _ size: Int, _ body: () throws -> Void
) -> fg_status {
  let room = TextRoom(error, size)
  do {
    try body()
    room.write("")
    return fg_status(FG_OK)
  } catch let failure as Failure {
    room.write(failure.message)
    return failure.status
  } catch {
    room.write("\(error)")
    return fg_status((error as? any ErrorWithStatus)?.status ?? FG_FAILED)
  }
}

/// Copies a caller's structure after checking its address and size.
///
/// - Parameter name: the name of the structure's type.
package func structure<Structure>(
  _ pointer: UnsafePointer<Structure>?, _ name: String
) throws -> Structure {
  guard let pointer else { throw Failure(FG_BAD_ARGUMENT, "the \(name) is null") }
  guard UInt(bitPattern: pointer) % UInt(MemoryLayout<Structure>.alignment) == 0 else {
    throw Failure(FG_BAD_ARGUMENT, "the \(name) is not aligned")
  }
  let size = UnsafeRawPointer(pointer).load(as: UInt.self)
  guard size == MemoryLayout<Structure>.stride else {
    throw Failure(
      FG_BAD_ARGUMENT,
      "struct_size of the \(name) is \(size); it has \(MemoryLayout<Structure>.stride) bytes here")
  }
  return pointer.pointee
}

/// The largest length of a text, in bytes.
private let longestText = 65536

/// Returns a caller's text.
///
/// - Parameter name: the text's name in messages.
package func text(_ start: UnsafePointer<CChar>, _ name: String) throws -> String {
  guard strnlen(start, longestText + 1) <= longestText else {
    throw Failure(FG_BAD_TEXT, "\(name): the text has more than \(longestText) bytes")
  }
  guard let text = String(validatingCString: start) else {
    throw Failure(FG_BAD_TEXT, "\(name): the text is not UTF-8")
  }
  return text
}

/// Returns one of the values that the header numbers from 0 on.
///
/// - Parameter name: the name of the structure's member.
package func choice<Value>(
  _ number: Int32, _ name: String, of values: [Value]
) throws -> Value {
  guard values.indices.contains(Int(number)) else {
    throw Failure(
      FG_BAD_ARGUMENT, "\(name) is \(number); it must be from 0 to \(values.count - 1)")
  }
  return values[Int(number)]
}
