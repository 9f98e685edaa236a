/// A median filter: each channel's middle value in a square window.
///
/// Removes specks and lines that fill less than half of the window, and keeps edges. Exact: the
/// result is one of the window's samples, so nothing is rounded beyond the precision of the plan.
/// Other ranks are the local darkest (erosion), brightest (dilation), or between.
package struct MedianFilter: Filter {
  /// Pixels to each side of the center.
  package var radius = 2
  /// Where in the window's ascending order: 0 the lowest value, 0.5 the median, 1 the highest.
  package var rank = 0.5

  package static let definition = FilterDefinition<MedianFilter>(
    "median", "Takes the median of a square; removes specks, keeps edges.",
    [
      .integer(
        "radius", \.radius, in: 0...15,
        "Pixels to each side; 0 changes nothing. Time grows with it, on a GPU with its square."),
      .factor(
        "rank", \.rank, in: 0...1, "50% is the median, 0 the lowest value, 1 the highest."),
    ])

  package init() {}

  package init(radius: Int, rank: Double = 0.5) {
    self.radius = radius
    self.rank = rank
  }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    guard radius > 0 else { return source }
    let side = 2 * radius + 1
    let index = Int((rank * Double(side * side - 1)).rounded())
    return planner.median(planner.withEdges(source), Median(radius: radius, rank: index))
  }
}

extension FilterChain {
  /// The median of a square of `2 radius + 1` pixels; radius 0…15.
  public static func median(radius: Int) -> FilterChain {
    FilterChain(MedianFilter(radius: radius))
  }
}
