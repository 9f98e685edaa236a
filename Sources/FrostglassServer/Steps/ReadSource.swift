internal import Frostglass
internal import FrostglassCore
internal import FrostglassStills

/// Finds out which image of an origin an address names, and what is done with it.
package struct FindSource: BodyStep {
  private let sources: Sources
  /// The operations on images of origins.
  static let operations: [Operation] = [.blur, .redact, .fill, .placeholder]

  package init(_ sources: Sources) { self.sources = sources }

  package func run(_ context: inout RequestContext) throws(Problem) {
    switch context.route {
    case .picture(let path): context.source = try sources.source(Origin.pictures, path)
    case .images:
      guard let text = try take("src", from: &context) else {
        throw .badRequest("src is missing; write src=NAME/PATH")
      }
      let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[1].isEmpty else {
        throw .badRequest("src is \(text.prefix(64)); it must be NAME/PATH")
      }
      context.source = try sources.source(String(parts[0]), String(parts[1]))
    default: return
    }
    var operation = Operation.blur
    if let name = try take("operation", from: &context) {
      guard let known = Self.operations.first(where: { $0.rawValue == name }) else {
        throw .badRequest(
          "operation must be one of \(Self.operations.map(\.rawValue).joined(separator: ", "))")
      }
      operation = known
    }
    context.order = WorkOrder(operation.rawValue)
  }

  private func take(_ name: String, from context: inout RequestContext) throws(Problem) -> String? {
    let values = context.fields.filter { $0.name == name }
    guard values.count < 2 else { throw .badRequest("\(name) is given twice") }
    context.fields.removeAll { $0.name == name }
    return values.first?.value
  }
}

/// Answers clients that have the result already, and reads the image for others.
///
/// A place among the workers is taken only once the image is there, so a slow server delays no other request.
package struct ReadSource: BodyStep {
  private let sources: Sources
  private let gate: AdmissionQueue
  private let lengths: AnswerLengths
  private let cacheSeconds: Int
  private let threads = ThreadPool()

  /// - Parameters:
  ///   - gate: the budget for bodies in memory, which images count toward.
  ///   - lengths: the lengths of earlier answers.
  ///   - cacheSeconds: the time for which a result is fresh.
  init(_ sources: Sources, _ gate: AdmissionQueue, _ lengths: AnswerLengths, cacheSeconds: Int) {
    self.sources = sources
    self.gate = gate
    self.lengths = lengths
    self.cacheSeconds = cacheSeconds
  }

  package func run(_ context: inout RequestContext) async throws(Problem) {
    guard let source = context.source, var order = context.order else { return }
    let client = context.head.client
    guard !gate.isFull(for: client) else { throw AdmissionQueue.full }
    let file = try await sources.file(source, for: client, gate)
    let tag = "\"" + Self.digest(file, source, order) + "\""
    context.cacheFields.append(Field("ETag", tag))
    if let modified = file.modified {
      context.cacheFields.append(Field("Last-Modified", HTTPDate.text(modified)))
    }
    context.cacheSeconds = min(file.freshSeconds ?? cacheSeconds, cacheSeconds)
    if Self.isCurrent(context.head, tag, file.modified) {
      context.response = Response(304, context.cacheFields)
      return
    }
    let isMade = lengths[tag] != nil
    if context.head.method == "HEAD", isMade {
      context.response = Self.head(of: context, order)
      return
    }
    guard !gate.isFull(for: client) else { throw AdmissionQueue.full }
    if let room = file.room {
      context.room = room
    } else {
      let room = AdmissionQueue.Room(gate)
      guard room.grow(by: file.size) else { throw AdmissionQueue.noRoom }
      context.room = room
    }
    let bytes = await threads.run { () -> [UInt8]? in file.contents() }
    guard let bytes, !bytes.isEmpty else { throw source.missing }
    order.parts["picture"] = bytes
    context.order = order
    if context.head.method == "HEAD" {
      try FormatCheck().run(&context)
      // Only a completed GET shows that it succeeds; until then HEAD must not be cached.
      context.cacheSeconds = nil
      context.response = Self.head(of: context, order)
    }
  }

  /// The answer to HEAD; its length, which may be left out, would take the work.
  private static func head(of context: RequestContext, _ order: WorkOrder) -> Response {
    let format = order.fields.last { $0.name == "format" }.flatMap {
      StillFormat(fileExtension: $0.value)
    }
    let type = format.map { [Field("Content-Type", $0.mediaType)] } ?? []
    var response = Response(200, type + context.cacheFields)
    response.hasLength = false
    return response
  }

  /// Another one for another image, other fields, and another version of this program.
  private static func digest(
    _ file: SourceFile, _ source: Source, _ order: WorkOrder
  ) -> String {
    var text = "\(Version.current)\n\(source.origin.name)\n\(source.path)\n"
    text += "\(file.version)\n\(order.operation)\n"
    for field in order.fields { text += "\(field.name.utf8.count)\(field.name)=\(field.value)\n" }
    return String(FileDigest.sha256(of: Array(text.utf8)).prefix(32))
  }

  /// RFC 9110 section 13.2.2: the time counts only where there is no tag.
  static func isCurrent(_ head: RequestHead, _ tag: String, _ modified: Int?) -> Bool {
    let tags = head.all("if-none-match")
    guard tags.isEmpty else {
      return tags.flatMap { $0.split(separator: ",") }.contains { part in
        let given = part.filter { !$0.isWhitespace }
        return given == "*" || given == tag || given == "W/" + tag
      }
    }
    guard let modified, let text = head["if-modified-since"], let time = HTTPDate.seconds(text)
    else { return false }
    return modified <= time
  }
}
