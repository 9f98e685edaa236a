package import FrostglassCore

/// The order in which the rows of a plan's images are computed when each keeps only its last few.
///
/// The target is made in bands of some rows; of several results, each makes the same rows before the next band. For
/// each band, every earlier step computes the missing rows that the band needs, again in bands, from the rows that its
/// sources still keep. The number of rows to keep follows from the plan alone, so it is known before the first row.
package struct RowSchedule: Sendable {
  /// Some rows, which one step computes at once.
  package struct Band: Sendable {
    /// Index into `steps`.
    package let step: Int
    package let rows: Range<Int>
  }

  /// Rows that a step computes at a time with one thread: few enough for those of all steps to stay in
  /// a cache.
  package static let rowsPerBand = 8

  /// Indices of the plan's steps that take part, in order; the last one makes the target, or a result.
  package let steps: [Int]
  /// For each slot, the rows its step computes in all; empty where it takes no part.
  package let rows: [Range<Int>]
  /// For each slot, how many rows must be kept.
  package let capacity: [Int]
  /// Slots whose rows may be in the same places, in fixed point; those not named here are by themselves.
  package let rings: [RowRing]
  /// The bands to compute, in order.
  package let bands: RowBands
  /// The plan's fused ending; `nil` if its last steps run one by one.
  let ending: PlanEnding?

  /// - Parameters:
  ///   - target: the slot that is wanted; `nil` is all results.
  ///   - wanted: its rows.
  ///   - complete: slots that are there in full.
  ///   - rowsPerBand: the most rows that a step computes at once.
  package init(
    _ plan: Plan, target: Int?, rows wanted: Range<Int>, complete: Set<Int>, rowsPerBand: Int
  ) {
    let ending = LoweredPlan(plan).ending(rows: target == nil ? wanted : nil)
    self.init(
      plan, RowNeeds(plan, target: target, rows: wanted, complete: complete, ending),
      rowsPerBand: rowsPerBand, ending)
  }

  /// The same where it is known what is computed, and how the plan ends.
  init(_ plan: Plan, _ needs: RowNeeds, rowsPerBand: Int, _ ending: PlanEnding?) {
    steps = needs.steps
    rows = needs.rows
    self.ending = ending
    var order = BandOrder(
      plan, needs, rowsPerBand: rowsPerBand, ending,
      plan.showsThroughMasks ? plan.aliasing(needs, ending) : nil)
    bands = RowBands(walking: &order)
    capacity = order.capacity
    rings = order.aliasing?.rings(needs.rows) ?? []
  }
}

/// The bands of a schedule, in order: a list, or of a high image, which has very many, worked out
/// again as they are asked for.
package struct RowBands: Sequence, Sendable {
  /// So many are kept in a list, of 24 bytes each.
  private static let mostListed = 1 << 16

  /// The number of bands.
  let count: Int
  /// The order to work them out by, unless they are listed.
  private let order: BandOrder?
  private let listed: [RowSchedule.Band]

  /// Goes through an order once.
  fileprivate init(walking order: inout BandOrder) {
    var listed: [RowSchedule.Band] = []
    var count = 0
    while let band = order.next() {
      count += 1
      if count <= Self.mostListed { listed.append(band) }
    }
    self.count = count
    self.order = count <= Self.mostListed ? nil : order.again
    self.listed = count <= Self.mostListed ? listed : []
  }

  package func makeIterator() -> Iterator { Iterator(order: order, listed: listed.makeIterator()) }

  package struct Iterator: IteratorProtocol {
    fileprivate var order: BandOrder?
    fileprivate var listed: IndexingIterator<[RowSchedule.Band]>

    package mutating func next() -> RowSchedule.Band? {
      order == nil ? listed.next() : order?.next()
    }
  }
}

/// The order, from the target's rows back to what each is computed from.
private struct BandOrder: IteratorProtocol {
  private var steps: [StepOrder]
  private let rowsPerBand: Int
  /// The places of the steps that make what is wanted, the last one first.
  private let ends: [Int]
  /// For each slot, the row up to which it is made.
  private var made: [Int]
  /// For each slot, the most rows between the first that a band read so far and the last made by then.
  private(set) var capacity: [Int]
  /// The slots that can take other slots' places; `nil` if none can, or the answer is known.
  private(set) var aliasing: SlotAliasing?
  /// Slots whose rows are read once more when those of a result are stored.
  private let late: [Int]
  /// For each slot, the rows that are made.
  private let needs: RowNeeds
  /// The target's rows that are still to come.
  private var wanted: Range<Int>
  /// Bands that wait for those after them in the list; of each step one at most.
  private var planned: [RowSchedule.Band] = []

  /// The dependencies of a step's bands. It holds no more of a step than the order needs: copying a whole step for each
  /// band takes a tenth of a large blur's time.
  private struct StepOrder {
    let target: Int?
    var sources: [SourceOrder]
    /// The number of sources that are ready for the waiting band.
    var ready = 0
  }

