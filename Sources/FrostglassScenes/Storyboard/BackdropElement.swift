internal import FrostglassCore

/// A backdrop view at work.
struct BackdropElement: Sendable {
  private let document: BackdropDocument
  private let items: ItemGroup
  private let mask: Int?
  private var view: BackdropView
  /// The captured layers behind the view, and the current ones.
  private var captured = CapturedLayers([])
  private var known = CapturedLayers([])
  private var version = 0
  private var done = 0
  private var isLoaded = false
  private let bounds: LayoutRect
  private let layout: FlexibleBar
  /// The lowest layer of its group; `nil` is itself.
  var lowest: Int?

  init(_ document: BackdropDocument, on canvas: CanvasDocument, _ assets: inout AssetList) {
    self.document = document
    bounds = LayoutRect(origin: .zero, size: canvas.size)
    view = BackdropView(document.settings)
    let frame = document.settings.frame
    let scale = canvas.scale
    mask = document.look.maskImage.map { path in
      let size = assets.size(for: frame.size.pixels(scale: scale), .stretch)
      return assets.number(of: .mask(path: path, size))
    }
    layout = .still(document.items, height: frame.height)
    items = ItemGroup(document.items, in: layout, width: frame.width, scale: scale, &assets)
  }

  var group: String? { document.group }

  /// True if an event may come that needs the layers behind the view.
  var looksBehind: Bool {
    !isLoaded || view.mode.interval != nil && view.isVisible || view.nextMoment != nil
      || done < document.events.count
  }

  mutating func advance(to time: Double, behind: [Layer]?) {
    if let behind, behind != known.layers {
      known = CapturedLayers(behind)
      version += 1
    }
    var effects: [BackdropEffect] = []
    if !isLoaded {
      isLoaded = true
      effects += view.handle(.load(parent: bounds), at: time)
      let look = document.look
      effects += view.handle(
        document.interval.map { .blurLive(look, interval: $0) } ?? .blur(look), at: time)
    }
    while done < document.events.count, document.events[done].time <= time {
      let (moment, event) = document.events[done]
      // What comes shows what is behind it now, not what was there when it was loaded.
      if event == .slideDown, view.mode == .static {
        effects += view.handle(.version(version), at: moment)
        effects += view.handle(.blur(view.look), at: moment)
      }
      effects += view.handle(event, at: moment)
      done += 1
    }
    effects += view.handle(.version(version), at: time)
    effects += view.advance(to: time)
    let asks = effects.contains { if case .capture = $0 { true } else { false } }
    if asks { captured = known }
  }

  func layers(_ composer: LayerComposer) -> [Layer] {
    guard view.isVisible, view.capturedAt != nil else { return [] }
    let look = view.look
    let shape = composer.rounded(composer.pixels(view.frame), look.cornerRadius * composer.scale)
    let soft = composer.faded(shape, over: document.fade)
    let clips = [shape] + soft
    let face = Layer(
      id: "\(document.id)/surface", .color(.black), clips: clips,
      mask: mask.map { composer.placed($0, .stretch, in: shape) })
    let faces = composer.material(
      look.filters, look.tint, tintAlpha: view.strength, of: .captured(captured),
      strength: view.strength, face)
    let parent = LayerComposer.Parent(id: document.id, origin: view.frame.origin, clips: clips)
    let inside = composer.layers(laidOut, width: view.frame.width, items, in: parent)
    if view.strength < 1 {
      // What is around it and in it has no blur to lose.
      let around = composer.decorated(
        [], document.decoration, shape, id: document.id, fading: soft)
      return faces
        + composer.asOne(around + inside, id: document.id, opacity: view.strength)
    }
    return composer.asOne(
      composer.decorated(faces, document.decoration, shape, id: document.id, fading: soft) + inside,
      id: document.id, opacity: view.alpha)
  }

  private var laidOut: FlexibleBar {
    // A view that grows from nothing uncovers its items.
    layout.still(
      height: document.settings.arrival == .grow ? view.shownFrame.height : view.frame.height)
  }

  func trace(at time: Double) -> [(column: String, value: String)] {
    TraceText.frame(document.id, view.frame) + [
      ("\(document.id).alpha", TraceText.number(view.alpha)),
      ("\(document.id).strength", TraceText.number(view.strength)),
      ("\(document.id).phase", view.phase.rawValue),
      ("\(document.id).capturedAt", view.capturedAt.map { TraceText.number($0) } ?? ""),
    ] + TraceText.items(of: document.id, laidOut, width: view.frame.width, items, at: time)
  }
}

