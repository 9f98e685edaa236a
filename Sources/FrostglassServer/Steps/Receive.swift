internal import Synchronization

/// Refuses bodies that are too long by what they say, before any of it was read.
package struct Receive: HeadStep {
  private let mostBytes: Int

  package init(mostBytes: Int) { self.mostBytes = mostBytes }

  package func run(_ context: inout RequestContext) throws(Problem) {
    let head = context.head
    if let expectation = head["expect"], expectation.lowercased() != "100-continue" {
      throw Problem(417, "expectation-failed", "the only expectation that is met is 100-continue")
    }
    guard let length = head.contentLength else { return }
    guard length <= mostBytes else { throw Self.tooLong(mostBytes) }
  }

  static func tooLong(_ mostBytes: Int) -> Problem {
    Problem(
      413, "body-too-long", "the body is longer than the \(mostBytes) bytes that are taken",
      closes: true)
  }
}

/// A body, put together as it comes.
package final class BodyCollector: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var problem: Problem?
  }

  private let mostBytes: Int
  private let expected: Int?
  private let room: AdmissionQueue.Room
  private let state: Mutex<State>

  /// - Parameter expected: bytes that are announced; `nil` where nothing is.
  package init(mostBytes: Int, expected: Int?, room: AdmissionQueue.Room) {
    self.mostBytes = mostBytes
    self.expected = expected
    self.room = room
    state = Mutex(State())
  }

  /// Takes a part; `false` where it is thrown away.
  package func add(_ part: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      guard state.problem == nil else { return false }
      if state.bytes.count + part.count > mostBytes {
        state.problem = Receive.tooLong(mostBytes)
      } else if !room.grow(by: part.count) {
        state.problem = AdmissionQueue.noRoom
        state.problem?.closes = true
      }
      guard state.problem == nil else {
        state.bytes = []
        return false
      }
      let count = state.bytes.count + part.count
      if let expected, count > state.bytes.capacity {
        // Twice the received bytes, not Content-Length, which costs the client nothing.
        state.bytes.reserveCapacity(max(count, min(expected, 2 * count)))
      }
      state.bytes.append(contentsOf: part)
      return true
    }
  }

  /// The whole body, once.
  ///
  /// - Throws: `Problem` where it was too long.
  package func take() throws(Problem) -> [UInt8] {
    let result = state.withLock { state -> Result<[UInt8], Problem> in
      if let problem = state.problem { return .failure(problem) }
      defer { state.bytes = [] }
      return .success(state.bytes)
    }
    return try result.get()
  }
}

/// Takes files and fields out of a body.
package struct ReadBody: BodyStep {
  private let isSigned: Bool

  /// - Parameter isSigned: true if addresses must be signed. They then hold all fields, as a form's field would
  ///   bypass the signature.
  package init(isSigned: Bool = false) { self.isSigned = isSigned }

  package func run(_ context: inout RequestContext) throws(Problem) {
    guard case .work(let operation) = context.route else { return }
    var order = WorkOrder(operation.rawValue)
    let body = context.body
    context.body = []
    let type = context.head["content-type"] ?? ""
    if let boundary = MultipartForm.boundary(of: type) {
      var parts = try MultipartForm(body, boundary: boundary).parts
      Self.findImage(in: &parts, operation)
      for part in parts {
        if part.fileName != nil || operation.parts.contains(part.name) {
          try add(part, operation, &order)
        } else {
          guard !isSigned else {
            throw .badRequest(
              "\(part.name.prefix(64)) is a field of the form, which no signature covers; put it "
                + "into the address before that is signed")
          }
          guard let value = String(validating: part.content, as: UTF8.self), !value.contains("\0")
          else {
            throw .badRequest("a field of the form must be UTF-8 text without zero bytes")
          }
          context.fields.append(Field(part.name, value))
        }
      }
      guard context.fields.count <= QueryText.mostFields else {
        throw .badRequest("there are more than \(QueryText.mostFields) fields")
      }
    } else if type.lowercased().hasPrefix("multipart/form-data") {
      throw .badRequest("the form has no boundary")
    } else {
      order.parts[operation.mainPart] = body
    }
    guard let main = order.parts[operation.mainPart], !main.isEmpty else {
      throw .badRequest(
        "there is no \(operation.mainPart): send it as the body, or as the part "
          + "\(operation.mainPart) of a form")
    }
    context.order = order
  }

  /// Takes the only file of a form for the image, whatever its part is called.
  private static func findImage(in parts: inout [MultipartForm.Part], _ operation: Operation) {
    let files = parts.indices.filter { parts[$0].fileName != nil && !parts[$0].content.isEmpty }
    guard operation != .scene, files.count == 1, let only = files.first,
      !operation.parts.contains(parts[only].name),
      !parts.contains(where: { $0.name == operation.mainPart })
    else { return }
    parts[only].name = operation.mainPart
  }

  private func add(
    _ part: MultipartForm.Part, _ operation: Operation, _ order: inout WorkOrder
  ) throws(Problem) {
    // Forms of browsers send a part for a file that was not chosen.
    if part.content.isEmpty, part.fileName == "" { return }
    guard operation.parts.contains(part.name) || operation == .scene else {
      throw .badRequest(
        "\(operation.rawValue) takes no file \(part.name); it takes "
          + operation.parts.joined(separator: ", "))
    }
    guard order.parts.updateValue(Array(part.content), forKey: part.name) == nil else {
      throw .badRequest("there are two parts \(part.name)")
    }
  }
}
