/// Where a backdrop view is on its way in and out.
public enum BackdropPhase: String, Sendable, Hashable, CaseIterable {
  /// In no parent.
  case unloaded
  /// In its parent, out of sight.
  case away
  case arriving
  case arrived
  case leaving

  /// Whether it is there or coming, so that a live view keeps looking.
  var isShown: Bool { self == .arriving || self == .arrived }
}
