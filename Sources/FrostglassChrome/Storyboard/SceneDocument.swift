package import FrostglassCore

/// What a scene file says: a canvas, content that scrolls, layers over it, and what happens when.
///
/// All lengths are points, times seconds. docs/scenes.md describes the JSON form.
package struct SceneDocument: Sendable {
  package var canvas: CanvasDocument
  /// How long the scene lasts, in seconds; 0 is a still.
  package var duration: Double
  /// What scrolls, if anything does.
  package var content: ContentDocument?
  package var scroll: ScrollDocument
  /// What is over it, from the farthest to the nearest.
  package var layers: [LayerDocument]
  package var quality: PlanOptions.Quality
}

/// The picture that is made.
package struct CanvasDocument: Sendable, Hashable {
  /// In points.
  package var size: LayoutSize
  /// Pixels per point.
  package var scale: Double
  package var background: Color

  /// In pixels.
  package var pixels: Size {
    Size(
      width: max(1, Int((size.width * scale).rounded())),
      height: max(1, Int((size.height * scale).rounded())))
  }
}

/// One of a scene's layers.
package enum LayerDocument: Sendable {
  case item(ItemDocument)
  case bar(BarDocument)
  case statusBar(StatusBarDocument)
  case backdrop(BackdropDocument)

  package var id: String {
    switch self {
    case .item(let item): item.id
    case .bar(let bar): bar.id
    case .statusBar(let bar): bar.id
    case .backdrop(let view): view.id
    }
  }
}

extension SceneDocument {
  /// Reads a scene file's text.
  ///
  /// - Throws: `DocumentError` with the line, the column and the path of what is wrong.
  package init(json text: String) throws(DocumentError) {
    let value: JSONValue
    do { value = try JSONValue(text: text) } catch {
      throw DocumentError(error.place, "", error.reason)
    }
    var object = try DocumentValue(value: value, path: "").object()
    // An editor's, for the schema.
    _ = object.value("$schema")
    canvas = try CanvasDocument(try object.required("canvas"))
    duration = try object.number("duration", in: 0...3600, default: 0)
    content = try object.value("content").map { value throws(DocumentError) in
      try ContentDocument(value)
    }
    let gestures = object.value("scroll")
    scroll =
      try gestures.map { value throws(DocumentError) in
        try ScrollDocument(value)
      } ?? ScrollDocument()
    quality = try object.value("quality")?.choice(QualityChoice.self).quality ?? .exact
    layers = []
    for value in try object.array("layers") {
      let layer = try LayerDocument(value, default: "layer-\(layers.count)")
      guard !layers.contains(where: { $0.id == layer.id }) else {
        throw value.error("has the id \"\(layer.id)\", as another layer; each needs its own")
      }
      layers.append(layer)
    }
    try object.finish()
    if content == nil, let gestures { throw gestures.error("scrolls content, and there is none") }
  }
}

/// `PlanOptions.Quality` by name.
private enum QualityChoice: String, CaseIterable {
  case exact, fast

  var quality: PlanOptions.Quality { self == .fast ? .fast : .exact }
}

extension CanvasDocument {
  fileprivate init(_ value: DocumentValue) throws(DocumentError) {
    var object = try value.object()
    let sides = 1.0...20_000
    size = LayoutSize(
      width: try object.required("width").number(in: sides),
      height: try object.required("height").number(in: sides))
    scale = try object.number("scale", in: 0.1...10, default: 1)
    background = try object.value("background")?.color() ?? .white
    try object.finish()
    guard size.width * scale <= 32_768, size.height * scale <= 32_768, pixels.area <= 1 << 27
    else {
      throw object.error(
        "is \(pixels) pixels; no side may be longer than 32768, and all may be 134 million")
    }
  }
}

extension LayerDocument {
  private enum Kind: String, CaseIterable {
    case item
    case bar
    case statusBar = "status-bar"
    case backdrop
  }

  init(_ value: DocumentValue, default id: String) throws(DocumentError) {
    var object = try value.object()
    switch try object.value("kind")?.choice(Kind.self) ?? .item {
    case .item:
      let item = try ItemDocument(&object, default: id)
      try ItemDocument.check([item], of: object)
      self = .item(item)
    case .bar: self = .bar(try BarDocument(&object, default: id))
    case .statusBar: self = .statusBar(try StatusBarDocument(&object, default: id))
    case .backdrop: self = .backdrop(try BackdropDocument(&object, default: id))
    }
    try object.finish()
  }
}
