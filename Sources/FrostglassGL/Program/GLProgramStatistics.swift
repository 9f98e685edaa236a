/// Where a backend's programs came from.
public struct GLProgramStatistics: Sendable, Hashable {
  /// Compiled from their text.
  public var compiled = 0
  /// Taken from the cache directory, compiled by an earlier process.
  public var loaded = 0
  /// Found in the cache directory but of no use, as they were damaged or the driver refused them;
  /// they count as compiled too.
  public var rejected = 0
  /// Written to the cache directory.
  public var stored = 0

  public init() {}
}
