/// The pixels that must be computed again: a few rectangles that do not overlap.
///
/// It holds every pixel that was put in. As long as `mostRects` rectangles are enough it holds no
/// others; beyond that, those are joined whose common box adds the fewest pixels. Equal areas that
/// were put together in another order may be cut into other rectangles, and are then not equal.
public struct Damage: Sendable, Hashable {
  /// The rectangles, not empty, none overlapping another; at most `mostRects`, from top to bottom.
  public private(set) var rects: [Rect] = []

  /// The largest number of rectangles that are kept apart.
  public static let mostRects = 8

  /// Coordinates are cut at this distance from 0, so that no area overflows.
  private static let farthest = 1 << 29

  /// No damage.
  public init() {}

  /// The damage of one rectangle; none if it is empty.
  public init(_ rect: Rect) {
    insert(rect)
  }

  /// Number of pixels, each counted once.
  public var area: Int { rects.reduce(0) { $0 + $1.area } }

  /// True if nothing changed.
  public var isEmpty: Bool { rects.isEmpty }

  /// The smallest rectangle that holds all; `nil` without damage.
  public var bounds: Rect? {
    rects.dropFirst().reduce(rects.first) { $0?.union($1) }
  }

  /// Adds a rectangle; an empty one changes nothing. What lies beyond ±2²⁹ is cut off.
  public mutating func insert(_ rect: Rect) {
    let rect = Damage.cut(rect)
    guard !rect.isEmpty, !rects.contains(where: { $0.contains(rect) }) else { return }
    var parts = [rect]
    rects.removeAll { rect.contains($0) }
    for kept in rects { parts = parts.flatMap { $0.outside(kept) } }
    rects += parts
    joinNeighbors()
    while rects.count > Damage.mostRects { joinCheapest() }
    rects.sort { ($0.y, $0.x) < ($1.y, $1.x) }
  }

  /// This damage and another.
  public func union(_ other: Damage) -> Damage {
    other.rects.reduce(into: self) { $0.insert($1) }
  }

  /// Every pixel and those around it: what a filter that looks so far changes.
  ///
  /// - Parameters:
  ///   - x: the distance to the left and right, in pixels; below 0 counts as 0.
  ///   - y: the distance up and down.
  public func expanded(x: Int, y: Int) -> Damage {
    let x = min(max(x, 0), Damage.farthest)
    let y = min(max(y, 0), Damage.farthest)
    return rects.reduce(into: Damage()) { result, rect in
      result.insert(Rect(columns: rect.columns.expanded(by: x), rows: rect.rows.expanded(by: y)))
    }
  }

  /// The part inside a rectangle.
  public func clipped(to rect: Rect) -> Damage {
    let rect = Damage.cut(rect)
    guard !rect.isEmpty else { return Damage() }
    var result = Damage()
    result.rects = rects.map { $0.intersection(rect) }.filter { !$0.isEmpty }
    return result
  }

  /// Returns true if every pixel of a rectangle is damaged; true for an empty one.
  public func contains(_ rect: Rect) -> Bool {
    guard !rect.isEmpty else { return true }
    guard Damage.cut(rect) == rect else { return false }
    return clipped(to: rect).area == rect.area
  }

  /// Returns true if any pixel of a rectangle is damaged; false for an empty one.
  package func intersects(_ rect: Rect) -> Bool {
    !clipped(to: rect).isEmpty
  }

  /// The rectangle within the coordinates that can be counted with.
  private static func cut(_ rect: Rect) -> Rect {
    guard !rect.isEmpty else { return Rect(x: 0, y: 0, width: 0, height: 0) }
    return Rect(columns: cut(rect.x, rect.width), rows: cut(rect.y, rect.height))
  }

  private static func cut(_ start: Int, _ length: Int) -> Range<Int> {
    let (end, overflows) = start.addingReportingOverflow(length)
    let low = min(max(start, -farthest), farthest)
    return low..<max(low, min(overflows ? farthest : end, farthest))
  }
}

extension Damage {
  /// Joins pairs that fill their common box, until there are none.
  private mutating func joinNeighbors() {
    var first = 0
    while first < rects.count {
      let partner = rects.indices.dropFirst(first + 1).first { second in
        rects[first].union(rects[second]).area == rects[first].area + rects[second].area
      }
      guard let partner else {
        first += 1
        continue
      }
      rects[first] = rects[first].union(rects.remove(at: partner))
      first = 0
    }
  }

  /// Joins the two whose box, with all that it touches, adds the fewest pixels.
  private mutating func joinCheapest() {
    var best: (box: Rect, added: Int)?
    for first in rects.indices {
      for second in rects.indices.dropFirst(first + 1) {
        let box = closedBox(rects[first].union(rects[second]))
        let inside = rects.reduce(0) { box.contains($1) ? $0 + $1.area : $0 }
        if box.area - inside < best?.added ?? Int.max { best = (box, box.area - inside) }
      }
    }
    guard let best else { return }
    rects.removeAll { best.box.contains($0) }
    rects.append(best.box)
    joinNeighbors()
  }

  /// The smallest box around another that cuts through no rectangle.
  private func closedBox(_ start: Rect) -> Rect {
    var box = start
    while let cut = rects.first(where: { !box.contains($0) && !box.intersection($0).isEmpty }) {
      box = box.union(cut)
    }
    return box
  }
}

extension Rect {
  /// Returns the rest of the rectangle without `other`: at most four parts that do not overlap.
  fileprivate func outside(_ other: Rect) -> [Rect] {
    let hole = intersection(other)
    guard !hole.isEmpty else { return [self] }
    return [
      Rect(columns: columns, rows: y..<hole.y),
      Rect(columns: columns, rows: hole.rows.upperBound..<rows.upperBound),
      Rect(columns: x..<hole.x, rows: hole.rows),
      Rect(columns: hole.columns.upperBound..<columns.upperBound, rows: hole.rows),
    ].filter { !$0.isEmpty }
  }
}
