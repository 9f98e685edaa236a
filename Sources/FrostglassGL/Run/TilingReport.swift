/// How a plan is cut to fit a device.
package struct TilingReport: Sendable, Hashable {
  /// Parts that run one after the other; 1 where the plan fits.
  package var tiles: Int
  /// Samples that all parts compute or load, of those of the whole: what parts share counts for each.
  package var excess: Double
}
