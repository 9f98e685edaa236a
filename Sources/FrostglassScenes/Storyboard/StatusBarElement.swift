package import FrostglassCore

/// A status bar at work.
struct StatusBarElement: Sendable {
  private let document: StatusBarDocument
  private let group: ItemGroup
  private let layout: FlexibleBar
  private let width: Double
  private var view: StatusBarView
  private var contrast: AutomaticContrast?
  /// The veil's strength below content that could not be read without it: above 0 white, below 0 black.
  private var veil = TimedValue(0.0)
  /// Over its material.
  private var color: TimedValue<Color>
  /// The number of the document's events that have been handled.
  private var done = 0
  /// The latest appearance from the controllers.
  private var answer: StatusBarAppearance?

  init(
    _ document: StatusBarDocument, on canvas: CanvasDocument, _ assets: inout AssetList
  ) throws(DocumentError) {
    self.document = document
    width = canvas.size.width
    do {
      view = try StatusBarView(
        width: width, metrics: document.metrics,
        content: document.appearance?.content ?? (document.style == .light ? .light : .dark))
    } catch { throw DocumentError(TextPosition(column: 1), document.id, "\(error)") }
    color = TimedValue(document.surface.color ?? Color(white: 0, alpha: 0))
    answer = document.appearance
    if answer?.isHidden == true { view.handle(.hidden(true, .none), at: 0) }
    contrast = document.style == .automatic ? AutomaticContrast() : nil
    layout = .still(document.items, height: document.metrics.height)
    group = ItemGroup(document.items, in: layout, width: width, scale: canvas.scale, &assets)
  }

  mutating func advance(to time: Double) {
    while done < document.events.count, document.events[done].time <= time {
      let (moment, event) = document.events[done]
      switch event {
      case .view(let event):
        view.handle(event, at: moment)
        if case .appearance(let answer, _) = event { self.answer = answer }
      case .color(let target):
        color.move(to: target, at: moment, duration: view.timing.frame)
      case .controllers: break
      }
      done += 1
    }
    view.advance(to: time)
  }

  /// The time that a veil takes to follow the backdrop, in seconds: the time until the next measurement.
  private static let veilDuration = 0.1

  /// Returns the pixels whose luminance is needed; `nil` if none.
  func measured(on canvas: CanvasDocument) -> Rect? {
    guard contrast != nil, view.isVisible else { return nil }
    let composer = LayerComposer(scale: canvas.scale, pictures: [])
    let rect = composer.pixels(view.frame).pixels.intersection(Rect(canvas.pixels))
    return rect.isEmpty ? nil : rect
  }

  mutating func note(_ luminance: BackdropLuminance, at time: Double) {
    contrast?.handle(luminance, at: time)
    guard let contrast, let content = contrast.content else { return }
    // At once: between black and white lies a gray that cannot be read on the same gray.
    let turns = content != view.content
    view.handle(.content(content), at: time)
    let needed = contrast.rules.veil(below: content, on: luminance)
    veil.move(
      to: content == .dark ? needed : -needed, at: time,
      duration: turns || time == 0 ? 0 : StatusBarElement.veilDuration)
  }

  /// Its lower edge, in points; 0 while it is away.
  var bottom: Double { view.isVisible ? max(0, view.frame.maxY) : 0 }

  /// Returns the bar's layers; its alpha applies once to all of them.
  func layers(_ composer: LayerComposer) -> [Layer] {
    composer.asOne(
      surface(composer) + content(composer), id: document.id, opacity: view.alpha)
  }

  /// Returns the layers behind the bar's content.
  func background(_ composer: LayerComposer) -> [Layer] {
    composer.asOne(surface(composer), id: document.id, opacity: view.alpha)
  }

  private func surface(_ composer: LayerComposer) -> [Layer] {
    guard view.isVisible else { return [] }
    var surface = document.surface
    let color = color.value(at: composer.time)
    surface.color = color.alpha > 0 ? color : nil
    return composer.layers(surface, id: document.id, frame: view.frame)
  }

  /// Returns the veil that keeps the content legible.
  private func veil(_ composer: LayerComposer) -> [Layer] {
    let veil = veil.value(at: composer.time)
    guard abs(veil) > 1e-3 else { return [] }
    let shape = composer.rounded(
      composer.pixels(view.frame), document.surface.cornerRadius * composer.scale)
    return [
      Layer(
        id: "\(document.id)/veil", .color(veil > 0 ? .white : .black), clips: [shape],
        opacity: abs(veil))
    ]
  }

  private func content(_ composer: LayerComposer) -> [Layer] {
    guard view.isVisible else { return [] }
    let parent = composer.inside(
      document.surface, id: document.id, frame: view.frame,
      content: Color(white: view.contentLightness))
    return veil(composer)
      + composer.layers(
        layout.still(height: view.frame.height), width: width, group, in: parent)
  }

  func trace(at time: Double) -> [(column: String, value: String)] {
    let veil = veil.value(at: time)
    let report = contrast?.report(veil: abs(veil))
    var trace =
      TraceText.frame(document.id, view.frame) + [
        ("\(document.id).alpha", TraceText.number(view.alpha)),
        ("\(document.id).style", view.content.rawValue),
        ("\(document.id).contrast", report.map { TraceText.number($0.ratio) } ?? ""),
        ("\(document.id).worstContrast", report.map { TraceText.number($0.worstRatio) } ?? ""),
        ("\(document.id).veil", report.map { _ in TraceText.number(veil) } ?? ""),
      ]
    if let answer {
      trace.append(("\(document.id).styleOwner", "\(answer.styleOwner)"))
      trace.append(("\(document.id).hiddenOwner", "\(answer.hiddenOwner)"))
    }
    return trace
      + TraceText.items(
        of: document.id, layout.still(height: view.frame.height), width: width, group, at: time)
  }
}

/// A status bar at the canvas's upper edge.
package struct StatusBarDocument: Sendable {
  package var id: String
  package var metrics: StatusBarMetrics
  package var style: Style
  /// The controllers' initial appearance; `nil` without controllers.
  package var appearance: StatusBarAppearance?
  /// The bar's events, each with its time in seconds.
  package var events: [(time: Double, event: Event)]
  package var surface: SurfaceDocument
  /// In the color of its content where theirs is `content`.
  package var items: [ItemDocument]

  /// An event of a status bar.
  package enum Event: Sendable, Hashable {
    case view(StatusBarEvent)
    /// It gets another color over its material, as fast as its height changes.
    case color(Color)
    /// The controllers change; a document that was read has what follows from it instead.
    case controllers(ControllerChange)
  }

  /// The way in which the bar chooses between black and white content.
  package enum Style: String, Sendable, Hashable, CaseIterable {
    case dark
    case light
    /// By the luminance of what lies behind it.
    case automatic = "auto"
  }
}

extension StatusBarDocument {
  /// - Parameter isDark: true if the interface is, for controllers.
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