  private struct SourceOrder {
    let slot: Int
    /// The place of the step that makes the slot; `nil` where it is there in full.
    let maker: Int?
    let reading: RowReading
    /// The rows of the target for which it is read; `nil` for all.
    let shown: RowSet?
    /// The rows that the waiting band reads; `nil` if they are not known yet, empty for none.
    var read: Range<Int>?

    /// Returns the rows from which some rows of the target are computed; `nil` for none.
    func rows(for rows: Range<Int>) -> Range<Int>? {
      shown.map { $0.overlaps(rows) } ?? true ? reading.rows(for: rows) : nil
    }
  }

  init(
    _ plan: Plan, _ needs: RowNeeds, rowsPerBand: Int, _ ending: PlanEnding?,
    _ aliasing: SlotAliasing?
  ) {
    self.needs = needs
    wanted = needs.wanted
    self.rowsPerBand = rowsPerBand
    self.aliasing = aliasing
    made = needs.rows.map(\.lowerBound)
    late = ending?.masked.slotsReadLate ?? []
    capacity = [Int](repeating: 0, count: needs.rows.count)
    var maker = [Int?](repeating: nil, count: needs.rows.count)
    for (place, step) in needs.steps.enumerated() {
      if let target = plan.steps[step].target { maker[target] = place }
    }
    let steps = needs.steps.map { index in
      let step = plan.steps[index]
      return StepOrder(
        target: step.target,
        sources: step.sources.enumerated().map { place, source in
          SourceOrder(
            slot: source.slot, maker: maker[source.slot],
            reading: RowReading(plan, step, source: place),
            shown: ending?.rows(for: step, readingSource: place))
        })
    }
    self.steps = steps
    ends = steps.indices.reversed().filter { steps[$0].target == needs.target }
  }

  /// The same from the beginning, once all bands were taken.
  var again: BandOrder {
    var order = self
    order.made = needs.rows.map(\.lowerBound)
    order.wanted = needs.wanted
    order.aliasing = nil
    return order
  }

  /// The next band; what it needs was made by those before.
  ///
  /// Not recursive, as a chain may be longer than a thread's stack is deep.
  mutating func next() -> RowSchedule.Band? {
    if planned.isEmpty {
      guard !wanted.isEmpty else { return nil }
      // Bands end at whole multiples, so that strips of one image are cut alike.
      let end = (floorDivide(wanted.lowerBound, rowsPerBand) + 1) * rowsPerBand
      let rows = wanted.lowerBound..<min(end, wanted.upperBound)
      wanted = rows.upperBound..<wanted.upperBound
      for place in ends { planned.append(RowSchedule.Band(step: place, rows: rows)) }
    }
    while let band = planned.last {
      if let before = missing(for: band) {
        planned.append(before)
      } else {
        planned.removeLast()
        finish(band)
        return band
      }
    }
    return nil
  }

  /// A band that must come before; `nil` when there is all that a band needs.
  private mutating func missing(for band: RowSchedule.Band) -> RowSchedule.Band? {
    while steps[band.step].ready < steps[band.step].sources.count {
      let place = steps[band.step].ready
      let slot = steps[band.step].sources[place].slot
      if let maker = steps[band.step].sources[place].maker {
        let read =
          steps[band.step].sources[place].read
          ?? steps[band.step].sources[place].rows(for: band.rows) ?? 0..<0
        steps[band.step].sources[place].read = read
        // Hidden rows are skipped.
        if !read.isEmpty, made[slot] < read.upperBound,
          let next = needs.sets[slot].first(in: made[slot]..<read.upperBound)
        {
          let first = next.lowerBound
          return RowSchedule.Band(
            step: maker, rows: first..<min(first + rowsPerBand, next.upperBound))
        }
      }
      steps[band.step].ready += 1
    }
    return nil
  }

  /// Notes that a band is made, and which rows had to be there for it.
  private mutating func finish(_ band: RowSchedule.Band) {
    for place in steps[band.step].sources.indices {
      guard let read = steps[band.step].sources[place].read else { continue }
      steps[band.step].sources[place].read = nil
      let slot = steps[band.step].sources[place].slot
      guard !read.isEmpty else { continue }
      capacity[slot] = max(capacity[slot], made[slot] - read.lowerBound)
      aliasing?.read(slot, read, by: steps[band.step].target)
    }
    steps[band.step].ready = 0
    guard let target = steps[band.step].target else {
      for slot in late {
        capacity[slot] = max(
          capacity[slot], min(made[slot] - band.rows.lowerBound, needs.rows[slot].count))
        aliasing?.keep(slot, from: band.rows.lowerBound)
      }
      return
    }
    capacity[target] = max(capacity[target], band.rows.count)
    made[target] = band.rows.upperBound
    aliasing?.make(target, band.rows)
  }
}

