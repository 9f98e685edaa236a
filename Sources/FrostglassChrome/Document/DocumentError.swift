public import FrostglassCore

/// Why a scene document cannot be used, and where.
public struct DocumentError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Where in the text.
  public var place: TextPlace
  /// Where in the document, such as `layers[0].items[2].frame`; empty for the document itself.
  public var path: String
  /// What is wrong, and what would be accepted.
  public var reason: String

  init(_ place: TextPlace, _ path: String, _ reason: String) {
    self.place = place
    self.path = path
    self.reason = reason
  }

  /// `12:7: layers[0].items[2].frame: …`.
  public var description: String { "\(place): " + (path.isEmpty ? "" : "\(path): ") + reason }
}
