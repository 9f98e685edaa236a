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
    quality = try object.value("quality")?.choice(PlanOptions.Quality.self) ?? .high
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
        // Headers are over the content, and not part of its image.
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

/// A value of a document with its path, and ways to read it as something.
struct DocumentValue {
  let value: JSONValue
  let path: String

  /// The error that it is not what was wanted.
  func wrong(_ accepted: String) -> DocumentError {
    DocumentError(value.place, path, "must be \(accepted), not \(shown)")
  }

  func error(_ reason: String) -> DocumentError { DocumentError(value.place, path, reason) }

  /// The value as messages show it: what is short as it is.
  private var shown: String {
    switch value.content {
    case .string(let text) where text.count <= 60: "\"\(text)\""
    case .number(let number): "\(number)"
    case .bool(let bool): "\(bool)"
    default: value.kind
    }
  }

  func object() throws(DocumentError) -> DocumentObject {
    guard case .object(let members) = value.content else { throw wrong("an object") }
    return DocumentObject(members, path: path, place: value.place)
  }

  /// The members of an object whose names are free, in order.
  func members() throws(DocumentError) -> [(name: String, value: DocumentValue)] {
    guard case .object(let members) = value.content else { throw wrong("an object") }
    return members.map { ($0.name, DocumentValue(value: $0.value, path: "\(path).\($0.name)")) }
  }

  func array() throws(DocumentError) -> [DocumentValue] {
    guard case .array(let values) = value.content else { throw wrong("an array") }
    return values.enumerated().map { DocumentValue(value: $1, path: "\(path)[\($0)]") }
  }

  func text() throws(DocumentError) -> String {
    guard case .string(let text) = value.content else { throw wrong("a string") }
    return text
  }

  func bool() throws(DocumentError) -> Bool {
    guard case .bool(let bool) = value.content else { throw wrong("true or false") }
    return bool
  }