/// The rows of a plan's images that are computed to make some rows of one of them.
package struct RowNeeds: Sendable {
  /// The slot that is wanted; `nil` is all results.
  let target: Int?
  /// Its rows.
  package let wanted: Range<Int>
  /// Indices of the plan's steps that take part, in order; the last one makes the target, or a result.
  package let steps: [Int]
  /// For each slot, the rows its step computes in all; empty where it takes no part.
  package let rows: [Range<Int>]
  /// For each slot, these rows without those that nothing shows.
  let sets: [RowSet]
  /// Samples that all steps compute, the target's among them.
  package let samples: Int

  /// - Parameters:
  ///   - target: the slot that is wanted; `nil` is all results.
  ///   - wanted: its rows.
  ///   - complete: slots that are there in full.
  init(
    _ plan: Plan, target: Int?, rows wanted: Range<Int>, complete: Set<Int>, _ ending: PlanEnding?
  ) {
    var needed = [RowSet](repeating: RowSet(), count: plan.slots.count)
    var steps: [Int] = []
    var samples = 0
    for (index, step) in plan.steps.enumerated().reversed() {
      let isComplete = step.target.map { complete.contains($0) } ?? false
      let rows = step.target == target ? RowSet(wanted) : step.target.map { needed[$0] } ?? RowSet()
      guard !rows.isEmpty, step.target == target || !isComplete else { continue }
      steps.append(index)
      samples += rows.count * plan.samplesPerRow(of: step)
      for (place, source) in step.sources.enumerated() {
        let reading = RowReading(plan, step, source: place)
        let shown = ending?.rows(for: step, readingSource: place)
        for run in rows.runs {
          for part in shown?.clamped(to: run).runs ?? [run] {
            if let read = reading.rows(for: part) { needed[source.slot].insert(read) }
          }
        }
      }
    }
    if let target { needed[target] = RowSet(wanted) }
    for slot in complete { needed[slot] = RowSet() }
    (self.target, self.wanted) = (target, wanted)
    self.steps = steps.reversed()
    self.samples = samples
    sets = needed
    rows = needed.map(\.hull)
  }
}

/// The rows of one of a step's sources from which some rows of its target are computed.
///
/// A class, because the order of rows passes it on for each band, and copying a pass takes longer than asking it.
private final class RowReading: Sendable {
  /// Kept as what it is: to make it of a `Pass` takes memory each time.
  private let pass: any PassKind
  private let source: Int
  private let edge: AxisEdge?
  /// All columns, as a pass that turns the image reads other rows in each.
  private let columns: Range<Int>

  init(_ plan: Plan, _ step: Step, source: Int) {
    pass = step.pass.kind
    self.source = source
    edge = step.sources[source].y
    columns = (step.target.map { plan.slots[$0].domain } ?? plan.result.rect).columns
  }

  /// `nil` for none.
  func rows(for rows: Range<Int>) -> Range<Int>? {
    guard pass.reads(source, for: rows) else { return nil }
    let wanted = pass.sourceRect(for: Rect(columns: columns, rows: rows), of: source).rows
    return edge.map { $0.mode.footprint(of: wanted, in: $0.range) } ?? wanted
  }
}

extension Plan {
  /// True if the plan mixes images through masks.
  fileprivate var showsThroughMasks: Bool {
    steps.contains { step in
      if case .blend(let blend) = step.pass { blend.mode == .masked } else { false }
    }
  }

  fileprivate func samplesPerRow(of step: Step) -> Int {
    if let target = step.target {
      return slots[target].domain.width * slots[target].layout.channels
    }
    guard case .store(let store) = step.pass else { return 0 }
    return result.rect.width * store.format.layout.channels
  }
}

/// Some rows of an image: runs of them, in order, that neither overlap nor touch.
struct RowSet: Sendable {
  private(set) var runs: [Range<Int>] = []

  init() {}

  init(_ rows: Range<Int>) { if !rows.isEmpty { runs = [rows] } }

  var isEmpty: Bool { runs.isEmpty }

  /// The number of rows.
  var count: Int { runs.reduce(0) { $0 + $1.count } }

  /// From the first row to the last; empty where there is none.
  var hull: Range<Int> {
    guard let first = runs.first, let last = runs.last else { return 0..<0 }
    return first.lowerBound..<last.upperBound
  }

  /// Takes rows in, nearly always after those that are there.
  mutating func insert(_ rows: Range<Int>) {
    guard !rows.isEmpty else { return }
    var (low, high) = (rows.lowerBound, rows.upperBound)
    var later: [Range<Int>] = []
    while let last = runs.last, last.upperBound >= low {
      runs.removeLast()
      if last.lowerBound > high {
        later.append(last)
      } else {
        (low, high) = (min(low, last.lowerBound), max(high, last.upperBound))
      }
    }
    runs.append(low..<high)
    runs += later.reversed()
  }

  mutating func formUnion(_ other: RowSet) { for run in other.runs { insert(run) } }

  func overlaps(_ rows: Range<Int>) -> Bool { runs.contains { $0.overlaps(rows) } }

  /// The rows of a range.
  func clamped(to rows: Range<Int>) -> RowSet {
    var part = RowSet()
    for run in runs where run.overlaps(rows) { part.insert(run.clamped(to: rows)) }
    return part
  }

  /// The first rows in a range that follow each other.
  func first(in rows: Range<Int>) -> Range<Int>? {
    runs.first { $0.overlaps(rows) }?.clamped(to: rows)
  }
}

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
