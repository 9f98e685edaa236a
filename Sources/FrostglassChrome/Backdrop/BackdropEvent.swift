public import FrostglassCore

/// What a backdrop view is told.
///
/// What happens at a time comes before ticks and arrivals of the same time, so that a tick sees what
/// has changed.
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
  /// What lies behind it has this version: another one than before means that all has changed.
  case version(Int)
  /// The capture of this number is done; only with `confirmsCaptures`.
  case captured(Int)
}

/// What a backdrop view asks of whoever draws it.
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
