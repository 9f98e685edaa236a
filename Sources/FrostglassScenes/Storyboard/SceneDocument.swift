package import FrostglassCore

/// The document of a scene file: a canvas, scrolled content, layers over it, and their events.
///
/// All lengths are points, times seconds. docs/use/scenes.md describes the JSON form.
package struct SceneDocument: Sendable {
  package var canvas: CanvasDocument
  /// The duration of the scene, in seconds; 0 is a still.
  package var duration: Double
  /// The scrolled content, if any.
  package var content: ContentDocument?
  package var scroll: ScrollDocument
  /// The layers over the content, from the farthest to the nearest.
  package var layers: [LayerDocument]
  package var quality: PlanOptions.Quality
  /// Numbers that texts show.
  package var values: ValueTable
}

/// The image that is made.
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
  /// - Parameter appearance: the appearance to choose where the document gives one value for each; `nil` takes the
  ///   document's, which is light by default.
  /// - Throws: `DocumentError` with the line, the column and the path of what is wrong.
  package init(
    json text: String, appearance: FilterChain.Appearance? = nil
  ) throws(DocumentError) {
    var value: JSONValue
    do { value = try JSONValue(text: text) } catch {
      throw DocumentError(error.place, "", error.reason)
    }
    let own = try SceneDocument.appearance(of: value)
    let shown = appearance ?? own
    value = value.resolved(for: shown)
    var object = try DocumentValue(value: value, path: "").object()
    _ = object.value("appearance")
    // An editor's, for the schema.
    _ = object.value("$schema")
    canvas = try CanvasDocument(try object.required("canvas"))
    duration = try object.number("duration", in: 0...3600, default: 0)
    let duration = duration
    values =
      try object.value("values").map { value throws(DocumentError) in
        try ValueTable(value, duration: duration)
      } ?? ValueTable(duration: duration)
    content = try object.value("content").map { value throws(DocumentError) in
      try ContentDocument(value)
    }
    let gestures = object.value("scroll")
    scroll =
      try gestures.map { value throws(DocumentError) in
        try ScrollDocument(value)
      } ?? ScrollDocument()
    quality = try object.value("quality")?.choice(PlanOptions.Quality.self) ?? .exact
    layers = []
    for value in try object.array("layers") {
      let layer = try LayerDocument(
        value, default: "layer-\(layers.count)", isDark: shown == .dark)
      guard !layers.contains(where: { $0.id == layer.id }) else {
        throw value.error("has the id \"\(layer.id)\", as another layer; each needs its own")
      }
      layers.append(layer)
    }
    try object.finish()
    if content == nil, let gestures { throw gestures.error("scrolls content, and there is none") }
    var texts = 0
    try values.check(value, "", isStill: false, &texts)
  }

  private static func appearance(
    of value: JSONValue
  ) throws(DocumentError) -> FilterChain.Appearance {
    guard case .object = value.content else { return .light }
    var object = try DocumentValue(value: value, path: "").object()
    return try object.value("appearance")?.choice(FilterChain.Appearance.self) ?? .light
  }
}

extension JSONValue {
  /// The value with one of both wherever there is something for `light` and something for `dark`.
  fileprivate func resolved(for appearance: FilterChain.Appearance) -> JSONValue {
    var resolved = self
    switch content {
    case .array(let values):
      resolved.content = .array(values.map { $0.resolved(for: appearance) })
    case .object(let members):
      if members.count == 2, Set(members.map(\.name)) == ["light", "dark"],
        let chosen = members.first(where: { $0.name == appearance.rawValue })
      {
        return chosen.value.resolved(for: appearance)
      }
      let inner = members.map { member in
        var member = member
        member.value = member.value.resolved(for: appearance)
        return member
      }
      resolved.content = .object(inner)
    case .string, .number, .bool, .null: break
    }
    return resolved
  }
}

