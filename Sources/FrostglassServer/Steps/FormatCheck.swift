internal import Frostglass

/// Refuses what is no image of a listed format by how it begins, whatever it is said to be; nothing
/// else looks at it before.
package struct FormatCheck: BodyStep {
  package init() {}

  package func run(_ context: inout RequestContext) throws(Problem) {
    guard let order = context.order else { return }
    for (name, bytes) in order.parts.sorted(by: { $0.key < $1.key })
    where !Self.texts.contains(name) {
      guard StillFormat(signature: bytes) != nil else {
        throw Problem(
          415, "not-a-picture",
          "the \(order.operation == "scene" ? "part \(name)" : name) is not a "
            + "\(StillFormat.names("or")) file",
          headers: [Field("Accept", Self.accepted)])
      }
    }
  }

  /// Parts that are texts, which are read by our own readers.
  private static let texts: Set = ["regions", "scene", "preset"]
  private static let accepted = StillFormat.allCases.map(\.mediaType).joined(separator: ", ")
}
