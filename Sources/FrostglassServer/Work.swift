internal import FoundationEssentials
internal import FrostglassConfinement

/// A name with its value, of a query, a form or a response's head.
package struct Field: Sendable, Hashable, Codable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// The limits of one piece of work.
package struct WorkLimits: Sendable, Hashable, Codable {
  /// Pixels of an input, those of all its frames together.
  package var maxPixels: Int
  /// Frames of an input that are decoded; of more, only the first is taken.
  package var maxFrames: Int
  /// Bytes of memory.
  package var maxMemory: Int
  /// Seconds until it has to be done, from when it is handed over.
  package var seconds: Double
  /// Seconds of a core that it may take, as far as that can be told beforehand; `nil` for no limit.
  package var maxWork: Double?
  /// Seconds of a core beyond which it is put off, see `WorkAnswer.putOff`; `nil` for never.
  package var lightWork: Double?
  /// Regions that a request may have.
  package var maxRegions = 10_000
  /// Filters that a request may name, one after another.
  package var maxFilters = 32
  /// Names of those that it may name; `nil` for all.
  package var filters: [String]?
  /// Names of those that it may not; `nil` for none.
  package var refusedFilters: [String]?
  /// Extensions of the formats that are written; `nil` for all.
  package var formats: [String]?
  /// True where faces are found for who asks.
  package var finds = false

  package init(
    maxPixels: Int = 50_000_000, maxFrames: Int = 1, maxMemory: Int = 1 << 30, seconds: Double = 10
  ) {
    self.maxPixels = maxPixels
    self.maxFrames = maxFrames
    self.maxMemory = maxMemory
    self.seconds = seconds
  }
}

/// One piece of work for a worker: an operation on files in memory.
package struct WorkOrder: Sendable, Codable {
  /// The operation: `blur`, `redact`, `fill`, `placeholder`, `scene`, `plan` or `find`.
  package var operation: String
  /// The operation's fields, in the order of the request. Their count and lengths are checked, their values are not.
  package var fields: [Field]
  package var limits: WorkLimits
  /// Files by what they are: `picture`, `mask`, …. Not part of the coded form: they are sent separately.
  package var parts: [String: [UInt8]]

  package init(
    _ operation: String, fields: [Field] = [], limits: WorkLimits = WorkLimits(),
    parts: [String: [UInt8]] = [:]
  ) {
    self.operation = operation
    self.fields = fields
    self.limits = limits
    self.parts = parts
  }

  private enum CodingKeys: String, CodingKey { case operation, fields, limits }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    operation = try values.decode(String.self, forKey: .operation)
    fields = try values.decode([Field].self, forKey: .fields)
    limits = try values.decode(WorkLimits.self, forKey: .limits)
    parts = [:]
  }
}

/// The result of a piece of work.
package struct WorkAnswer: Sendable, Codable {
  /// The HTTP status.
  package var status: Int
  package var contentType: String
  /// Further fields of the response's head and facts for the record: backend, certified error, times.
  package var fields: [Field]
  /// The body; a problem document where the status is 400 or more. Not part of the coded form.
  package var body: [UInt8]
  /// The GPU memory still in use after the work, in bytes; `nil` if no GPU was used. For metrics only.
  package var gpuBytes: Int?
  /// Seconds of a core that the work would take; it was not begun, as that is more than `lightWork`. `nil` where
  /// it was done or refused.
  package var putOff: Double?

  package init(status: Int, contentType: String, fields: [Field] = [], body: [UInt8]) {
    self.status = status
    self.contentType = contentType
    self.fields = fields
    self.body = body
  }

  private enum CodingKeys: String, CodingKey { case status, contentType, fields, gpuBytes, putOff }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    status = try values.decode(Int.self, forKey: .status)
    contentType = try values.decode(String.self, forKey: .contentType)
    fields = try values.decode([Field].self, forKey: .fields)
    gpuBytes = try values.decodeIfPresent(Int.self, forKey: .gpuBytes)
    putOff = try values.decodeIfPresent(Double.self, forKey: .putOff)
    body = []
  }
}

/// A worker for requests: this process, or sandboxed child processes.
package protocol Worker: Sendable {
  /// Does one piece of work. If the task is cancelled, the work stops, and its answer is not used.
  func perform(_ order: WorkOrder) async -> WorkAnswer

  /// The worker's metrics; must not wait.
  var metrics: [MetricFamily] { get }

  /// The number of scenes that it draws at once in addition to other work; 0 if scenes count as other work.
  var scenesAtOnce: Int { get }
}

extension Worker {
  package var scenesAtOnce: Int { 0 }
  package var metrics: [MetricFamily] { [] }
}

/// The wire's form of orders: the head is JSON, and files are separate parts.
extension WorkOrder {
  private struct Head: Codable {
    var order: WorkOrder
    /// The names of the frame's parts, in order.
    var parts: [String]
  }

  /// The limits of orders. A child trusts its parent, so only memory limits their bytes.
  static let limits = FrameLimits(head: 16 << 20, parts: MultipartForm.mostParts, bytes: .max)

  /// The order as a frame.
  func frame() throws -> Message {
    let names = parts.keys.sorted()
    let head = try JSONEncoder().encode(Head(order: self, parts: names))
    return Message(head: [UInt8](head), parts: names.map { parts[$0] ?? [] })
  }

  /// - Throws: `DecodingError` where the head is something else.
  init(_ frame: Message) throws {
    let head = try JSONDecoder().decode(Head.self, from: Data(frame.head))
    self = head.order
    parts = Dictionary(zip(head.parts, frame.parts)) { $1 }
  }
}

/// The wire's form of answers.
extension WorkAnswer {
  /// The answer as a frame.
  func frame() throws -> Message {
    Message(head: [UInt8](try JSONEncoder().encode(self)), parts: [body])
  }

  /// Decodes an answer from a frame, which is not trusted: see `AnswerCheck`.
  ///
  /// - Throws: `DecodingError` for any other head.
  init(_ frame: Message) throws {
    self = try JSONDecoder().decode(WorkAnswer.self, from: Data(frame.head))
    body = frame.parts.first ?? []
  }
}

/// The first message of a child, sent once it is sandboxed and accepts orders.
struct WorkerHello: Sendable, Codable {
  /// The walls around it.
  var walls: Sandbox
  /// Why it takes no orders, and ends; `nil` where it does.
  var trouble: String?

  static let limits = FrameLimits(head: 64 << 10, parts: 0, bytes: 0)

  func frame() throws -> Message { Message(head: [UInt8](try JSONEncoder().encode(self))) }

  init(walls: Sandbox, trouble: String? = nil) {
    self.walls = walls
    self.trouble = trouble
  }

  init(_ frame: Message) throws {
    self = try JSONDecoder().decode(WorkerHello.self, from: Data(frame.head))
  }
}
