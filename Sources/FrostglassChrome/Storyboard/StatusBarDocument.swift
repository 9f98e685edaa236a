package import FrostglassCore

/// A status bar at the canvas's upper edge.
package struct StatusBarDocument: Sendable {
  package var id: String
  package var metrics: StatusBarMetrics
  package var style: Style
  /// What its controllers say at first; `nil` where it has none.
  package var appearance: StatusBarAppearance?
  /// When and how its appearance changes.
  package var events: [(time: Double, event: Event)]
  package var surface: SurfaceDocument
  /// In the color of its content where theirs is `content`.
  package var items: [ItemDocument]

  /// What happens to it.
  package enum Event: Sendable, Hashable {
    case view(StatusBarEvent)
    /// It gets another color over its material, as fast as its height changes.
    case color(Color)
    /// The controllers change; a document that was read has what follows from it instead.
    case controllers(ControllerChange)
  }

  /// How it chooses between black and white content.
  package enum Style: String, Sendable, Hashable, CaseIterable {
    case dark
    case light
    /// By the luminance of what lies behind it.
    case automatic = "auto"
  }
}

extension StatusBarDocument {
  /// - Parameter isDark: whether the interface is, for controllers.
  init(
    _ object: inout DocumentObject, default id: String, isDark: Bool
  ) throws(DocumentError) {
    self.id = try object.value("id")?.text() ?? id
    if let value = object.value("metrics") {
      do { metrics = try StatusBarMetrics(named: try value.text()) } catch let error
        as StatusBarError
      {
        throw value.error("\(error)")
      } catch let error as DocumentError { throw error } catch { throw value.error("\(error)") }
    } else {
      metrics = .classic
    }
    let root = try object.value("controllers").map { value throws(DocumentError) in
      try StatusBarController(value)
    }
    let style = object.value("style")
    self.style = try style?.choice(Style.self) ?? .dark
    if root != nil, let style {
      throw style.error("is given beside \"controllers\", which decide it; leave one of them out")
    }
    surface = try SurfaceDocument(&object)
    items = try ItemDocument.list(object.array("items"))
    events = try object.events(
      names: ["orientation", "activity", "style", "hidden", "color"] + ControllerChange.names
    ) { event throws(DocumentError) in
      try StatusBarDocument.events(&event, hasControllers: root != nil)
    }
    if let root {
      let resolved = try ControllerChange.resolved(events, from: root, isDark: isDark)
      (appearance, events) = (resolved.first, resolved.events)
    }
  }

  private static func events(
    _ object: inout DocumentObject, hasControllers: Bool
  ) throws(DocumentError) -> [Event] {
    var events: [StatusBarEvent] = []
    if let turn = try object.value("orientation")?.choice(InterfaceOrientation.self) {
      events.append(.willChangeOrientation(turn))
    }
    if let activity = try object.value("activity")?.choice(StatusBarMetrics.Activity.self) {
      events.append(.activity(activity))
    }
    let style = try object.value("style")?.choice(StatusBarContent.self)
    for name in ["style", "hidden"] where hasControllers {
      guard let value = object.value(name) else { continue }
      throw value.error("is up to the controllers; change those, as with \"present\"")
    }
    if let style {
      let duration = try object.number("duration", in: 0...60, default: 0.25)
      events.append(.content(style, duration: duration))
    }
    if let hidden = try object.value("hidden")?.bool() {
      let animation = try object.value("animation")?.choice(StatusBarAnimation.self) ?? .fade
      events.append(.hidden(hidden, animation))
    }
    let color = try object.value("color")?.color()
    let change = try ControllerChange(&object, hasControllers: hasControllers)
    return events.map { .view($0) } + (color.map { [.color($0)] } ?? [])
      + (change.map { [.controllers($0)] } ?? [])
  }
}
