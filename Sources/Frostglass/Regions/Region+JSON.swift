extension Region {
  /// Reads regions from JSON: an array of them, or an object with `regions`.
  static func list(json text: String) throws(RegionsError) -> [Region] {
    let document: JSONValue
    do throws(JSONError) { document = try JSONValue(text: text) } catch {
      throw .malformed(path: "", place: error.place, reason: error.reason)
    }
    return try RegionsDocument(document).regions
  }
}

/// Regions in JSON, as detectors write them.
private struct RegionsDocument {
  private static let keys = ["regions", "annotations", "normalized"]
  /// What else may stand beside the regions; it says nothing about them.
  private static let others = [
    "image", "images", "width", "height", "size", "version", "info", "licenses", "categories",
  ]

  private(set) var regions: [Region] = []

  init(_ document: JSONValue) throws(RegionsError) {
    switch document.content {
    case .array(let list):
      for (index, value) in list.enumerated() {
        regions.append(
          try RegionObject(value, name: "[\(index)]", isNormalized: false).region())
      }
    case .object(let members): try read(members, at: document.place)
    default:
      throw .malformed(
        path: "", place: document.place,
        reason: "regions are an array, or an object with \"regions\", not \(document.kind)")
    }
  }

  private mutating func read(
    _ members: [JSONValue.Member], at place: TextPlace
  ) throws(RegionsError) {
    var isNormalized = false
    var found: JSONValue.Member?
    for member in members {
      switch member.name {
      case "normalized": isNormalized = try member.bool()
      case "regions", "annotations":
        if let found {
          throw .malformed(
            path: "", place: member.place,
            reason: "\(found.name) and \(member.name) exclude each other")
        }
        found = member
      case let name where Self.others.contains(name): continue
      default: throw member.unknown(in: "the document", known: Self.keys)
      }
    }
    guard let found else {
      throw .malformed(
        path: "", place: place,
        reason: "there is no \"regions\" in the object; add an array of them")
    }
    guard case .array(let list) = found.value.content else {
      throw .malformed(
        path: "", place: found.value.place,
        reason: "\(found.name) must be an array, not \(found.value.kind)")
    }
    for (index, value) in list.enumerated() {
      let name = "\(found.name)[\(index)]"
      regions.append(try RegionObject(value, name: name, isNormalized: isNormalized).region())
    }
  }
}

extension JSONValue.Member {
  func bool() throws(RegionsError) -> Bool {
    guard case .bool(let bool) = value.content else {
      throw .malformed(
        path: "", place: value.place, reason: "\(name) must be true or false, not \(value.kind)")
    }
    return bool
  }

  /// A name that means nothing here.
  func unknown(in what: String, known: [String]) -> RegionsError {
    .malformed(
      path: "", place: place,
      reason: "\(what) has a key that is not known, \"\(name)\""
        + DidYouMean.hint(for: name, in: known) + "; known are \(known.joined(separator: ", "))")
  }
}
