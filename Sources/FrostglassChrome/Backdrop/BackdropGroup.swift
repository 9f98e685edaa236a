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

  /// Takes in a member, or changes its level.
  ///
  /// - Parameters:
  ///   - name: who it is; any text.
  ///   - level: how far up it lies; higher is nearer to the eye.
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

  /// What lies below this level is captured; `nil` without members.
  public var lowestLevel: Int? { members.values.map(\.level).min() }

  /// What the members need together, in points; `nil` before one has asked.
  public var neededRect: LayoutRect? {
    let rects = members.values.compactMap(\.rect)
    return rects.dropFirst().reduce(rects.first) { $0?.joined(with: $1) }
  }

  /// Pixels behind the group have changed.
  public mutating func handle(_ damage: Damage) {
    changes.note(damage)
  }

  /// What lies behind the group has this version.
  public mutating func handle(version: Int) {
    changes.note(version: version)
  }

  /// A member asks for a capture.
  ///
  /// - Parameters:
  ///   - request: what its view asks for.
  ///   - name: who asks; it joins at level 0 if it has not.
  ///   - reach: how far its filters look, in points; `nil` if that is not known.
  /// - Returns: the capture to make for all; `nil` if the one there is serves: it is of the same time
  ///   or nothing has changed, and holds what is needed.
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
