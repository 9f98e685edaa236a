// Which sides can be nearest to pixels of a part of a row, by what is known in its middle and at its ends.
//
// How far a side is from a point that goes along the row is a convex function of the point's column. So it
// is nowhere under its tangent, and nowhere over what joins two of its values.

extension PolygonRow {
  /// The one of some sides that is nearest to a pixel.
  struct Nearest {
    var side: Int32
    var square: Double
  }

  /// Finds the nearest side, and keeps the distances of the others.
  ///
  /// - Parameter count: the number of sides in `near` to compare, from the first.
  func nearest(to column: Int, of count: Int) -> Nearest {
    let x = Double(column) + 0.5
    var nearest = Nearest(side: .max, square: .infinity)
    for place in 0..<count {
      let side = near[place]
      let offset = list[Int(side)].offset(to: x, y)
      offsets[place] = SideOffset(x: offset.x, square: offset.square)
      // In whatever order they stand.
      if offset.square < nearest.square || offset.square == nearest.square && side < nearest.side {
        nearest = Nearest(side: side, square: offset.square)
      }
    }
    return nearest
  }

  /// Brings to the front what may be nearest to a pixel of a part: not what is surely farther from all of
  /// them than the side that is nearest to its middle.
  ///
  /// - Returns: the number of sides at the front.
  func narrowed(to columns: Range<Int>, _ nearest: Nearest, of count: Int) -> Int {
    let row = RowPart(columns)
    let slack = sides.slack(at: row.x, y)
    let ends = ends(of: nearest.side, row)
    let far = nearest.square.squareRoot() + 2 * row.left + slack
    var kept = 0
    for place in 0..<count where offsets[place].square <= far * far {
      if near[place] != nearest.side, offsets[place].square >= Self.surelyDirected {
        let tangent = row.tangent(of: offsets[place])
        if min(tangent.left - ends.left, tangent.right - ends.right) > slack { continue }
      }
      swapNear(place, kept)
      kept += 1
    }
    return kept > Self.crowd ? thinned(row, nearest.side, slack, of: kept) : kept
  }

  /// The number of sides above which they are looked at closely; of so many that are alike some stand for all.
  private static let crowd = 32
  /// The square of the distance below which the direction of a side is not certain.
  private static let surelyDirected = 1.0

  private func swapNear(_ place: Int, _ other: Int) {
    (near[place], near[other]) = (near[other], near[place])
  }

  /// Returns the distances of a side from the first pixel and from the last.
  private func ends(of side: Int32, _ row: RowPart) -> (left: Double, right: Double) {
    let side = list[Int(side)]
    return (
      side.offset(to: row.x - row.left, y).square.squareRoot(),
      side.offset(to: row.x + row.right, y).square.squareRoot()
    )
  }
}

/// Pixels of a row, from one of them.
private struct RowPart {
  /// The column of the middle pixel's center.
  let x: Double
  /// The distances from the middle pixel to the first and to the last.
  let left: Double
  let right: Double

  init(_ columns: Range<Int>) {
    let middle = columns.lowerBound + columns.count / 2
    x = Double(middle) + 0.5
    left = Double(middle - columns.lowerBound)
    right = Double(columns.upperBound - 1 - middle)
  }

  /// Returns the values at the ends of the tangent to a side's distance.
  func tangent(of offset: SideOffset) -> (left: Double, right: Double) {
    let distance = offset.square.squareRoot()
    let slope = offset.x / distance
    return (distance - slope * left, distance + slope * right)
  }
}

// Many sides can be about as near all along: those that meet in a corner, or lie on one line. Of these the
// squares of distances tell more: those of two corners differ by a linear function of the column.
extension PolygonRow {
  /// The result of comparing a side with another one, as far as it is known.
  private enum Standing {
    /// It may be nearer to a pixel.
    case nearer
    /// It is not nearer by more than a rounding.
    case alike
    /// It is farther from all pixels.
    case farther
  }

  /// A side that others are compared with.
  private struct Reference {
    let offset: SideOffset
    let ends: (left: Double, right: Double)
  }

