internal import FrostglassCore

/// The parts of a result that can differ from the input which a mask leaves as it is elsewhere.
///
/// Each part is computed by itself, with what it needs around it; all else is copied. The bytes are those
/// of the whole.
struct ChangedParts {
  /// What computes the parts.
  let plans: [Plan]
  /// The input that is copied.
  private let input: Int
  /// What is copied; no two overlap.
  private let rest: [Rect]

  /// - Returns: `nil` where all may change, or nearly all.
  init?(_ plan: Plan) {
    guard let (input, found) = plan.changes else { return nil }
    let whole = plan.result.rect
    let reach = plan.reach
    let parts = Self.joined(
      found.map { $0.intersection(whole) }.filter { !$0.isEmpty }, reach, whole)
    let cost = parts.reduce(0) { $0 + Self.cost($1, reach, whole) }
    guard cost < Self.cost(whole, reach, whole) * 9 / 10 else { return nil }
    var plans: [Plan] = []
    for part in parts {
      guard let cropped = try? plan.cropped(to: part) else { return nil }
      plans.append(cropped)
    }
    self.plans = plans
    self.input = input
    rest = whole.without(parts)
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

  /// How many pieces of about the same size are copied, so that threads that have nothing else to do
  /// can share them.
  var copies: Int { rest.isEmpty ? 0 : 8 }

  /// Copies a piece of what does not change.
  func copy(_ inputs: [InputRows], _ output: OutputRows, piece: Int) {
    let input = inputs[input]
    let bytes = input.format.bytesPerPixel
    for rect in rest {
      let first = rect.y + rect.height * piece / copies
      let end = rect.y + rect.height * (piece + 1) / copies
      guard first < end else { continue }
      let (left, length) = (rect.x * bytes, rect.width * bytes)
      let offset = (rect.x - output.rect.x) * bytes
      func place(_ y: Int) -> (from: UnsafeRawPointer, to: UnsafeMutableRawPointer) {
        (input.row(y) + left, output.row(y) + offset)
      }
      let (start, last) = (place(first), place(end - 1))
      // Rows without gaps are one piece, for which the library takes other ways than for short ones.
      let whole = (end - 1 - first) * length
      if last.from - start.from == whole, last.to - start.to == whole {
        if start.from != UnsafeRawPointer(start.to) {
          start.to.copyMemory(from: start.from, byteCount: whole + length)
        }
        continue
      }
      for y in first..<end {
        let (from, to) = place(y)
        if from != UnsafeRawPointer(to) { to.copyMemory(from: from, byteCount: length) }
      }
    }
  }
}

extension Plan {
  /// An input, and parts outside of which the result has its bytes; `nil` where there is no such input.
  fileprivate var changes: (input: Int, parts: [Rect])? {
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
      case .load(let load):
        guard keepsBytes(load, store, arithmetic()),
          Rect(inputs[load.input].size).contains(result.rect)
        else { return nil }
        return (load.input, parts)
      default: return nil
      }
    }
    return nil
  }
}

extension Rect {
  /// What is left without some parts, in rectangles that do not overlap; rows with the same columns are
  /// together.
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
