internal import FrostglassCore

/// Slots whose rows take the same places, one slot after the other.
package struct RowRing: Sendable {
  package let slots: [Int]
  /// From the first row of any of them to the last.
  package let rows: Range<Int>
  /// How many must be kept.
  package let capacity: Int
}

/// Which pictures are made where another one is: those that show something else in parts of it. So what they
/// leave as it is need not be copied.
///
/// A row of the other must not be read any more by then. Whether it is follows from the order in which rows are
/// made: that goes on as if it were not, and then what turns out to be mistaken is left alone.
struct RowReplacements: Sendable {
  /// For each slot, the one that takes its place.
  private var successor: [Int?]
  /// For each slot, the first of all whose place it takes; itself for all others.
  private var first: [Int] = []
  /// For each slot, the end of its rows that are made.
  private var made: [Int]
  /// For the first of several slots, the end of the rows that any of them has, and how many must be kept.
  private var lead: [Int]
  private var capacity: [Int]
  /// Slots that may not take others' places.
  private(set) var mistaken: Set<Int> = []

  /// - Parameter pairs: slots and those whose places they are to take, in the order in which they are made.
  fileprivate init(_ pairs: [(slot: Int, before: Int)], slots: Int) {
    successor = [Int?](repeating: nil, count: slots)
    for (slot, before) in pairs { successor[before] = slot }
    made = [Int](repeating: .min, count: slots)
    lead = made
    capacity = [Int](repeating: 0, count: slots)
    findFirst()
  }

  private mutating func findFirst() {
    first = Array(successor.indices)
    // Slots are numbered as they are made.
    for slot in successor.indices {
      if let next = successor[slot] { first[next] = first[slot] }
    }
  }

  mutating func remove(_ slots: Set<Int>) {
    for slot in successor.indices {
      if let next = successor[slot], slots.contains(next) { successor[slot] = nil }
    }
    findFirst()
  }

  /// Notes that rows of a slot are read.
  mutating func read(_ slot: Int, _ rows: Range<Int>, by target: Int?) {
    if let next = successor[slot], next != target, rows.lowerBound < made[next] {
      mistaken.insert(next)
    }
    keep(slot, from: rows.lowerBound)
  }

  /// Notes that rows of a slot are made.
  mutating func make(_ slot: Int, _ rows: Range<Int>) {
    if let next = successor[slot], rows.lowerBound < made[next] { mistaken.insert(next) }
    made[slot] = rows.upperBound
    lead[first[slot]] = max(lead[first[slot]], rows.upperBound)
    keep(slot, from: rows.lowerBound)
  }

  /// Notes that rows of a slot from one on are still needed.
  mutating func keep(_ slot: Int, from row: Int) {
    let place = first[slot]
    guard lead[place] > row else { return }
    capacity[place] = max(capacity[place], lead[place] - row)
  }

  /// Slots that have one place, and what rows of it there are.
  func rings(_ rows: [Range<Int>]) -> [RowRing] {
    successor.indices.compactMap { slot in
      guard first[slot] == slot, successor[slot] != nil else { return nil }
      let slots = successor.indices.filter { first[$0] == slot }
      let all = slots.map { rows[$0] }
      guard let low = all.map(\.lowerBound).min(), let high = all.map(\.upperBound).max()
      else { return nil }
      return RowRing(slots: slots, rows: low..<high, capacity: capacity[slot])
    }
  }
}

extension Plan {
  /// Masked blends that could be made where the picture is that they show something in: in fixed point, as floats
  /// are not mixed in place, and rows need not be gone through for that.
  func replacements(_ needs: RowNeeds, _ ending: PlanEnding?) -> RowReplacements? {
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
    return pairs.isEmpty ? nil : RowReplacements(pairs, slots: slots.count)
  }
}
