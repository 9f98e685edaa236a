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
    /// The eased share of the way from `lower` to `upper`.
    var share: Double = 0
  }

  private let bar: LayoutSize
  private let segments: [Segment]
  /// The first thing that was wrong; values are then of no use.
  private(set) var failure: LayoutError?

  private let places: [String: Int]
  private var values: [Int: Double] = [:]
  /// So many values may refer to each other in a chain.
  private static let deepest = 300
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
    // Each is a call within the others.
    guard open.count < Self.deepest else {
      fail(.tooDeep(item: segments[item].id, most: Self.deepest))
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

/// An item's extent along one axis.
private struct LayoutSpan: Hashable {
  var center: Double
  var length: Double

  init(center: Double, length: Double) {
    self.center = center
    self.length = length
  }

  /// From two values, the first with the smaller role.
  init(
    _ first: (role: LayoutLine.Role, value: Double),
    _ second: (role: LayoutLine.Role, value: Double)
  ) {
    let extent = max(0, second.value)
    switch (first.role, second.role) {
    case (.start, .end):
      self.init(
        center: (first.value + second.value) / 2, length: max(0, second.value - first.value))
    case (.start, .middle):
      self.init(center: second.value, length: max(0, 2 * (second.value - first.value)))
    case (.end, .middle):
      self.init(center: second.value, length: max(0, 2 * (first.value - second.value)))
    case (.start, _):
      self.init(center: first.value + extent / 2, length: extent)
    case (.end, _):
      self.init(center: first.value - extent / 2, length: extent)
    default:
      self.init(center: first.value, length: extent)
    }
  }

  func value(of role: LayoutLine.Role) -> Double {
    switch role {
    case .start: center - length / 2
    case .end: center + length / 2
    case .middle: center
    case .extent: length
    }
  }
}

/// Why a layout does not say where things are.
public enum LayoutError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Two items have the same id.
  case duplicateItem(String)
  /// A value refers to an item that the bar does not have.
  case unknownItem(item: String, line: LayoutLine, reference: String, known: [String])
  /// An axis has fewer or more than two values.
  case wrongNumberOfLines(item: String, axis: LayoutAxis, given: [LayoutLine])
  /// Values refer to each other in a circle; the first is named again at the end.
  case circle([LayoutAnchor])
  /// Values refer to each other in too long a chain, of which an item is a part.
  case tooDeep(item: String, most: Int)
  /// A number that cannot be used.
  case badNumber(of: String, name: String, value: Double, accepted: String)

  /// The error message.
  public var description: String {
    switch self {
    case .duplicateItem(let id):
      return "two items have the id '\(id)'; each id must be used once"
    case .unknownItem(let item, let line, let reference, let known):
      let hint = DidYouMean.hint(for: reference, in: known)
      let accepted = known.isEmpty ? "none" : known.joined(separator: ", ")
      return "item '\(item)': \(line.rawValue) refers to the item '\(reference)', which is not "
        + "there\(hint); items are \(accepted)"
    case .wrongNumberOfLines(let item, let axis, let given):
      let lines = LayoutLine.lines(of: axis).map(\.rawValue).joined(separator: ", ")
      let names = given.isEmpty ? "none" : given.map(\.rawValue).joined(separator: ", ")
      return "item '\(item)': \(given.count < 2 ? "too few" : "too many") \(axis.rawValue) values "
        + "(\(names)); it must be exactly two of \(lines)"
    case .circle(let anchors):
      return "values refer to each other in a circle: "
        + anchors.map(\.description).joined(separator: " → ")
        + "; one of them must be given by the bar or in points"
    case .tooDeep(let item, let most):
      return "item '\(item)': values refer to each other in a chain of more than \(most)"
    case .badNumber(let owner, let name, let value, let accepted):
      return "\(owner): \(name) is \(value); it must be \(accepted)"
    }
  }
}
