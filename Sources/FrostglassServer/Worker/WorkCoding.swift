internal import FoundationEssentials
internal import FrostglassConfinement

/// The wire's form of orders: the head is JSON, and files travel beside it.
extension WorkOrder {
  private struct Head: Codable {
    var order: WorkOrder
    /// What the frame's parts are, in their order.
    var parts: [String]
  }

  /// What a child takes from its parent, whom it trusts: as much as memory allows.
  static let limits = FrameLimits(head: 16 << 20, parts: MultipartForm.mostParts, bytes: .max)

  /// The order as a frame.
  func frame() throws -> Frame {
    let names = parts.keys.sorted()
    let head = try JSONEncoder().encode(Head(order: self, parts: names))
    return Frame(head: [UInt8](head), parts: names.map { parts[$0] ?? [] })
  }

  /// - Throws: `DecodingError` where the head is something else.
  init(_ frame: Frame) throws {
    let head = try JSONDecoder().decode(Head.self, from: Data(frame.head))
    self = head.order
    parts = Dictionary(zip(head.parts, frame.parts)) { $1 }
  }
}

/// The wire's form of answers.
extension WorkAnswer {
  /// The answer as a frame.
  func frame() throws -> Frame {
    Frame(head: [UInt8](try JSONEncoder().encode(self)), parts: [body])
  }

  /// What a frame says, which may be anything: see `AnswerCheck`.
  ///
  /// - Throws: `DecodingError` where the head is something else.
  init(_ frame: Frame) throws {
    self = try JSONDecoder().decode(WorkAnswer.self, from: Data(frame.head))
    body = frame.parts.first ?? []
  }
}

/// What a child says once it is confined and takes orders.
struct WorkerHello: Sendable, Codable {
  /// The walls around it.
  var walls: Walls
  /// Why it takes no orders, and ends; `nil` where it does.
  var trouble: String?

  static let limits = FrameLimits(head: 64 << 10, parts: 0, bytes: 0)

  func frame() throws -> Frame { Frame(head: [UInt8](try JSONEncoder().encode(self))) }

  init(walls: Walls, trouble: String? = nil) {
    self.walls = walls
    self.trouble = trouble
  }

  init(_ frame: Frame) throws {
    self = try JSONDecoder().decode(WorkerHello.self, from: Data(frame.head))
  }
}
