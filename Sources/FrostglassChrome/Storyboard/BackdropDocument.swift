internal import FrostglassCore

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
  /// When and what happens to it.
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
  /// How a change is spread, slow at both ends if nothing is said.
  ///
  /// - Parameter duration: the name of its time, which a spring has of its own.
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
