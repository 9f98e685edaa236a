package import FrostglassCore

/// A status bar at the canvas's upper edge.
package struct StatusBarDocument: Sendable {
  package var id: String
  package var metrics: StatusBarMetrics
  package var style: Style
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
  init(_ object: inout DocumentObject, default id: String) throws(DocumentError) {
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
    style = try object.value("style")?.choice(Style.self) ?? .dark
    surface = try SurfaceDocument(&object)
    items = try ItemDocument.list(object.array("items"))
    events = try object.events(
      names: ["orientation", "activity", "style", "hidden", "color"], StatusBarDocument.events)
    try ItemDocument.check(items, of: object)
  }

  private static func events(
    _ object: inout DocumentObject
  ) throws(DocumentError) -> [Event] {
    var events: [StatusBarEvent] = []
    if let turn = try object.value("orientation")?.choice(InterfaceOrientation.self) {
      events.append(.willChangeOrientation(turn))
    }
    if let activity = try object.value("activity")?.choice(StatusBarMetrics.Activity.self) {
      events.append(.activity(activity))
    }
    if let style = try object.value("style")?.choice(StatusBarContent.self) {
      let duration = try object.number("duration", in: 0...60, default: 0.25)
      events.append(.content(style, duration: duration))
    }
    if let hidden = try object.value("hidden")?.bool() {
      let animation = try object.value("animation")?.choice(StatusBarAnimation.self) ?? .fade
      events.append(.hidden(hidden, animation))
    }
    let color = try object.value("color")?.color()
    return events.map { .view($0) } + (color.map { [.color($0)] } ?? [])
  }
}
