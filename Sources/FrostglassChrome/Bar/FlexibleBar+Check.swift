internal import FrostglassCore

extension FlexibleBar {
  /// Finds what is wrong with items before anything is drawn.
  static func check(_ items: [BarItem]) throws(LayoutError) {
    var seen: Set<String> = []
    for item in items where !seen.insert(item.id).inserted { throw .duplicateItem(item.id) }
    for item in items {
      for pose in [item.resting] + item.keyframes.map(\.pose) {
        try checkNumbers(of: pose, item: item.id)
        // Each pose by itself too: a bar may skip one.
        let alone = items.map { LayoutResolver.Segment(id: $0.id, lower: ItemPose()) }
        try check(alone, replacing: item.id, by: pose)
      }
    }
    // Which keyframes count changes only where one begins.
    for progress in Set(items.flatMap { $0.keyframes.map(\.progress) } + [0]).sorted() {
      try check(items.map { $0.segment(at: progress) })
    }
  }

  private static func check(
    _ segments: [LayoutResolver.Segment], replacing id: String, by pose: ItemPose
  ) throws(LayoutError) {
    try check(segments.map { $0.id == id ? LayoutResolver.Segment(id: id, lower: pose) : $0 })
  }

  private static func check(_ segments: [LayoutResolver.Segment]) throws(LayoutError) {
    var resolver = LayoutResolver(bar: LayoutSize(width: 1, height: 1), segments: segments)
    for index in segments.indices {
      _ = resolver.attributes(of: index)
      if let failure = resolver.failure { throw failure }
    }
  }

  private static func checkNumbers(of pose: ItemPose, item: String) throws(LayoutError) {
    var numbers: [(String, Double)] = []
    for line in LayoutLine.allCases {
      guard let value = pose.layout?[line] else { continue }
      numbers.append(("\(line.rawValue)'s factor", value.factor))
      numbers.append(("\(line.rawValue)'s offset", value.offset))
    }
    let attributes = pose.attributes
    numbers += [
      ("center x", attributes.center.x), ("center y", attributes.center.y),
      ("width", attributes.size.width), ("height", attributes.size.height),
      ("cornerRadius", attributes.cornerRadius),
    ]
    for (row, entries) in attributes.transform.rows.enumerated() {
      for column in 0..<4 {
        numbers.append(("transform's m\(row + 1)\(column + 1)", entries[column]))
      }
    }
    for (name, value) in numbers where !(abs(value) <= Double.farthest) {
      throw .badNumber(
        of: "item '\(item)'", name: name, value: value, accepted: "-1000000000…1000000000")
    }
  }
}
