/// A name with its value, of a query, a form or a response's head.
package struct Field: Sendable, Hashable, Codable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// What one piece of work may take.
package struct WorkLimits: Sendable, Hashable, Codable {
  /// Pixels of an input, those of all its frames together.
  package var maxPixels: Int
  /// Frames of an input that are decoded; of more, only the first is taken.
  package var maxFrames: Int
  /// Bytes of memory.
  package var maxMemory: Int
  /// Seconds until it has to be done, from when it is handed over.
  package var seconds: Double

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
  /// What is to be done: `blur`, `redact`, `fill`, `placeholder`, `scene` or `plan`.
  package var operation: String
  /// How, in the order in which it was asked; checked for count and length, not for sense.
  package var fields: [Field]
  package var limits: WorkLimits
  /// Files by what they are: `picture`, `mask`, …. Not part of the coded form: they travel beside it.
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

/// What came of a piece of work.
package struct WorkAnswer: Sendable, Codable {
  /// The HTTP status.
  package var status: Int
  package var contentType: String
  /// Further fields of the response's head and facts for the record: backend, certified error, times.
  package var fields: [Field]
  /// The body; a problem document where the status is 400 or more. Not part of the coded form.
  package var body: [UInt8]
  /// What the work has left taken on GPUs, in bytes; `nil` where none was used. For metrics alone.
  package var gpuBytes: Int?

  package init(status: Int, contentType: String, fields: [Field] = [], body: [UInt8]) {
    self.status = status
    self.contentType = contentType
    self.fields = fields
    self.body = body
  }

  private enum CodingKeys: String, CodingKey { case status, contentType, fields, gpuBytes }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    status = try values.decode(Int.self, forKey: .status)
    contentType = try values.decode(String.self, forKey: .contentType)
    fields = try values.decode([Field].self, forKey: .fields)
    gpuBytes = try values.decodeIfPresent(Int.self, forKey: .gpuBytes)
    body = []
  }
}

/// Who does the work of requests: this process, or processes that can do nothing else.
package protocol Worker: Sendable {
  /// Does one piece of work. Where the task is cancelled the work stops, and its answer is for nobody.
  func perform(_ order: WorkOrder) async -> WorkAnswer

  /// What it has to say in `/metrics`; must not wait.
  var metrics: [MetricFamily] { get }
}

extension Worker {
  package var metrics: [MetricFamily] { [] }
}
