/// A filled shape put together from short runs, each a mean that an earlier pass made.
///
/// Inside, all taps of a shape weigh the same. So each row of them is runs of equal length, read as
/// one sample of a picture of means, and what is left at both ends. The result is the same mean,
/// from about a third of the samples.
struct RunSplit: Sendable, Hashable {
  /// The mean of a run, at its first sample.
  let run: Stencil
  /// All runs, on the picture of their means.
  let runs: Stencil
  /// What is not in runs, and how much of the whole it weighs.
  let rest: Stencil
  let restMass: Double

  /// The cheapest split of a shape's taps; `nil` when none saves a third of the samples.
  ///
  /// - Parameter taps: row by row, their weights summing to 1.
  static func cheapest(of taps: [Stencil.Tap]) -> RunSplit? {
    let lengths = 3...12
    guard taps.count > 40, let length = lengths.min(by: { cost($0, taps) < cost($1, taps) }),
      3 * cost(length, taps) < 2 * taps.count
    else { return nil }
    return RunSplit(taps, length: length)
  }

  private init(_ taps: [Stencil.Tap], length: Int) {
    let (starts, rest) = Self.split(taps, length: length)
    run = Stencil((0..<length).map { Stencil.Tap(dx: $0, dy: 0, weight: 1 / Float(length)) })
    runs = Stencil(
      starts.map { Stencil.Tap(dx: $0.dx, dy: $0.dy, weight: 1 / Float(starts.count)) })
    let mass = rest.reduce(0) { $0 + Double($1.weight) }
    self.rest = Stencil(
      rest.map { Stencil.Tap(dx: $0.dx, dy: $0.dy, weight: Float(Double($0.weight) / mass)) })
    restMass = mass
  }

  /// Samples read per pixel.
  private static func cost(_ length: Int, _ taps: [Stencil.Tap]) -> Int {
    let (starts, rest) = split(taps, length: length)
    return starts.isEmpty || rest.isEmpty ? .max / 4 : length + starts.count + rest.count + 1
  }

  /// The first taps of all runs, and the taps outside of them.
  private static func split(
    _ taps: [Stencil.Tap], length: Int
  ) -> (starts: [Stencil.Tap], rest: [Stencil.Tap]) {
    let full = (taps.map(\.weight).max() ?? 0) * (1 - 0x1p-20)
    var starts: [Stencil.Tap] = []
    var rest: [Stencil.Tap] = []
    var index = 0
    while index < taps.count {
      // The stretch of full taps in a row that begins here.
      var end = index
      while end < taps.count, taps[end].weight >= full, taps[end].dy == taps[index].dy,
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
