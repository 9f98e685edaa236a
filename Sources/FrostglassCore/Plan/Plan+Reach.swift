extension Plan {
  /// How many input pixels to each side can influence a result pixel: the reach of all steps.
  ///
  /// No pixel looks farther. Of a picture that was shrunk and grown, some pixels look farther than those
  /// beside them. Where that happens more than once, this adds up the most of each time, although it may
  /// be that no pixel looks the farthest each time.
  package var reach: (x: Int, y: Int) { (reach(along: .x), reach(along: .y)) }

  private func reach(along axis: Axis) -> Int {
    var readers = [Reach?](repeating: nil, count: slots.count)
    var input = Reach()
    for step in steps.reversed() {
      let target = step.target.map { readers[$0] ?? Reach() } ?? Reach()
      let read = target.through(
        step.pass.kind, along: axis, in: step.target.map { slots[$0].domain } ?? result.rect)
      if case .load = step.pass { input = input.union(read) }
      for source in step.sources {
        readers[source.slot] = readers[source.slot]?.union(read) ?? read
      }
    }
    // What looks a part of a pixel farther looks at no other pixel.
    return Int(max(input.before, input.after) + Reach.rounding)
  }
}

/// How far along an axis a result pixel looks in one of a plan's pictures, in that picture's samples,
/// from where the pixel itself lies in it: sample i of a picture that is n times coarser lies at pixel
/// n i.
private struct Reach {
  var before = 0.0
  var after = 0.0

  /// What sums of a few fractions can be wrong by, and more.
  static let rounding = 1e-6

  func union(_ other: Reach) -> Reach {
    Reach(before: max(before, other.before), after: max(after, other.after))
  }

  /// How far it looks in what a pass reads, given how far in what the pass makes.
  func through(_ pass: any PassKind, along axis: Axis, in domain: Rect) -> Reach {
    func read(_ sample: Int) -> Range<Int> {
      let pixel = Rect(x: 0, y: 0, width: 1, height: 1)
      switch axis {
      case .x:
        return pass.reach(of: Rect(columns: sample..<sample + 1, rows: pixel.rows), in: domain)
          .columns
      case .y:
        return pass.reach(of: Rect(columns: pixel.columns, rows: sample..<sample + 1), in: domain)
          .rows
      }
    }
    let period = axis == .x ? pass.period.x : pass.period.y
    let first = read(0)
    // Source samples per target sample.
    let scale = Double(read(period).lowerBound - first.lowerBound) / Double(period)
    var own = Reach(before: -.infinity, after: -.infinity)
    for phase in 0..<period {
      let (read, place) = (phase == 0 ? first : read(phase), Double(phase) * scale)
      own = own.union(
        Reach(
          before: place - Double(read.lowerBound), after: Double(read.upperBound - 1) - place))
    }
    return Reach(before: before * scale + own.before, after: after * scale + own.after)
  }
}
