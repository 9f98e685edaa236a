public import FrostglassCore

/// Backdrop views that share one capture.
///
/// Each member keeps its own timer; when one asks, what all of them need is captured together, as it
/// lies behind the lowest member, and all of them show that. Changes behind the group are told to the
/// group, not to its members.
public struct BackdropGroup: Sendable, Hashable {
  /// The capture that all members show; `nil` before the first.
  public private(set) var capture: BackdropCapture?
  /// Pixels per point of the damage that is reported.
  public let scale: Double

  private var members: [String: Member] = [:]
  private var changes = BackdropChanges()

  private struct Member: Sendable, Hashable {
    var level: Int
    var rect: LayoutRect?
    var reach: Double?
  }

  /// - Parameter scale: pixels per point; outside 0.001…100 it is limited to that.
  public init(scale: Double = 1) {
    self.scale = scale.isNaN ? 1 : min(max(scale, 0.001), 100)
  }

  /// Adds a member, or changes its level.
  ///
  /// - Parameters:
  ///   - name: the member's name; any text.
  ///   - level: the member's level; higher is nearer to the viewer.
  public mutating func join(_ name: String, level: Int) {
    if let before = lowestLevel, level < before { changes.noteEverything() }
    members[name, default: Member(level: level)].level = level
  }

  /// Lets a member go; what it needed is not captured any more.
  public mutating func leave(_ name: String) {
    let before = lowestLevel
    members[name] = nil
    if lowestLevel != before { changes.noteEverything() }
  }

  /// The number of the shared capture, which is also its version: 0 before the first.
  public var version: Int { capture?.number ?? 0 }

  /// The level below which layers are captured; `nil` without members.
  public var lowestLevel: Int? { members.values.map(\.level).min() }

  /// The area that the members need together, in points; `nil` before one has asked.
  public var neededRect: LayoutRect? {
    let rects = members.values.compactMap(\.rect)
    return rects.dropFirst().reduce(rects.first) { $0?.joined(with: $1) }
  }

  /// Pixels behind the group have changed.
  public mutating func handle(_ damage: Damage) {
    changes.note(damage)
  }

  /// Records the version of the content behind the group. A new version means that everything has changed.
  public mutating func handle(version: Int) {
    changes.note(version: version)
  }

  /// Handles a member's request for a capture.
  ///
  /// - Parameters:
  ///   - request: the request of its view.
  ///   - name: the member's name; it joins at level 0 if it has not.
  ///   - reach: the reach of its filters, in points; `nil` if unknown.
  /// - Returns: the capture to make for all; `nil` if the existing one serves: it is of the same time or nothing has
  ///   changed, and it covers the needed area.
  public mutating func handle(
    _ request: BackdropCapture, from name: String, reach: Double? = nil
  ) -> BackdropCapture? {
    members[name, default: Member(level: 0)].rect = request.rect
    members[name]?.reach = reach
    guard let rect = neededRect else { return nil }
    let isHeld = capture?.rect.covers(rect) == true
    if !isHeld { changes.noteEverything() }
    let change = changes.change(
      near: rect.pixels(scale: scale), reach: groupReach.map { Int(($0 * scale).rounded(.up)) })
    if isHeld, !changes.isPending, let capture, capture.time >= request.time { return nil }
    if case .nothing = change { return nil }
    changes.forget()
    let shared = BackdropCapture(
      number: version + 1, rect: rect, time: max(request.time, capture?.time ?? request.time),
      change: change, scale: scale, reach: groupReach)
    capture = shared
    return shared
  }

  /// The farthest that any member looks; `nil` if one does not say.
  private var groupReach: Double? {
    let reaches = members.values.filter { $0.rect != nil }.map(\.reach)
    return reaches.contains(nil) ? nil : reaches.compactMap(\.self).max()
  }
}

