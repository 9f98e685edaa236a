/// The parts of a result that can differ from the input which a mask leaves as it is elsewhere.
package struct ChangedParts: Sendable {
  /// The input whose bytes are the rest.
  package let input: Int
  /// The plans that compute the parts.
  package let plans: [Plan]
  /// The area outside all parts, in rectangles that do not overlap.
  package let rest: [Rect]

  /// - Returns: `nil` where all may change, or nearly all.
  package init?(_ plan: Plan) {
    guard let (load, store, found) = plan.shownThroughMasks, plan.keepsBytes(load, store),
      Rect(plan.inputs[load.input].size).contains(plan.result.rect)
    else { return nil }
    let whole = plan.result.rect
    let reach = plan.reach
    let parts = Self.joined(
      found.map { $0.intersection(whole) }.filter { !$0.isEmpty }, reach, whole)
    let cost = parts.reduce(0) { $0 + Self.cost($1, reach, whole) }
    guard cost < Self.cost(whole, reach, whole) * 9 / 10 else { return nil }
    self.init(plan, parts, of: load.input)
  }

  /// - Parameters:
  ///   - parts: the parts of the result; outside of them it has the bytes of an input.
  /// - Returns: `nil` where a part lies outside of the result.
  package init?(_ plan: Plan, _ parts: [Rect], of input: Int) {
    var plans: [Plan] = []
    for part in parts {
      guard let cropped = try? plan.cropped(to: part) else { return nil }
      plans.append(cropped)
    }
    self.plans = plans
    self.input = input
    rest = plan.result.rect.without(parts)
  }

  /// So many parts are looked at in pairs; of more, one is made that holds all.
  private static let most = 64

  /// Puts parts together as long as one then costs less than two.
  private static func joined(_ all: [Rect], _ reach: (x: Int, y: Int), _ whole: Rect) -> [Rect] {
    guard all.count <= most else { return [all.dropFirst().reduce(all[0]) { $0.union($1) }] }
    var parts: [Rect] = []
    for part in all {
      var part = part
      while let index = parts.firstIndex(where: {
        cost($0.union(part), reach, whole) <= cost($0, reach, whole) + cost(part, reach, whole)
      }) {
        part = part.union(parts.remove(at: index))
      }
      parts.append(part)
    }
    return parts
  }

  /// Pixels that are made, and half as much for each that is looked at.
  private static func cost(_ part: Rect, _ reach: (x: Int, y: Int), _ whole: Rect) -> Int {
    let around = Rect(
      columns: part.columns.expanded(by: reach.x), rows: part.rows.expanded(by: reach.y)
    ).intersection(whole)
    return 2 * part.area + around.area
  }
}

extension Plan {
  /// The `load` of an input that equals the result except where masks show something else, the result's `store`, and
  /// the parts where masks may; `nil` where there is no such input.
  package var shownThroughMasks: (load: Load, store: Store, parts: [Rect])? {
    guard results.count == 1, case .store(let store) = steps.last?.pass,
      var slot = steps.last?.sources.first?.slot
    else { return nil }
    var parts: [Rect] = []
    while let step = step(making: slot) {
      switch step.pass {
      case .blend(let blend):
        guard blend.mode == .masked, let part = blend.secondPart else { return nil }
        parts += coverage(of: step.sources[2].slot)?.parts(of: part) ?? [part]
        slot = step.sources[0].slot
      case .load(let load): return (load, store, parts)
      default: return nil
      }
    }
    return nil
  }

  /// The pixels that what masks show is made of, and those themselves; `nil` where nothing shows. Of plans that
  /// do not end in masks, all of them.
  ///
  /// - Throws: `PlanError`, as `cropped(to:)` does.
  package func looked() throws(PlanError) -> Rect? {
    var all: Rect?
    for part in shownThroughMasks?.parts ?? [result.rect] where !part.isEmpty {
      let read = try cropped(to: part.intersection(result.rect)).part(ofInput: 0)
      let both = read.map { $0.union(part) } ?? part
      all = all?.union(both) ?? both
    }
    return all
  }

  /// Returns the coverage that a slot holds; `nil` where it holds something else.
  package func coverage(of slot: Int) -> Coverage? {
    guard case .generate(let generate) = step(making: slot)?.pass,
      case .coverage(let coverage) = generate.content
    else { return nil }
    return coverage
  }

  /// Returns true if samples that are loaded and stored again keep their bytes, where nothing is rounded in between.
  package func keepsBytes(_ load: Load, _ store: Store) -> Bool {
    let format = inputs[load.input].format
    return format == store.format && !load.decodesToLinear && !store.encodesFromLinear
      && store.background == nil && load.bits == nil && store.bits == nil
      && load.alpha == store.alpha && (!format.layout.hasAlpha || load.alpha == .premultiplied)
  }
}

extension Rect {
  /// Returns the rest of the rectangle without some parts, in rectangles that do not overlap; rows with the same
  /// columns are together.
  fileprivate func without(_ parts: [Rect]) -> [Rect] {
    let cuts = parts.flatMap { [$0.rows.lowerBound, $0.rows.upperBound] }.filter(rows.contains)
    let bounds = Set(cuts + [rows.lowerBound, rows.upperBound]).sorted()
    return zip(bounds, bounds.dropFirst()).flatMap { top, bottom in
      let holes = parts.filter { $0.rows.contains(top) }.map(\.columns)
        .sorted { $0.lowerBound < $1.lowerBound }
      var left: [Rect] = []
      var x = columns.lowerBound
      for hole in holes + [columns.upperBound..<columns.upperBound] {
        if hole.lowerBound > x {
          left.append(Rect(columns: x..<hole.lowerBound, rows: top..<bottom))
        }
        x = Swift.max(x, hole.upperBound)
      }
      return left
    }
  }
}