/// A view that shows what lies behind it, blurred.
package struct BackdropDocument: Sendable {
  package var id: String
  package var settings: BackdropSettings
  package var look: BackdropLook
  /// Seconds between captures of a live view; `nil` for a static one.
  package var interval: Double?
  package var decoration: DecorationDocument
  /// Over how many points its lower edge is soft.
  package var fade: Double
  /// Views of one group look at the same: what lies behind the lowest of them.
  package var group: String?
  /// The view's events, each with its time in seconds.
  package var events: [(time: Double, event: BackdropEvent)]
  /// In the view, and moving with it.
  package var items: [ItemDocument]
}

extension BackdropDocument {
  init(_ object: inout DocumentObject, default id: String) throws(DocumentError) {
    self.id = try object.value("id")?.text() ?? id
    let frame = try object.required("frame").frame()
    let arrival = try object.value("arrival")?.choice(BackdropSettings.Arrival.self) ?? .drop
    let arriving = try object.number("arrivalDuration", in: 0...60, default: 0.25)
    let leaving = try object.number("departureDuration", in: 0...60, default: 0.15)
    let arrivalEasing = try object.easing("arrivalEasing", beside: "arrivalDuration")
    let departureEasing = try object.easing("departureEasing", beside: "departureDuration")
    let fading = try object.value("fading")?.choice(BackdropSettings.Fading.self) ?? .alpha
    let filters = try object.value("material")?.filters() ?? BackdropLook.standardFilters
    let color = try object.value("color")?.color()
    let radius = try object.number("cornerRadius", in: 0...100_000, default: 0)
    let mask = try object.value("mask")?.text()
    fade = try object.number("fade", in: 0...10_000, default: 0)
    decoration = try DecorationDocument(&object)
    do {
      settings = try BackdropSettings(
        frame: frame, arrival: arrival, arrivalDuration: arriving, departureDuration: leaving,
        arrivalEasing: arrivalEasing, departureEasing: departureEasing, fading: fading)
      look = try BackdropLook(filters: filters, tint: color, cornerRadius: radius, maskImage: mask)
    } catch { throw object.error("\(error)") }
    interval = try object.value("live").flatMap { value throws(DocumentError) in
      try BackdropDocument.interval(value)
    }
    group = try object.value("group")?.text()
    items = try ItemDocument.list(object.array("items"))
    events = try object.events(
      names: ["shown", "live", "hidden", "frame"], BackdropDocument.events)
  }

  /// `true` looks at every moment, a number of seconds as often, `false` never again.
  private static func interval(_ value: DocumentValue) throws(DocumentError) -> Double? {
    switch value.value.content {
    case .bool(let isLive): return isLive ? Storyboard.moment : nil
    case .number: return try value.number(in: 0.001...3600)
    default: throw value.wrong("true, false or a number of seconds from 0.001 to 3600")
    }
  }

  private static func events(
    _ object: inout DocumentObject
  ) throws(DocumentError) -> [BackdropEvent] {
    var events: [BackdropEvent] = []
    if let shown = try object.value("shown")?.bool() {
      events.append(shown ? .slideDown : .slideUp)
    }
    if let live = object.value("live") {
      events.append(try interval(live).map { .becomeLive(interval: $0) } ?? .becomeStatic)
    }
    if let hidden = try object.value("hidden")?.bool() { events.append(.hidden(hidden)) }
    if let frame = try object.value("frame")?.frame() {
      let duration = try object.number("duration", in: 0...60, default: 0.25)
      let easing = try object.easing("easing", beside: "duration")
      events.append(.place(frame, duration: duration, easing: easing))
    }
    return events
  }
}

extension DocumentObject {
  /// Returns an easing, by default slow at both ends.
  ///
  /// - Parameter duration: the name of its duration, which is an error next to a spring.
  fileprivate mutating func easing(
    _ name: String, beside duration: String
  ) throws(DocumentError) -> Easing {
    guard let value = value(name) else { return .easeInOut }
    let easing = try value.easing()
    if easing.spring != nil, let time = self.value(duration) {
      throw time.error("is given beside a spring, which takes its own time; leave one of them out")
    }
    return easing
  }
}
