public import FrostglassCore

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
