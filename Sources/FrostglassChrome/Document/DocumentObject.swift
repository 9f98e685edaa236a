internal import FrostglassCore

/// An object of a document. Every name that is asked for is known; what is never asked for is a
/// mistake, which `finish` finds.
struct DocumentObject {
  let path: String
  let place: TextPlace
  private let members: [JSONValue.Member]
  private var known: [String] = []

  init(_ members: [JSONValue.Member], path: String, place: TextPlace) {
    self.members = members
    self.path = path
    self.place = place
  }

  func error(_ reason: String) -> DocumentError { DocumentError(place, path, reason) }

  /// The value of a name; `nil` where it is not given, or null.
  mutating func value(_ name: String) -> DocumentValue? {
    if !known.contains(name) { known.append(name) }
    guard let member = members.first(where: { $0.name == name }), member.value.content != .null
    else { return nil }
    return DocumentValue(value: member.value, path: path.isEmpty ? name : "\(path).\(name)")
  }

  /// The value of a name that must be there.
  mutating func required(_ name: String) throws(DocumentError) -> DocumentValue {
    guard let value = value(name) else { throw error("has no \"\(name)\"") }
    return value
  }

  mutating func number(
    _ name: String, in range: ClosedRange<Double>, default fallback: Double
  ) throws(DocumentError) -> Double {
    try value(name)?.number(in: range) ?? fallback
  }

  mutating func bool(_ name: String, default fallback: Bool) throws(DocumentError) -> Bool {
    try value(name)?.bool() ?? fallback
  }

  mutating func array(_ name: String) throws(DocumentError) -> [DocumentValue] {
    try value(name)?.array() ?? []
  }

  /// Those of some names that are given; more than one is an error.
  mutating func one(of names: [String]) throws(DocumentError) -> (
    name: String, value: DocumentValue
  )? {
    var found: (name: String, value: DocumentValue)?
    for name in names {
      guard let value = value(name) else { continue }
      if let found { throw error("has \"\(found.name)\" and \"\(name)\"; one of them is too much") }
      found = (name, value)
    }
    return found
  }

  /// Fails for a name that nobody asked for.
  func finish() throws(DocumentError) {
    guard let stray = members.first(where: { !known.contains($0.name) }) else { return }
    throw DocumentError(
      stray.place, path,
      "there is no \"\(stray.name)\" here" + DidYouMean.hint(for: stray.name, in: known)
        + "; known are \(known.joined(separator: ", "))")
  }
}
