extension YCbCrPlan {
  /// The pixels of the picture that its filtered parts look at, at most; `nil` where nothing is filtered.
  ///
  /// - Throws: `PlanError`, as `Plan.cropped(to:)` does.
  package func looked() throws(PlanError) -> Rect? {
    var all: Rect?
    func add(_ part: Rect?, ofPlane index: Int) {
      guard let pixels = part.map({ self.pixels(of: $0, inPlane: index) }) else { return }
      all = all?.union(pixels) ?? pixels
    }
    for place in 0..<(parts.map(\.count).max() ?? 0) {
      var needed: Rect?
      for (index, step) in toPlanes.enumerated() where place < parts[index].count {
        let part = parts[index][place]
        guard !part.isEmpty else { continue }
        let read = try step.cropped(to: part).part(ofInput: 0)
        add(part, ofPlane: index)
        if isByPlanes {
          add(read, ofPlane: index)
        } else if let read {
          needed = needed?.union(read) ?? read
        }
      }
      for (order, step) in toPicture.enumerated().reversed() {
        guard let part = needed else { break }
        let own = try step.cropped(to: part)
        needed = own.part(ofInput: 0)
        guard order == 0 else { continue }
        for index in inputs.indices { add(own.part(ofInput: index), ofPlane: index) }
      }
    }
    return all
  }

  /// The pixels that samples of a plane serve.
  private func pixels(of part: Rect, inPlane index: Int) -> Rect {
    guard index > 0 else { return part }
    let repeats = format.arrangement == .interleaved ? 2 : 1
    let columns = format.sampling.columns
    let left = floorDivide(part.columns.lowerBound, repeats) * columns
    let right = -floorDivide(-part.columns.upperBound, repeats) * columns
    return Rect(
      columns: left..<right,
      rows: part.rows.lowerBound * format.sampling.rows..<part.rows.upperBound
        * format.sampling.rows)
  }
}

extension Plan {
  /// What is read of an input, at most; `nil` is nothing.
  package func part(ofInput input: Int) -> Rect? {
    steps.compactMap { step in
      guard case .load(let load) = step.pass, load.input == input, let target = step.target else {
        return nil
      }
      return slots[target].domain.intersection(Rect(inputs[input].size))
    }.reduce(nil) { (all: Rect?, part: Rect) in all?.union(part) ?? part }
  }
}
