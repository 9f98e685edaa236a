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
