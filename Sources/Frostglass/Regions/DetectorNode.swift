internal import FrostglassCore

/// A corner of an outline, in pixels or as fractions.
struct DetectorVertex {
  var x: Double
  var y: Double
}

/// A value of a document with the way to it, for messages.
struct DetectorNode {
  var value: JSONValue
  var path: String

  /// A member that is there and not `null`.
  func member(_ name: String) -> DetectorNode? {
    value.member(name).map {
      DetectorNode(value: $0, path: path.isEmpty ? name : "\(path).\(name)")
    }
  }

  func required(_ name: String) throws(RegionsError) -> DetectorNode {
    guard let member = member(name) else { throw error("has no \(name)") }
    return member
  }

  /// Refuses a document with nothing that is read.
  func requireOne(of names: [String]) throws(RegionsError) {
    guard !names.contains(where: { member($0) != nil }) else { return }
    throw error("has none of \(names.joined(separator: ", "))")
  }

  func elements() throws(RegionsError) -> [DetectorNode] {
    guard case .array(let list) = value.content else {
      throw error("must be an array, not \(value.kind)")
    }
    return list.enumerated().map { DetectorNode(value: $1, path: "\(path)[\($0)]") }
  }

  /// The elements of a member; none where it is not there.
  func list(_ name: String) throws(RegionsError) -> [DetectorNode] {
    guard let member = member(name) else { return [] }
    return try member.elements()
  }

  /// The elements of a member's member.
  func list(_ name: String, _ inner: String) throws(RegionsError) -> [DetectorNode] {
    guard let member = member(name) else { return [] }
    return try member.list(inner)
  }

  func number() throws(RegionsError) -> Double {
    guard case .number(let number) = value.content else {
      throw error("must be a number, not \(value.kind)")
    }
    return number
  }

  /// Corners, of which a coordinate that is left out is 0, as protocol buffers write it.
  func vertices() throws(RegionsError) -> [DetectorVertex] {
    var vertices: [DetectorVertex] = []
    for node in try elements() {
      guard case .object = node.value.content else {
        throw node.error("must be an object with x and y, not \(node.value.kind)")
      }
      let (x, y) = (try node.member("x")?.number(), try node.member("y")?.number())
      vertices.append(DetectorVertex(x: x ?? 0, y: y ?? 0))
    }
    return vertices
  }

  /// The rectangle that four members describe.
  ///
  /// - Parameters:
  ///   - names: of left, top, and width and height, or right and bottom.
  ///   - hint: the remedy to suggest where fractions were read as pixels.
  func box(
    _ names: [String], isExtent: Bool = true, isNormalized: Bool = false, hint: String? = nil
  ) throws(RegionsError) -> MaskShape {
    var fields = fields(hint)
    let keys = isExtent ? ["x", "y", "width", "height"] : ["x1", "y1", "x2", "y2"]
    for (name, key) in zip(names, keys) {
      let node = try required(name)
      fields.values[key] = (
        try node.length(try node.number(), isNormalized), node.value.place
      )
    }
    return try fields.rectangle()
  }

  /// The upright rectangle around corners.
  func box(
    around vertices: [DetectorVertex], isNormalized: Bool = false, hint: String? = nil
  ) throws(RegionsError) -> MaskShape {
    guard vertices.count > 1 else {
      throw error("has \(vertices.count) corner\(vertices.count == 1 ? "" : "s"); they are too few")
    }
    let (xs, ys) = (vertices.map(\.x), vertices.map(\.y))
    var fields = fields(hint)
    for (key, value) in [("x1", xs.min()), ("y1", ys.min()), ("x2", xs.max()), ("y2", ys.max())] {
      fields.values[key] = (try length(value ?? 0, isNormalized), self.value.place)
    }
    return try fields.rectangle()
  }

  /// - Returns: `nil` for less than three corners.
  func polygon(
    _ vertices: [DetectorVertex], isNormalized: Bool = false
  ) throws(RegionsError) -> MaskShape? {
    guard vertices.count >= 3 else { return nil }
    var corners: [MaskShape.Corner] = []
    for vertex in vertices {
      corners.append(
        MaskShape.Corner(
          x: try length(vertex.x, isNormalized), y: try length(vertex.y, isNormalized)))
    }
    return .polygon(corners)
  }

  private func fields(_ hint: String?) -> RegionFields {
    var fields = RegionFields(place: value.place, name: words)
    fields.fractionHint = hint ?? "multiply them by its size"
    fields.isDetected = true
    return fields
  }

  private func length(_ number: Double, _ isNormalized: Bool) throws(RegionsError) -> Length {
    guard let length = Length(number: number, isNormalized: isNormalized) else {
      throw error("has \(number); fractions of the image are from 0 to 1")
    }
    return length
  }

  private var words: String { path.isEmpty ? "the document" : path }

  func error(_ reason: String) -> RegionsError {
    .malformed(path: "", place: value.place, reason: "\(words) \(reason)")
  }
}
