/// A change of scale along both axes; either may be `.identity`.
///
/// The source rows of a target row are first combined along y, then along x, or the other way
/// round: backends may choose, as both orders are within the rounding the plan accounts for.
package struct Resample: Sendable, Hashable {
  package var x: Polyphase
  package var y: Polyphase

  package init(x: Polyphase, y: Polyphase) {
    self.x = x
    self.y = y
  }

  package func sourceRect(for target: Rect) -> Rect {
    Rect(columns: x.sourceRange(for: target.columns), rows: y.sourceRange(for: target.rows))
  }
}

extension Resample: PassKind {
  package var multiplyAdds: Int { x.longestPhase * y.longestPhase }
  package var tapCount: Int { max(x.longestPhase, y.longestPhase) }
  package var period: (x: Int, y: Int) { (x.phases.count, y.phases.count) }
  package var summary: String { "x \(x.ratio), y \(y.ratio)" }
  package func readsBeyondEdges(of source: Int) -> (x: Bool, y: Bool) { (true, true) }
}

/// A change of scale by a fixed ratio along one axis, as short filters that take turns.
///
/// With `n` phases, target sample `i` belongs to period `q = floor(i / n)` and phase `p = i - n q`,
/// and is `Σ_j phases[p].taps[j] * source[q * stride + phases[p].first + j]`. Shrinking by 2 is one
/// phase with stride 2; growing by `f` is `f` phases with stride 1.
package struct Polyphase: Sendable, Hashable {
  /// One of the filters that take turns.
  package struct Phase: Sendable, Hashable {
    /// Offset of the first source sample.
    package var first: Int
    package var taps: [Float]

    package init(first: Int, taps: [Float]) {
      self.first = first
      self.taps = taps
    }
  }

  /// Source samples per period.
  package var stride: Int
  package var phases: [Phase]

  package init(stride: Int, phases: [Phase]) {
    self.stride = stride
    self.phases = phases
  }

  /// Leaves the axis as it is.
  package static let identity = Polyphase(stride: 1, phases: [Phase(first: 0, taps: [1])])

  /// Moves the picture by whole samples, toward larger coordinates where positive.
  package static func moving(by offset: Int) -> Polyphase {
    Polyphase(stride: 1, phases: [Phase(first: -offset, taps: [1])])
  }

  /// By how many samples it moves, if it does nothing else.
  package var move: Int? {
    stride == 1 && phases.count == 1 && phases[0].taps == [1] ? -phases[0].first : nil
  }

  package var isIdentity: Bool { self == .identity }

  /// The number of taps of the longest phase.
  package var longestPhase: Int { phases.map(\.taps.count).max() ?? 0 }

  /// The first source sample and the phase for one target sample.
  @inline(__always)
  package func start(of target: Int) -> (source: Int, phase: Int) {
    let period = floorDivide(target, phases.count)
    let phase = target - period * phases.count
    return (period * stride + phases[phase].first, phase)
  }

  package func sourceRange(for target: Range<Int>) -> Range<Int> {
    if isIdentity { return target }
    let low = start(of: target.lowerBound)
    let high = start(of: target.upperBound - 1)
    return low.source..<high.source + phases[high.phase].taps.count
  }
}

extension Polyphase {
  /// `÷2`, `×8`, `1` or `moved by 12`.
  var ratio: String {
    if isIdentity { return "1" }
    if let move { return "moved by \(move)" }
    return stride > 1 ? "÷\(stride)" : "×\(phases.count)"
  }
}
