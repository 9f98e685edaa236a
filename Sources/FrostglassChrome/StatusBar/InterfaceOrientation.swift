/// How an interface is turned.
public enum InterfaceOrientation: String, Sendable, Hashable, CaseIterable {
  case portrait, portraitUpsideDown, landscapeLeft, landscapeRight, unknown

  /// Upright or upside down.
  public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }
}