/// An event for a backdrop view.
///
/// Events of a time are handled before ticks and arrivals of the same time, so that a tick sees the changes.
public enum BackdropEvent: Sendable, Hashable {
  /// Goes into a parent of these bounds, in points. A view that comes is away at first, a fixed one
  /// is there. In a parent already, it leaves that first.
  case load(parent: LayoutRect)
  /// Blurs once, with a look that replaces the one before. The first time, it becomes static; a live
  /// view stays live.
  case blur(BackdropLook)
  /// Becomes live: looks now and every `interval` seconds while it is shown. Of two calls only the
  /// later one's timer runs. The interval is limited to 0.001…3600 s; not a number counts as 0.2 s.
  case blurLive(BackdropLook, interval: Double)
  /// From live to static: keeps what it shows.
  case becomeStatic
  /// Becomes live with the look it has.
  case becomeLive(interval: Double)
  /// Comes; on arrival a static view looks again.
  case slideDown
  /// Goes; its timer stops.
  case slideUp
  /// Leaves its parent. Look and mode are kept.
  case unload
  /// Is hidden, with whatever holds it, or shown again; while hidden it looks at nothing.
  case hidden(Bool)
  /// Has another place, when it is there, within a number of seconds, at most 60; a spring takes its
  /// own time. A frame that is not finite or has sides below 0 is ignored.
  case place(LayoutRect, duration: Double = 0, easing: Easing = .easeInOut)
  /// These pixels behind it have changed. From the first report on, it looks only at what changed.
  case damaged(Damage)
  /// The content behind the view has this version. A new version means that everything has changed.
  case version(Int)
  /// The capture of this number is done; only with `confirmsCaptures`.
  case captured(Int)
}

/// A request or message of a backdrop view to its renderer.
public enum BackdropEffect: Sendable, Hashable {
  /// Look at what lies behind, now.
  case capture(BackdropCapture)
  /// A timer runs from now on. Only for those who wait for one: `advance(to:)` knows the ticks.
  case startTimer(interval: Double)
  case stopTimer
  /// It has come.
  case arrived
  /// It has gone.
  case left
}

/// One look at what lies behind a backdrop view.
public struct BackdropCapture: Sendable, Hashable {
  /// 1 for a view's first capture.
  public var number: Int
  /// The area to capture, in points of the parent: every place that the view can occupy before its next request.
  /// Filters read beyond it, as far as they reach.
  public var rect: LayoutRect
  /// The time it shows, in seconds.
  public var time: Double
  /// The pixels behind the view that changed since the capture before; `nil` for all.
  public var changed: Damage?
  /// The pixels of `rect` that are to be computed again: what changed and what filters carry it to.
  public var recomputed: Damage

  init(
    number: Int, rect: LayoutRect, time: Double, change: BackdropChanges.Change, scale: Double,
    reach: Double?
  ) {
    self.number = number
    self.rect = rect
    self.time = time
    let pixels = rect.pixels(scale: scale)
    guard case .part(let damage) = change else {
      changed = nil
      recomputed = Damage(pixels)
      return
    }
    changed = damage
    guard let reach else {
      recomputed = Damage(pixels)
      return
    }
    let steps = Int((reach * scale).rounded(.up))
    recomputed = damage.expanded(x: steps, y: steps).clipped(to: pixels)
  }
}

/// The reported changes behind a view since its last capture.
struct BackdropChanges: Sendable, Hashable {
  /// True if changes are reported. If not, everything may have changed at any time.
  private var isReported = false
  private var isEverything = true
  private var damage = Damage()
  private var version: Int?

  /// The changes in an area.
  enum Change {
    case nothing
    case part(Damage)
    case everything
  }

  mutating func note(_ damage: Damage) {
    isReported = true
    if !isEverything { self.damage = self.damage.union(damage) }
  }

  mutating func note(version: Int) {
    if version != self.version { noteEverything() }
    self.version = version
    isReported = true
  }

  mutating func noteEverything() {
    isEverything = true
    damage = Damage()
  }

  /// True if a reported change is pending.
  var isPending: Bool { isEverything || !damage.isEmpty }

  /// Returns the changes near a rectangle.
  ///
  /// - Parameters:
  ///   - pixels: the rectangle.
  ///   - reach: the distance from it within which changes matter, in pixels; `nil` if unknown.
  func change(near pixels: Rect, reach: Int?) -> Change {
    if isEverything || !isReported { return .everything }
    guard let reach else { return damage.isEmpty ? .nothing : .part(damage) }
    let near = Damage(pixels).expanded(x: reach, y: reach).bounds
    let part = near.map { damage.clipped(to: $0) } ?? Damage()
    return part.isEmpty ? .nothing : .part(part)
  }

  /// From now on, only what changes later counts.
  mutating func forget() {
    isEverything = false
    damage = Damage()
  }
}