extension ValueTable {
  /// Checks the values in all texts of a scene.
  ///
  /// - Parameters:
  ///   - isStill: of content, which is made once.
  ///   - texts: incremented by the number of texts.
  fileprivate func check(
    _ value: JSONValue, _ path: String, isStill: Bool, _ texts: inout Int
  ) throws(DocumentError) {
    switch value.content {
    case .array(let values):
      for (index, value) in values.enumerated() {
        try check(value, "\(path)[\(index)]", isStill: isStill, &texts)
      }
    case .object(let members):
      for member in members {
        let inner = path.isEmpty ? member.name : "\(path).\(member.name)"
        if member.name == "text", case .string(let text) = member.value.content {
          let place = DocumentValue(value: member.value, path: inner)
          try check(text, place, isStill: isStill, &texts)
        }
        // Headers are over the content, and not part of its picture.
        try check(
          member.value, inner,
          isStill: member.name != "header" && (isStill || inner == "content"), &texts)
      }
    case .string, .number, .bool, .null: break
    }
  }

  private func check(
    _ text: String, _ place: DocumentValue, isStill: Bool, _ texts: inout Int
  ) throws(DocumentError) {
    let running: RunningText
    do { running = try RunningText(text, self) } catch {
      throw place.error("\(error)")
    }
    guard running.runs else { return }
    guard !isStill else {
      throw place.error("has a value in it, and content is made once; put the text in a layer")
    }
    guard let own = running.texts(self) else {
      throw place.error("becomes more than \(RunningText.most) texts; show fewer digits")
    }
    texts += own.count
    guard texts <= RunningText.mostOfAll else {
      throw place.error(
        "becomes \(own.count) texts, which are more than \(RunningText.mostOfAll) with those before it"
      )
    }
  }
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

  /// - Parameter isDark: true if the scene's interface is.
  init(_ value: DocumentValue, default id: String, isDark: Bool) throws(DocumentError) {
    var object = try value.object()
    switch try object.value("kind")?.choice(Kind.self) ?? .item {
    case .item:
      let item = try ItemDocument(&object, default: id)
      try ItemDocument.check([item], [value])
      self = .item(item)
    case .bar: self = .bar(try BarDocument(&object, default: id))
    case .statusBar: self = .statusBar(try StatusBarDocument(&object, default: id, isDark: isDark))
    case .backdrop: self = .backdrop(try BackdropDocument(&object, default: id))
    }
    try object.finish()
  }
}

extension SceneDocument {
  /// Returns the first place in a scene's text of a string in a member of some name, or in an array that is one: `12:7:
  /// layers[0].items[2].image`.
  ///
  /// - Parameters:
  ///   - names: the members' names; earlier ones are looked for first.
  ///   - isMeant: returns true if a string is the one to find.
  /// - Returns: `nil` if there is none.
  package static func place(
    in text: String, of names: [String], _ isMeant: (String) -> Bool
  ) -> String? {
    guard let value = try? JSONValue(text: text) else { return nil }
    for name in names {
      if let found = place(in: value, "", member: nil, named: name, isMeant) { return found }
    }
    return nil
  }

  /// - Parameters:
  ///   - path: of the value.
  ///   - member: the name of the member that it is, or is in an array of.
  private static func place(
    in value: JSONValue, _ path: String, member: String?, named name: String,
    _ isMeant: (String) -> Bool
  ) -> String? {
    switch value.content {
    case .string(let text):
      return member == name && isMeant(text) ? "\(value.place.short): \(path)" : nil
    case .array(let values):
      for (index, value) in values.enumerated() {
        if let found = place(in: value, "\(path)[\(index)]", member: member, named: name, isMeant) {
          return found
        }
      }
    case .object(let members):
      for inner in members {
        let path = path.isEmpty ? inner.name : "\(path).\(inner.name)"
        // Of two values for two appearances either may be it.
        let isAppearance = inner.name == "light" || inner.name == "dark"
        let known = isAppearance ? member : inner.name
        if let found = place(in: inner.value, path, member: known, named: name, isMeant) {
          return found
        }
      }
    case .number, .bool, .null: break
    }
    return nil
  }
}
