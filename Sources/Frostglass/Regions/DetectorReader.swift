internal import FrostglassCore

/// Reads what detectors and services write, each in its own format.
///
/// The box is covered; an outline, such as a segment, is kept in addition.
struct DetectorReader {
  private(set) var contents = RegionsContents()
  private let format: RegionsFormat
  /// The image of what is being read.
  private var picture: RegionsFile.ImageKey?

  /// - Throws: `RegionsError.malformed` where something is not as the format has it.
  init(_ document: JSONValue, as format: RegionsFormat) throws(RegionsError) {
    self.format = format
    let root = DetectorNode(value: document, path: "")
    switch format {
    case .ultralytics, .ultralyticsNormalized:
      for node in try root.elements() { try ultralytics(node) }
    case .rekognition: try rekognition(root)
    case .googleVision: try googleVision(root)
    case .azure: try azure(root)
    case .mediapipe: try mediapipe(root)
    case .retinaface: try retinaface(root)
    case .deepface:
      for node in try root.elements() {
        let isAnalyzed = node.member("facial_area") == nil && node.member("region") != nil
        let area = try node.required(isAnalyzed ? "region" : "facial_area")
        try add(
          node, area.box(["x", "y", "w", "h"]), label: "face",
          score: node.member("confidence") ?? node.member("face_confidence"))
      }
    case .json, .csv: break
    }
  }

  private mutating func add(
    _ node: DetectorNode, _ box: MaskShape, outline: MaskShape? = nil, label: String?,
    score: DetectorNode?,
    ofHundred: Bool = false
  ) throws(RegionsError) {
    var value = try score?.number()
    if ofHundred { value = value.map { $0 / 100 } }
    try RegionsFile.checkCount(contents.entries.count + 1, at: node.value.place)
    contents.entries.append(
      RegionsFile.Entry(
        region: Region(box, label: label?.isEmpty == true ? nil : label, score: value),
        outline: outline, picture: picture, place: node.value.place))
  }

  private mutating func ultralytics(_ node: DetectorNode) throws(RegionsError) {
    let isNormalized = format == .ultralyticsNormalized
    let box = try node.required("box")
    let hint = "--regions-format \(RegionsFormat.ultralyticsNormalized.rawValue) takes them"
    let (shape, outline): (MaskShape, MaskShape?)
    if box.member("x3") != nil {
      // A rotated box is its four corners.
      var corners: [DetectorVertex] = []
      for number in 1...4 {
        corners.append(
          DetectorVertex(
            x: try box.required("x\(number)").number(), y: try box.required("y\(number)").number()))
      }
      (shape, outline) = (
        try box.box(around: corners, isNormalized: isNormalized, hint: hint),
        try box.polygon(corners, isNormalized: isNormalized)
      )
    } else {
      shape = try box.box(
        ["x1", "y1", "x2", "y2"], isExtent: false, isNormalized: isNormalized, hint: hint)
      outline = try segment(node, isNormalized)
    }
    try add(
      node, shape, outline: outline, label: node.member("name")?.value.label,
      score: node.member("confidence"))
  }

  private func segment(_ node: DetectorNode, _ isNormalized: Bool) throws(RegionsError)
    -> MaskShape?
  {
    guard let segments = node.member("segments") else { return nil }
    let (xs, ys) = (
      try segments.required("x").elements(), try segments.required("y").elements()
    )
    guard xs.count == ys.count else {
      throw segments.error("has \(xs.count) x and \(ys.count) y; they must be as many")
    }
    var vertices: [DetectorVertex] = []
    for (x, y) in zip(xs, ys) {
      vertices.append(DetectorVertex(x: try x.number(), y: try y.number()))
    }
    return try segments.polygon(vertices, isNormalized: isNormalized)
  }

  private mutating func rekognition(_ root: DetectorNode) throws(RegionsError) {
    let names = ["Left", "Top", "Width", "Height"]
    try root.requireOne(of: ["FaceDetails", "Labels", "TextDetections"])
    for face in try root.list("FaceDetails") {
      try add(
        face, face.required("BoundingBox").box(names, isNormalized: true), label: "face",
        score: face.member("Confidence"), ofHundred: true)
    }
    // A label without instances is about the whole image, and has no place.
    for label in try root.list("Labels") {
      for instance in try label.list("Instances") {
        try add(
          instance, instance.required("BoundingBox").box(names, isNormalized: true),
          label: label.member("Name")?.value.label,
          score: instance.member("Confidence") ?? label.member("Confidence"), ofHundred: true)
      }
    }
    for text in try root.list("TextDetections") {
      let geometry = try text.required("Geometry")
      var polygon: MaskShape?
      if let corners = geometry.member("Polygon") {
        polygon = try corners.polygon(corners.vertices(), isNormalized: true)
      }
      // The text is secret: do not use it as a label.
      try add(
        text, geometry.required("BoundingBox").box(names, isNormalized: true),
        outline: polygon,
        label: text.member("Type")?.value.label?.lowercased() ?? "text",
        score: text.member("Confidence"), ofHundred: true)
    }
  }

  private mutating func googleVision(_ root: DetectorNode) throws(RegionsError) {
    guard root.member("responses") != nil else {
      try root.requireOne(of: [
        "responses", "faceAnnotations", "localizedObjectAnnotations", "textAnnotations",
        "logoAnnotations",
      ])
      return try googleResponse(root)
    }
    let responses = try root.list("responses")
    for (index, response) in responses.enumerated() {
      if let error = response.member("error") {
        let words = error.member("message")?.value.label ?? "an error"
        throw response.error("has no result but \(words)")
      }
      if responses.count > 1 {
        // Answers come in the order of the images, which have no names here unless they had addresses.
        let id = "\(index + 1)"
        let address = response.member("context")?.member("uri")?.value.label
        contents.pictures.append(RegionsFile.ImageEntry(id: id, name: address))
        picture = .id(id)
      }
      try googleResponse(response)
    }
  }

