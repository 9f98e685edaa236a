// Filled shapes put together from short runs, each a mean that an earlier pass made.
//
// Inside, all taps of a shape weigh the same. So each row of them is runs of equal length, read as one sample of a
// image of means, and what is left at both ends. The result is the same mean, from about a third of the samples.
extension Stencil {
  /// The passes that make a shape where it is not made at once.
  package struct Parts {
    /// The mean of a run, at its first sample.
    package let run: Stencil
    /// All runs, on the image of their means.
    package let runs: Stencil
    /// The taps that are in no run.
    package let rest: Stencil
    /// The share of the rest in the whole weight.
    package let restShare: Double
  }

  /// A filled shape, with the length of runs that takes the fewest samples; taps like others where no length saves
  /// a third of them.
  package init(shape taps: [WholeTap]) {
    self.init(taps)
    let lengths = 3...12
    guard taps.count > 40, let run = lengths.min(by: { cost(run: $0) < cost(run: $1) }),
      3 * cost(run: run) < 2 * taps.count
    else { return }
    form = .shape(run: run)
  }

  /// True for a filled shape that may be made in parts.
  package var isShape: Bool { if case .shape = form { true } else { false } }

  /// The passes that make a shape in parts; `nil` for other stencils.
  package var parts: Parts? {
    guard case .shape(let length) = form, let unit else { return nil }
    let (starts, rest) = split(run: length)
    return Parts(
      run: Stencil((0..<length).map { WholeTap(dx: $0, dy: 0, count: 1) }),
      runs: Stencil(starts.map { WholeTap(dx: $0.dx, dy: $0.dy, count: 1) }),
      rest: Stencil(rest.map { WholeTap(dx: $0.dx, dy: $0.dy, count: $0.count) }),
      restShare: rest.reduce(0) { $0 + Double($1.count) } / Double(unit))
  }

  /// Samples read per pixel.
  private func cost(run length: Int) -> Int {
    let (starts, rest) = split(run: length)
    return starts.isEmpty || rest.isEmpty ? .max / 4 : length + starts.count + rest.count + 1
  }

  /// The first taps of all runs, and the taps outside of them.
  private func split(run length: Int) -> (starts: [Tap], rest: [Tap]) {
    let taps = taps[0]
    let full = taps.map(\.count).max() ?? 0
    var starts: [Tap] = []
    var rest: [Tap] = []
    var index = 0
    while index < taps.count {
      // The stretch of full taps in a row that begins here.
      var end = index
      while end < taps.count, taps[end].count == full, taps[end].dy == taps[index].dy,
        taps[end].dx - taps[index].dx == end - index
      { end += 1 }
      let count = (end - index) / length
      let first = index + (end - index - count * length) / 2
      starts += (0..<count).map { taps[first + $0 * length] }
      rest += taps[index..<first] + taps[first + count * length..<max(end, index + 1)]
      index = max(end, index + 1)
    }
    return (starts, rest)
  }
}
