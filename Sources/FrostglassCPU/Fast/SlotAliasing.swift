internal import FrostglassCore

/// Slots whose rows take the same places, one slot after the other.
package struct RowRing: Sendable {
  package let slots: [Int]
  /// From the first row of any of them to the last.
  package let rows: Range<Int>
  /// The number of rows to keep.
  package let capacity: Int
}

/// Slots that alias an earlier slot's rows: those that show something else in parts of it. So what they
/// leave as it is need not be copied.
///
/// A row of the earlier slot must not be read any more by then. Whether it is follows from the order in which
/// rows are made, which is the same with aliases and without: one walk through it says of each pair whether
/// it may be, and how many rows a place must have for any slots that come to share it.
struct SlotAliasing: Sendable {
  /// Slots each of which may replace the previous one in place.
  private struct Chain {
    let slots: [Int]
    /// For each slot, the end of its rows that are made.
    var made: [Int]
    /// For each slot, true if it may not take the place of the one before.
    var isApart: [Bool]
    /// For each slot, and then each that might share its place: the most rows from one of the first that is
    /// needed to the last that the other has.
    var gaps: [[Int]]

    init(_ slots: [Int]) {
      self.slots = slots
      made = [Int](repeating: .min, count: slots.count)
      isApart = slots.indices.map { $0 == 0 }
      gaps = [[Int]](repeating: [Int](repeating: 0, count: slots.count), count: slots.count)
    }

    mutating func keep(_ place: Int, from row: Int) {
      for other in slots.indices where made[other] > row {
        gaps[place][other] = max(gaps[place][other], made[other] - row)
      }
    }
  }

  private var chains: [Chain] = []
  /// For each slot, its chain and its place there.
  private var places: [(chain: Int, place: Int)?]

  /// - Parameter pairs: slots and those whose places they might take, in the order in which they are made.
  fileprivate init(_ pairs: [(slot: Int, before: Int)], slots: Int) {
    var successor = [Int?](repeating: nil, count: slots)
    for (slot, before) in pairs { successor[before] = slot }
    let followers = Set(successor.compactMap { $0 })
    places = [(chain: Int, place: Int)?](repeating: nil, count: slots)
    for first in successor.indices where successor[first] != nil && !followers.contains(first) {
      let chain = Array(sequence(first: first) { successor[$0] })
      for (place, slot) in chain.enumerated() { places[slot] = (chains.count, place) }
      chains.append(Chain(chain))
    }
  }

  /// Notes that rows of a slot are read.
  mutating func read(_ slot: Int, _ rows: Range<Int>, by target: Int?) {
    guard let (chain, place) = places[slot] else { return }
    let next = place + 1
    if next < chains[chain].slots.count, chains[chain].slots[next] != target {
      replace(next, rows, in: chain)
    }
    chains[chain].keep(place, from: rows.lowerBound)
  }

  /// Notes that rows of a slot are made.
  mutating func make(_ slot: Int, _ rows: Range<Int>) {
    guard let (chain, place) = places[slot] else { return }
    if place + 1 < chains[chain].slots.count { replace(place + 1, rows, in: chain) }
    chains[chain].made[place] = rows.upperBound
    chains[chain].keep(place, from: rows.lowerBound)
  }

  /// Notes that rows of a slot from one on are still needed.
  mutating func keep(_ slot: Int, from row: Int) {
    if let (chain, place) = places[slot] { chains[chain].keep(place, from: row) }
  }

  /// Excludes a slot whose rows are made while those of the previous one are needed.
  private mutating func replace(_ place: Int, _ rows: Range<Int>, in chain: Int) {
    if rows.lowerBound < chains[chain].made[place] { chains[chain].isApart[place] = true }
  }

  /// Slots that have one place, and what rows of it there are.
  func rings(_ rows: [Range<Int>]) -> [RowRing] {
    chains.flatMap { chain -> [RowRing] in
      let starts = chain.slots.indices.filter { chain.isApart[$0] }
      return zip(starts, starts.dropFirst() + [chain.slots.count]).compactMap {
        start, end -> RowRing? in
        let all = chain.slots[start..<end].map { rows[$0] }
        guard all.count > 1, let low = all.map(\.lowerBound).min(),
          let high = all.map(\.upperBound).max()
        else { return nil }
        let capacity = (start..<end).flatMap { chain.gaps[$0][start..<end] }.max() ?? 0
        return RowRing(slots: Array(chain.slots[start..<end]), rows: low..<high, capacity: capacity)
      }
    }
  }
}

extension Plan {
  /// Masked blends that could be made where the image is that they show something in: in fixed point, as floats
  /// are not mixed in place, and rows need not be gone through for that.
  func aliasing(_ needs: RowNeeds, _ ending: PlanEnding?) -> SlotAliasing? {
    guard arithmetic() == .fixed else { return nil }
    let late = ending?.masked.slotsReadLate ?? []
    let pairs = needs.steps.compactMap { index -> (slot: Int, before: Int)? in
      let step = steps[index]
      guard case .blend(let blend) = step.pass, blend.mode == .masked, let slot = step.target
      else { return nil }
      let (source, before) = (step.sources[0], step.sources[0].slot)
      guard source.x == nil, source.y == nil, !needs.rows[before].isEmpty, !late.contains(before),
        step.sources.dropFirst().allSatisfy({ $0.slot != before }),
        slots[slot].domain.columns == slots[before].domain.columns,
        slots[slot].layout == slots[before].layout, ending?.masked.makes(slot) != true
      else { return nil }
      return (slot, before)
    }
    return pairs.isEmpty ? nil : SlotAliasing(pairs, slots: slots.count)
  }
}
