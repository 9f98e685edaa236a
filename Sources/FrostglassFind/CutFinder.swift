/// Finds cuts: frames that differ from the one before much more than the frames on both sides do.
///
/// A frame's verdict comes one frame later, as it takes both sides: a film that is played backward has the same cuts,
/// and a flash is none.
package struct CutFinder {
  /// The number of frames by which a verdict is late.
  package static let delay = 1
  private static let columns = 64
  /// Less is no cut, whatever the neighbors.
  private static let least = 12.0

  private var last: LumaPlane?
  /// The difference of each frame from the one before; 0 for the first.
  private var differences: [Double] = []
  /// The number of the first of these.
  private var first = 0

  /// Creates one for a film.
  package init() {}

  /// Takes the next frame.
  package mutating func add(_ plane: LumaPlane) {
    let small = plane.shrunk(to: Self.columns)
    differences.append(last.map(small.difference(from:)) ?? 0)
    last = small
    if differences.count > 2 * Self.delay + 4 {
      differences.removeFirst()
      first += 1
    }
  }

  /// True if a shot begins with a frame, one of the last that were added.
  package func beginsShot(_ frame: Int) -> Bool {
    guard frame > 0 else { return true }
    let own = differences[frame - first]
    guard own > Self.least else { return false }
    let near = [frame - 1, frame + 1].filter { $0 > 0 && $0 - first < differences.count }
    return near.allSatisfy { own > 3 * differences[$0 - first] }
  }
}
