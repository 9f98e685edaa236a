public import FrostglassCore

/// A view that shows what lies behind it, blurred: where it is and when it looks.
///
/// It holds no pixels and reads no clock. `handle(_:at:)` tells it what happens, `advance(to:)` lets
/// time pass, and both answer with what is to be done; the queries tell how it looks at `time`. The
/// picture that it shows is what lay behind at `capturedAt`, filtered by its look, of which `cropRect`
/// shows: it stays aligned with what lies behind while the view moves or grows.
public struct BackdropView: Sendable, Hashable {
  public let settings: BackdropSettings
  /// The present, in seconds. Never goes back.
  public internal(set) var time: Double
  public internal(set) var mode = BackdropMode.undefined
  public internal(set) var phase = BackdropPhase.unloaded
  /// What it does to what lies behind.
  public internal(set) var look = BackdropLook.standard
  public internal(set) var isHidden = false
  /// The bounds of its parent, in points; `nil` while it is unloaded.
  public internal(set) var parent: LayoutRect?
  /// Where it is when it is there, in points of its parent.
  public internal(set) var shownFrame: LayoutRect
  /// What it shows; `nil` for nothing.
  public internal(set) var capture: BackdropCapture?
  /// How many captures it has asked for.
  public internal(set) var captureCount = 0
  /// How often it did not ask because nothing had changed.
  public internal(set) var skippedCount = 0

  var motion: TimedValue<LayoutRect>
  var opacity = TimedValue(1.0)
  /// When it will have arrived or left.
  var phaseEnd = 0.0
  var timer: BackdropTimer?
  /// The capture that is in flight.
  var awaited: BackdropCapture?
  /// Whether to ask for a capture as soon as that is possible.
  var isWanted = false
  var changes = BackdropChanges()

  /// - Parameters:
  ///   - settings: where it is and how it comes.
  ///   - time: the present, in seconds; 0 if it is not finite.
  public init(_ settings: BackdropSettings = .standard, at time: Double = 0) {
    self.settings = settings
    self.time = time.isFinite ? time : 0
    shownFrame = settings.frame
    motion = TimedValue(settings.away(from: settings.frame))
  }
}

extension BackdropView {
  /// Where it is, in points of its parent.
  public var frame: LayoutRect { motion.value(at: time) }

  /// How much it covers, 0…1.
  public var alpha: Double { opacity.value(at: time) }

  /// The part of its parent that it covers, and of the backdrop that it shows there; `nil` while
  /// nothing of it can be seen.
  public var cropRect: LayoutRect? {
    guard let parent, !isHidden, alpha > 0 else { return nil }
    return frame.part(inside: parent)
  }

  /// `cropRect` counted from the corner of what was captured; `nil` without a capture.
  public var cropInCapture: LayoutRect? {
    guard let crop = cropRect, let corner = capture?.rect.origin else { return nil }
    return LayoutRect(
      x: crop.x - corner.x, y: crop.y - corner.y, width: crop.width, height: crop.height)
  }

  /// The time of what it shows, in seconds; `nil` while it shows nothing.
  public var capturedAt: Double? { capture?.time }

  public var isVisible: Bool { cropRect != nil }

  /// Whether it moves or fades.
  public var isAnimating: Bool { motion.isMoving(at: time) || opacity.isMoving(at: time) }

  /// Whether a timer runs; there is never more than one.
  public var hasTimer: Bool { timer != nil }

  /// When `advance(to:)` will next have something to tell; `nil` for never.
  public var nextMoment: Double? {
    let isMoving = phase == .arriving || phase == .leaving
    return [isMoving ? phaseEnd : nil, timer?.next].compactMap(\.self).min()
  }
}
