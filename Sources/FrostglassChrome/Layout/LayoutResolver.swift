internal import FrostglassCore

/// Turns layouts into numbers, line by line, each computed once and when it is first asked for.
///
/// So values may refer to each other in any order, and only real circles are circles.
struct LayoutResolver {
  /// An item at one progress: a pose, or the way from one to the next.
  struct Segment {
    var id: String
    var lower: ItemPose
    var upper: ItemPose?
    /// Of the way, eased.
    var share: Double = 0
  }

  let bar: LayoutSize
  let segments: [Segment]
  /// The first thing that was wrong; values are then of no use.
  private(set) var failure: LayoutError?

  private let places: [String: Int]
  private var values: [Int: Double] = [:]
  /// The lines being computed, outermost first.
  private var open: [Int] = []

  init(bar: LayoutSize, segments: [Segment]) {
    self.bar = bar
    self.segments = segments
    places = Dictionary(
      segments.enumerated().map { ($0.element.id, $0.offset) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The attributes of one item.
  mutating func attributes(of item: Int) -> LayoutAttributes {
    let segment = segments[item]
    let lower = attributes(of: segment.lower, item: item)
    guard let upper = segment.upper else { return lower }
    return lower.interpolated(toward: attributes(of: upper, item: item), by: segment.share)
  }

  private mutating func attributes(of pose: ItemPose, item: Int) -> LayoutAttributes {
    guard let layout = pose.layout else { return pose.attributes }
    let horizontal = span(of: layout, along: .horizontal, item: item)
    let vertical = span(of: layout, along: .vertical, item: item)
    var attributes = pose.attributes
    attributes.center = LayoutPoint(x: horizontal.center, y: vertical.center)
    attributes.size = LayoutSize(width: horizontal.length, height: vertical.length)
    return attributes
  }

  private mutating func span(
    of layout: ItemLayout, along axis: LayoutAxis, item: Int
  ) -> LayoutSpan {
    let lines = layout.given(along: axis).sorted { $0.role.rawValue < $1.role.rawValue }
    guard lines.count == 2 else {
      fail(.wrongNumberOfLines(item: segments[item].id, axis: axis, given: lines))
      return LayoutSpan(center: 0, length: 0)
    }
    return LayoutSpan(
      (lines[0].role, number(layout[lines[0]], for: lines[0], item: item)),
      (lines[1].role, number(layout[lines[1]], for: lines[1], item: item)))
  }

  private mutating func number(
    _ value: LayoutValue?, for line: LayoutLine, item: Int
  ) -> Double {
    guard let value else { return 0 }
    let anchor: Double
    switch value.anchor {
    case nil: return value.offset
    case .bar(let line): anchor = barValue(of: line)
    case .item(let id, let other):
      guard let place = places[id] else {
        fail(
          .unknownItem(
            item: segments[item].id, line: line, reference: id, known: segments.map(\.id)))
        return 0
      }
      anchor = self.value(of: other, item: place)
    }
    return (anchor * value.factor + value.offset).kept(in: -Double.farthest...Double.farthest)
  }

  private func barValue(of line: LayoutLine) -> Double {
    let length = line.axis == .horizontal ? bar.width : bar.height
    return LayoutSpan(center: length / 2, length: length).value(of: line.role)
  }

  /// A line of an item at this progress.
  private mutating func value(of line: LayoutLine, item: Int) -> Double {
    let index = item * LayoutLine.allCases.count + (LayoutLine.allCases.firstIndex(of: line) ?? 0)
    if let value = values[index] { return value }
    if let start = open.firstIndex(of: index) {
      fail(.circle((open[start...] + [index]).map(anchor)))
      return 0
    }
    open.append(index)
    defer { open.removeLast() }
    let segment = segments[item]
    var value = value(of: line, in: segment.lower, item: item)
    if let upper = segment.upper {
      value = value.toward(self.value(of: line, in: upper, item: item), by: segment.share)
    }
    if line.role == .extent { value = max(0, value) }
    values[index] = value
    return value
  }

  private mutating func value(of line: LayoutLine, in pose: ItemPose, item: Int) -> Double {
    guard let layout = pose.layout else {
      let frame = pose.attributes.untransformedFrame
      let span =
        line.axis == .horizontal
        ? LayoutSpan(center: frame.center.x, length: frame.width)
        : LayoutSpan(center: frame.center.y, length: frame.height)
      return span.value(of: line.role)
    }
    if let given = layout[line] {
      let number = number(given, for: line, item: item)
      return line.role == .extent ? max(0, number) : number
    }
    return span(of: layout, along: line.axis, item: item).value(of: line.role)
  }

  private func anchor(of index: Int) -> LayoutAnchor {
    let (item, line) = index.quotientAndRemainder(dividingBy: LayoutLine.allCases.count)
    return .item(segments[item].id, LayoutLine.allCases[line])
  }

  private mutating func fail(_ error: LayoutError) {
    failure = failure ?? error
  }
}
