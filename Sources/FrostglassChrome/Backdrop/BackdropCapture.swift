public import FrostglassCore

/// One look at what lies behind a backdrop view.
public struct BackdropCapture: Sendable, Hashable {
  /// 1 for a view's first capture.
  public var number: Int
  /// What must be known, in points of the parent: all places that the view can be at before it asks
  /// again. Filters read beyond it as far as they reach.
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
