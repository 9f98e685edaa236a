/// One pass with the pictures it reads and the one it writes.
public struct Step: Sendable, Hashable {
  public var pass: Pass
  /// None for `load` and `generate`, two or three for `blend`, two for `prepend`
  /// and `displace`, one otherwise.
  public var sources: [Source]
  /// Index of the slot written; `nil` for `store`, which writes the result.
  public var target: Int?

  package init(pass: Pass, sources: [Source], target: Int?) {
    self.pass = pass
    self.sources = sources
    self.target = target
  }
}