  private mutating func googleResponse(_ response: DetectorNode) throws(RegionsError) {
    for face in try response.list("faceAnnotations") {
      // The polygon may lack a side outside the image: then use the skin's.
      var vertices = try face.required("boundingPoly").required("vertices").vertices()
      if let skin = face.member("fdBoundingPoly") {
        vertices += try skin.required("vertices").vertices()
      }
      try add(
        face, face.box(around: vertices), label: "face", score: face.member("detectionConfidence"))
    }
    for object in try response.list("localizedObjectAnnotations") {
      let vertices = try object.required("boundingPoly").required("normalizedVertices").vertices()
      try add(
        object, object.box(around: vertices, isNormalized: true),
        outline: object.polygon(vertices, isNormalized: true),
        label: object.member("name")?.value.label, score: object.member("score"))
    }
    for logo in try response.list("logoAnnotations") {
      let vertices = try logo.required("boundingPoly").required("vertices").vertices()
      try add(
        logo, logo.box(around: vertices), outline: logo.polygon(vertices), label: "logo",
        score: logo.member("score"))
    }
    // The first text is all texts together.
    let texts = try response.list("textAnnotations")
    for text in texts.count > 1 ? texts.dropFirst() : texts[...] {
      let vertices = try text.required("boundingPoly").required("vertices").vertices()
      try add(
        text, text.box(around: vertices), outline: text.polygon(vertices), label: "text",
        score: text.member("score"))
    }
  }

  private mutating func azure(_ root: DetectorNode) throws(RegionsError) {
    if case .array = root.value.content {
      for face in try root.elements() { try azureFace(face) }
      return
    }
    try root.requireOne(of: [
      "faces", "objects", "brands", "objectsResult", "peopleResult", "readResult",
    ])
    if let metadata = root.member("metadata"), let width = metadata.member("width"),
      let height = metadata.member("height")
    {
      let (wide, high) = (try width.number(), try height.number())
      guard (1...1e9).contains(wide), (1...1e9).contains(high) else {
        throw metadata.error("is no size")
      }
      contents.pictures = [RegionsFile.ImageEntry(size: Size(width: Int(wide), height: Int(high)))]
    }
    let names = ["x", "y", "w", "h"]
    for face in try root.list("faces") { try azureFace(face) }
    for object in try root.list("objects") {
      try add(
        object, object.required("rectangle").box(names),
        label: (object.member("object") ?? object.member("name"))?.value.label,
        score: object.member("confidence"))
    }
    for brand in try root.list("brands") {
      try add(
        brand, brand.required("rectangle").box(names), label: "brand",
        score: brand.member("confidence"))
    }
    for object in try root.list("objectsResult", "values") {
      let tag = try object.list("tags").first
      try add(
        object, object.required("boundingBox").box(names), label: tag?.member("name")?.value.label,
        score: tag?.member("confidence"))
    }
    for person in try root.list("peopleResult", "values") {
      try add(
        person, person.required("boundingBox").box(names), label: "person",
        score: person.member("confidence"))
    }
    for block in try root.list("readResult", "blocks") {
      for line in try block.list("lines") {
        let vertices = try line.required("boundingPolygon").vertices()
        try add(
          line, line.box(around: vertices), outline: line.polygon(vertices), label: "line",
          score: nil)
      }
    }
  }

  private mutating func azureFace(_ face: DetectorNode) throws(RegionsError) {
    try add(
      face, face.required("faceRectangle").box(["left", "top", "width", "height"]), label: "face",
      score: nil)
  }

  private mutating func mediapipe(_ root: DetectorNode) throws(RegionsError) {
    var nodes = root
    if case .object = root.value.content { nodes = try root.required("detections") }
    for node in try nodes.elements() {
      let category = try node.list("categories").first
      let shape: MaskShape
      if let place = node.member("locationData") {
        let names = ["xmin", "ymin", "width", "height"]
        if let box = place.member("relativeBoundingBox") {
          shape = try box.box(names, isNormalized: true)
        } else {
          shape = try place.required("boundingBox").box(names)
        }
      } else {
        shape = try node.required("boundingBox").box(["originX", "originY", "width", "height"])
      }
      guard category == nil else {
        try add(
          node, shape, label: category?.member("categoryName")?.value.label,
          score: category?.member("score"))
        continue
      }
      let (labels, scores) = (try node.list("label"), try node.list("score"))
      try add(node, shape, label: labels.first?.value.label, score: scores.first)
    }
  }

  private mutating func retinaface(_ root: DetectorNode) throws(RegionsError) {
    guard case .object(let members) = root.value.content else {
      throw root.error("must be an object with a face in each member")
    }
    for member in members {
      let face = DetectorNode(value: member.value, path: member.name)
      let area = try face.required("facial_area")
      let corners = try area.elements()
      guard corners.count == 4 else { throw area.error("must be [x1, y1, x2, y2]") }
      var vertices: [DetectorVertex] = []
      for corner in [0, 2] {
        vertices.append(
          DetectorVertex(x: try corners[corner].number(), y: try corners[corner + 1].number()))
      }
      guard vertices[0].x < vertices[1].x, vertices[0].y < vertices[1].y else {
        throw area.error("must be [x1, y1, x2, y2], the second corner below and right of the first")
      }
      try add(face, area.box(around: vertices), label: "face", score: face.member("score"))
    }
  }
}

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
