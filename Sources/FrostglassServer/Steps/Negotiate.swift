package import Frostglass

/// Chooses the format of a picture where none is asked for: one that `Accept` names.
package struct Negotiate: BodyStep {
  /// In this order where several are equally welcome.
  private let preferred: [StillFormat]

  /// - Parameter preferred: formats that a browser may get without asking by name of a field.
  package init(preferred: [StillFormat] = [.webp, .avif, .jpeg, .png, .jxl]) {
    self.preferred = preferred
  }

  package func run(_ inquiry: inout Inquiry) throws(Problem) {
    guard var order = inquiry.order, Operation(rawValue: order.operation)?.givesPicture == true,
      !order.fields.contains(where: { $0.name == "format" })
    else { return }
    inquiry.cacheFields.append(Field("Vary", "Accept"))
    guard let accept = inquiry.head["accept"] else { return }
    let ranges = AcceptedRange.list(accept)
    let named = preferred.compactMap { format in
      ranges.first { $0.type == format.mediaType && $0.quality > 0 }.map { (format, $0.quality) }
    }
    // The first of the best: `max` would take the last.
    if let best = named.map(\.1).max(), let choice = named.first(where: { $0.1 == best })?.0 {
      order.fields.append(Field("format", choice.fileExtension))
      inquiry.order = order
      return
    }
    guard ranges.contains(where: { ["*/*", "image/*"].contains($0.type) && $0.quality > 0 }) else {
      throw Problem(
        406, "not-acceptable",
        "none of the types in Accept is written here; there are "
          + StillFormat.allCases.map(\.mediaType).joined(separator: ", "))
    }
  }
}

/// One range of an `Accept` field.
package struct AcceptedRange: Sendable, Hashable {
  /// In lower case: `image/webp`, `image/*`.
  package let type: String
  /// 0…1; 0 is not acceptable.
  package let quality: Double

  /// Reads the value of an `Accept` field; what makes no sense is left out.
  package static func list(_ text: String) -> [AcceptedRange] {
    text.split(separator: ",").prefix(64).compactMap { part in
      let fields = part.split(separator: ";").map { field in
        field.filter { !$0.isWhitespace }.lowercased()
      }
      guard let type = fields.first, type.contains("/") else { return nil }
      let weight = fields.dropFirst().first { $0.hasPrefix("q=") }
      guard let weight else { return AcceptedRange(type: type, quality: 1) }
      guard let quality = Double(weight.dropFirst(2)), (0...1).contains(quality) else { return nil }
      return AcceptedRange(type: type, quality: quality)
    }
  }
}
