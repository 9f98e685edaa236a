/// The mean along a line, put together from means of short pieces.
///
/// A line of many steps is blocks of equal length, each a mean that an earlier pass made for every
/// pixel, and single steps for what is left at both ends. The result is exactly the mean, each step
/// counting once and the last one on each side as much of it as belongs to the line.
struct LineBox {
  /// One part of the mean.
  struct Part {
    /// How many passes of `blocks` it starts from.
    var level: Int
    var steps: [(step: Int, weight: Double)]

    var mass: Double { steps.reduce(0) { $0 + $1.weight } }
  }

  /// Steps per block, from the shortest; each is made of the ones before.
  let blocks: [[Int]]
  /// Adds up to the mean.
  let parts: [Part]

  /// - Parameter length: in steps, more than 1.
  init(length: Double, on line: Line) {
    let whole = Int(((length - 1) / 2).rounded(.down))
    let candidates = Self.candidates(count: 2 * whole + 1)
    let sizes = candidates.min { Self.cost($0, whole, line) < Self.cost($1, whole, line) } ?? []
    var blocks: [[Int]] = []
    var spacing = 1
    for size in sizes {
      // Centered, or half a step before.
      blocks.append((0..<size).map { ($0 - (size - 1) / 2) * spacing })
      spacing *= size
    }
    self.blocks = blocks
    parts = Self.parts(length, whole, sizes, blocks)
  }

  /// Block sizes worth trying: none, one size, or two.
  private static func candidates(count: Int) -> [[Int]] {
    var candidates: [[Int]] = [[]]
    guard count > 16 else { return candidates }
    for first in 4...min(count / 2, 48) {
      candidates.append([first])
      guard first <= 20, count > 200 else { continue }
      for second in 4...20 where first * second <= count / 2 { candidates.append([first, second]) }
    }
    return candidates
  }

  /// Samples read per pixel, and a price for passes and for blur across the line.
  private static func cost(_ sizes: [Int], _ whole: Int, _ line: Line) -> Double {
    var cost = sizes.reduce(0.0) { $0 + Double($1) }
    var spacing = sizes.reduce(1, *)
    var left = 2 * whole + 1
    for size in sizes.reversed() {
      let count = left / spacing
      cost += Double(count) + 24 * line.softness(spacing: spacing, count: count) + 6
      left -= count * spacing
      spacing /= size
    }
    return cost + Double(left + 2)
  }

  private static func parts(
    _ length: Double, _ whole: Int, _ sizes: [Int], _ blocks: [[Int]]
  ) -> [Part] {
    var parts: [Part] = []
    var open = [-whole..<whole + 1]
    for level in (0...sizes.count).reversed() {
      let spacing = sizes.prefix(level).reduce(1, *)
      // Where the first step of a block lies, seen from the pixel that holds its mean.
      let first = blocks.prefix(level).reduce(0) { $0 + $1[0] }
      var steps: [(step: Int, weight: Double)] = []
      var rest: [Range<Int>] = []
      for range in open {
        let count = range.count / spacing
        let left = range.count - count * spacing
        let start = range.lowerBound + left / 2
        for index in 0..<count {
          steps.append((start + index * spacing - first, Double(spacing) / length))
        }
        rest += [range.lowerBound..<start, start + count * spacing..<range.upperBound]
          .filter { !$0.isEmpty }
      }
      open = rest
      if level == 0 { steps += ends(length, whole) }
      if !steps.isEmpty { parts.append(Part(level: level, steps: steps)) }
    }
    return parts
  }

  /// What belongs to the line of the steps beyond the whole ones.
  private static func ends(_ length: Double, _ whole: Int) -> [(step: Int, weight: Double)] {
    let weight = (length - Double(2 * whole + 1)) / 2 / length
    return weight > 1e-9 ? [(-whole - 1, weight), (whole + 1, weight)] : []
  }
}