  func number(in range: ClosedRange<Double>) throws(DocumentError) -> Double {
    guard case .number(let number) = value.content, range.contains(number) else {
      throw wrong("a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// As many numbers as there are names.
  func numbers(
    _ names: [String], in range: ClosedRange<Double>
  ) throws(DocumentError) -> [Double] {
    let accepted = "[\(names.joined(separator: ", "))]"
    guard case .array(let values) = value.content else { throw wrong(accepted) }
    guard values.count == names.count else {
      throw error("must be \(accepted), not an array of \(values.count)")
    }
    var numbers: [Double] = []
    for value in try array() { numbers.append(try value.number(in: range)) }
    return numbers
  }

  func color() throws(DocumentError) -> Color {
    let accepted = "a CSS color such as \"#1c1c1e\" or \"rgba(0, 0, 0, 0.4)\""
    guard case .string(let text) = value.content else { throw wrong(accepted) }
    guard let color = Color(text: text) else {
      throw error(wrong(accepted).reason + Color.hint(for: text))
    }
    return color
  }

  func filters() throws(DocumentError) -> FilterChain {
    let text = try text()
    do { return try FilterChain(text: text) } catch { throw self.error("\(error)") }
  }

  func frame() throws(DocumentError) -> LayoutRect {
    let numbers = try numbers(["x", "y", "width", "height"], in: DocumentValue.coordinates)
    guard numbers[2] >= 0, numbers[3] >= 0 else {
      throw error("has a width of \(numbers[2]) and a height of \(numbers[3]); neither is below 0")
    }
    return LayoutRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }

  /// One of the words of a choice.
  func choice<Choice: RawRepresentable & CaseIterable>(
    _ type: Choice.Type
  ) throws(DocumentError) -> Choice where Choice.RawValue == String {
    let words = Choice.allCases.map(\.rawValue)
    guard case .string(let text) = value.content, let choice = Choice(rawValue: text) else {
      throw wrong(words)
    }
    return choice
  }

  /// The error that it is none of some words, with the one that may be meant.
  func wrong(_ words: [String]) -> DocumentError {
    let hint: String =
      if case .string(let text) = value.content { DidYouMean.hint(for: text, in: words) } else {
        ""
      }
    return error(wrong(words.joined(separator: ", ")).reason + hint)
  }

  /// A curve by its name or as `[x1, y1, x2, y2]`, or a spring as an object.
  func easing() throws(DocumentError) -> Easing {
    guard case .object = value.content else { return try curve() }
    var object = try object()
    let spring = try object.spring()
    try object.finish()
    return .spring(spring)
  }

  /// A curve by its name, or `[x1, y1, x2, y2]`.
  func curve() throws(DocumentError) -> Easing {
    if case .string(let name) = value.content {
      let named: [String: Easing] = [
        "linear": .linear, "easeIn": .easeIn, "easeOut": .easeOut, "easeInOut": .easeInOut,
      ]
      guard let easing = named[name] else {
        let hint = DidYouMean.hint(for: name, in: named.keys.sorted())
        throw error(wrong("linear, easeIn, easeOut, easeInOut or [x1, y1, x2, y2]").reason + hint)
      }
      return easing
    }
    let numbers = try numbers(["x1", "y1", "x2", "y2"], in: -1000...1000)
    do {
      return try .cubicBezier(x1: numbers[0], y1: numbers[1], x2: numbers[2], y2: numbers[3])
    } catch { throw self.error("\(error)") }
  }

  /// Points and offsets.
  static let coordinates = -1_000_000.0...1_000_000.0
}

/// An object of a document. Every name that is asked for is known; what is never asked for is a
/// mistake, which `finish` finds.
struct DocumentObject {
  private let path: String
  private let place: TextPosition
  private let members: [JSONValue.Member]
  private var known: [String] = []

  init(_ members: [JSONValue.Member], path: String, place: TextPosition) {
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
    guard let value = value(name) else { throw lacking([name]) }
    return value
  }

  mutating func number(
    _ name: String, in range: ClosedRange<Double>, default fallback: Double
  ) throws(DocumentError) -> Double {
    try value(name)?.number(in: range) ?? fallback
  }

  /// A spring by `duration` and `bounce`, or by `stiffness`, `damping` and `mass`.
  fileprivate mutating func spring() throws(DocumentError) -> Spring {
    guard let (name, first) = try one(of: ["duration", "stiffness"]) else {
      throw lacking(["duration", "stiffness"])
    }
    let isPerceived = name == "duration"
    let number = try first.number(in: isPerceived ? 0.01...60 : 0.001...1_000_000)
    let bounce = isPerceived ? try self.number("bounce", in: -0.99...0.99, default: 0) : 0
    let mass = isPerceived ? 1 : try self.number("mass", in: 0.001...1000, default: 1)
    let damping = isPerceived ? 1 : try required("damping").number(in: 0.001...1_000_000)
    do {
      return isPerceived
        ? try Spring(duration: number, bounce: bounce)
        : try Spring(mass: mass, stiffness: number, damping: damping)
    } catch { throw self.error("\(error)") }
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

  /// Returns the error for a missing member: names a near miss, otherwise the accepted names.
  ///
  /// - Parameter purpose: the text after the names.
  func lacking(_ names: [String], _ purpose: String = "") -> DocumentError {
    for member in members where !known.contains(member.name) {
      guard let meant = DidYouMean.nearest(to: member.name, in: names) else { continue }
      return DocumentError(
        member.place, path, "there is no \"\(member.name)\" here (did you mean \(meant)?)")
    }
    let quoted = names.map { "\"\($0)\"" }
    let list = [quoted.dropLast().joined(separator: ", "), quoted.last ?? ""]
    return error("has no " + list.filter { !$0.isEmpty }.joined(separator: " or ") + purpose)
  }

  /// Throws for an unknown name.
  func finish() throws(DocumentError) {
    guard let stray = members.first(where: { !known.contains($0.name) }) else { return }
    throw DocumentError(
      stray.place, path,
      "there is no \"\(stray.name)\" here" + DidYouMean.hint(for: stray.name, in: known)
        + "; known are \(known.joined(separator: ", "))")
  }
}

/// Why a scene document cannot be used, and where.
package struct DocumentError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The error's place in the text.
  package var place: TextPosition
  /// The error's path in the document, such as `layers[0].items[2].frame`; empty for the document itself.
  package var path: String
  /// The error, and the accepted values.
  package var reason: String

  init(_ place: TextPosition, _ path: String, _ reason: String) {
    self.place = place
    self.path = path
    self.reason = reason
  }

  /// `12:7: layers[0].items[2].frame: …`.
  package var description: String {
    "\(place.short): " + (path.isEmpty ? "" : "\(path): ") + reason
  }
}

extension DocumentObject {
  /// Returns the entries of the list `events`, each with its time in seconds, in order of time.
  ///
  /// - Parameters:
  ///   - names: the members of which an entry needs at least one.
  ///   - read: reads these members.
  mutating func events<Event>(
    names: [String], _ read: (inout DocumentObject) throws(DocumentError) -> [Event]
  ) throws(DocumentError) -> [(time: Double, event: Event)] {
    var events: [(time: Double, event: Event)] = []
    for value in try array("events") {
      var object = try value.object()
      let time = try object.required("at").number(in: 0...3600)
      let made = try read(&object)
      try object.finish()
      guard !made.isEmpty else { throw object.lacking(names) }
      events += made.map { (time, $0) }
    }
    events.sort { $0.time < $1.time }
    return events
  }
}