  /// Brings to the front what may be nearest by comparison with those sides that are nearest to the middle
  /// and to the ends, and what is alike unless that is very much.
  private func thinned(
    _ row: RowPart, _ middle: Int32, _ slack: Double, of count: Int
  ) -> Int {
    let columns = (row.x - row.left, row.x + row.right)
    let chosen = [middle, nearest(at: columns.0, of: count), nearest(at: columns.1, of: count)]
    let references = chosen.map { side in
      let offset = list[Int(side)].offset(to: row.x, y)
      return Reference(
        offset: SideOffset(x: offset.x, square: offset.square), ends: ends(of: side, row))
    }
    var (first, kept) = (0, 0)
    for place in 0..<count {
      let side = near[place]
      let standing: Standing =
        chosen.contains(side) ? .nearer : standing(of: side, row, slack, among: references)
      guard standing != .farther else { continue }
      swapNear(place, kept)
      if standing == .nearer {
        swapNear(kept, first)
        first += 1
      }
      kept += 1
    }
    return kept - first > Self.crowd ? first : kept
  }

  private func nearest(at x: Double, of count: Int) -> Int32 {
    var nearest = Nearest(side: .max, square: .infinity)
    for place in 0..<count {
      let side = near[place]
      let square = list[Int(side)].offset(to: x, y).square
      if square < nearest.square || square == nearest.square && side < nearest.side {
        nearest = Nearest(side: side, square: square)
      }
    }
    return nearest.side
  }

  private func standing(
    of place: Int32, _ row: RowPart, _ slack: Double, among references: [Reference]
  ) -> Standing {
    let side = list[Int(place)]
    let found = side.offset(to: row.x, y)
    let offset = SideOffset(x: found.x, square: found.square)
    let isDirected = offset.square >= Self.surelyDirected
    let tangent = isDirected ? row.tangent(of: offset) : nil
    let least = side.squares(of: offset, row, y, tangent)
    let distance = references[0].offset.square.squareRoot()
    var standing = Standing.nearer
    for reference in references {
      var lead = -Double.infinity
      if let tangent {
        lead = min(tangent.left - reference.ends.left, tangent.right - reference.ends.right)
      }
      if let least {
        // The reference is as near as its point that is nearest to the middle, or nearer.
        let most = row.squares(from: reference.offset)
        let difference = min(least.left - most.left, least.right - most.right)
        lead = max(lead, row.lead(of: difference, around: distance))
      }
      if lead > slack { return .farther }
      if lead >= -slack { standing = .alike }
    }
    return standing
  }
}

extension RowPart {
  /// Returns a lower bound on the difference of two distances, from the difference of their squares; farther below 0
  /// where they could be small.
  ///
  /// - Parameter distance: in the middle, of what is nearest there; none of both is much farther.
  fileprivate func lead(of difference: Double, around distance: Double) -> Double {
    guard difference < 0 else { return difference / (2 * distance + 6 * left + 1) }
    return distance > left ? difference / (2 * (distance - left)) : -.infinity
  }

  /// The squares of how far the ends are from the point that is nearest to the middle.
  fileprivate func squares(from offset: SideOffset) -> (left: Double, right: Double) {
    (
      offset.square + (left - 2 * offset.x) * left,
      offset.square + (right + 2 * offset.x) * right
    )
  }
}

extension Polygon.Side {
  /// The squares of how far it is from the ends of a part of a row, if one of its corners is nearest to all
  /// pixels, or they all are beside it; `nil` for other parts.
  ///
  /// Less a distance from a point such squares are nowhere under what joins them.
  ///
  /// - Parameters:
  ///   - offset: the side's offset from the part's middle.
  ///   - tangent: the values of its distance's tangent at the ends; `nil` where it is not certain.
  fileprivate func squares(
    of offset: SideOffset, _ row: RowPart, _ y: Double, _ tangent: (left: Double, right: Double)?
  ) -> (left: Double, right: Double)? {
    let (ex, ey) = (end.x - start.x, end.y - start.y)
    let length = ex * ex + ey * ey
    // Where the nearest point is, as a share of the way from the start to the end, and how far it moves.
    let along = length > 0 ? ((row.x - start.x) * ex + (y - start.y) * ey) / length : 0
    let move = length > 0 ? abs(ex / length) * row.left : 0
    if along + move <= 0 || along - move >= 1 || length == 0 { return row.squares(from: offset) }
    guard along - move >= 0, along + move <= 1, let tangent else { return nil }
    return (tangent.left * tangent.left, tangent.right * tangent.right)
  }
}
