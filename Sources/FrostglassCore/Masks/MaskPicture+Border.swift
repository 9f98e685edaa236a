extension MaskPicture {
  /// The least sample that covers half.
  package static let half: UInt16 = 32768

  /// The mask with its border moved outward and feathered; as it is where nothing of that is asked for.
  ///
  /// Beside the result that takes some rows.
  ///
  /// - Parameter least: the sample from which on a pixel is inside the border.
  package func moved(
    outward grow: Double, feather: Double, from least: UInt16 = MaskPicture.half
  ) -> MaskPicture {
    guard grow != 0 || feather > 0 || least != MaskPicture.half else { return self }
    let shape = CoverageShape(.picture(self), feather: feather, grow: grow)
    let samples = [UInt16](unsafeUninitializedCapacity: size.area) { target, count in
      var columns = ColumnDistances(of: self, from: least)
      var (toInside, toOutside) = (RowDistances(size.width), RowDistances(size.width))
      for y in 0..<size.height {
        columns.goOn(to: y)
        for x in 0..<size.width {
          let square = columns.square(x)
          (toInside[x], toOutside[x]) = columns.isInside(x) ? (0, square) : (square, 0)
        }
        toInside.spread()
        toOutside.spread()
        for x in 0..<size.width {
          let (outer, inner) = (toInside.squares[x], toOutside.squares[x])
          // The border lies between the centers of two pixels.
          let distance = outer > 0 ? outer.squareRoot() - 0.5 : 0.5 - inner.squareRoot()
          target[count] = UInt16(shape.coverage(at: distance - grow) * 65535 + 0.5)
          count += 1
        }
      }
    }
    return MaskPicture(size: size, samples: samples)
  }
}

/// Larger than the square of any distance in a picture.
private let far = 1e12

/// For each pixel of a row, how far it is along its column to the nearest one on the other side of the
/// border: rows are gone through from the first to the last.
private struct ColumnDistances {
  private let mask: MaskPicture
  private let least: UInt16
  private var y = 0
  /// The first row of the run in each column that is on the pixel's side of the border; `ends` has the row after the
  /// last.
  private var starts: [Int]
  private var ends: [Int]

  init(of mask: MaskPicture, from least: UInt16) {
    (self.mask, self.least) = (mask, least)
    starts = [Int](repeating: 0, count: mask.size.width)
    ends = starts
  }

  /// - Parameter row: the first one, or the one after the last that was gone on to.
  mutating func goOn(to row: Int) {
    y = row
    for x in ends.indices where ends[x] == row {
      starts[x] = row
      ends[x] = end(of: x)
    }
  }

  /// Returns true if a pixel of the row is inside.
  func isInside(_ x: Int) -> Bool { isInside(x, y) }

  /// The square of how far a pixel of the row is from the other side; `far` where its column has none.
  func square(_ x: Int) -> Double {
    let up = starts[x] > 0 ? y - starts[x] + 1 : Int.max
    let down = ends[x] < mask.size.height ? ends[x] - y : Int.max
    let distance = Double(min(up, down))
    return min(distance * distance, far)
  }

  private func isInside(_ x: Int, _ y: Int) -> Bool {
    mask.samples[y * mask.size.width + x] >= least
  }

  private func end(of x: Int) -> Int {
    let value = isInside(x, y)
    var row = y + 1
    while row < mask.size.height, isInside(x, row) == value { row += 1 }
    return row
  }
}

/// Exact distances to the nearest pixel of a set, of which distances along columns are known: the lower
/// envelope of parabolas along a row (Felzenszwalb and Huttenlocher, 2012).
private struct RowDistances {
  /// Once they are spread: for each pixel, the squared distance to the nearest one of the set.
  private(set) var squares: [Double]
  /// For each pixel, the square of what it is along its column.
  private var heights: [Double]
  /// The vertices of the parabolas that are the lowest somewhere.
  private var vertices: [Int]
  /// Parabola k is the lowest from `starts[k]` on.
  private var starts: [Double]

  init(_ count: Int) {
    squares = [Double](repeating: 0, count: count)
    (heights, starts) = (squares, squares)
    vertices = [Int](repeating: 0, count: count)
  }

  subscript(x: Int) -> Double {
    get { heights[x] }
    set { heights[x] = newValue }
  }

  /// `min over q of (p − q)² + heights[q]`, for each p.
  mutating func spread() {
    var last = 0
    (vertices[0], starts[0]) = (0, -.infinity)
    for q in heights.indices.dropFirst() {
      var start = crossing(vertices[last], q)
      while start <= starts[last] {
        last -= 1
        start = crossing(vertices[last], q)
      }
      last += 1
      (vertices[last], starts[last]) = (q, start)
    }
    var k = 0
    for p in heights.indices {
      while k < last, starts[k + 1] <= Double(p) { k += 1 }
      let distance = Double(p - vertices[k])
      squares[p] = min(distance * distance + heights[vertices[k]], far)
    }
  }

  /// Returns the position where the parabola of q becomes lower than that of p < q.
  private func crossing(_ p: Int, _ q: Int) -> Double {
    func square(_ index: Int) -> Double { heights[index] + Double(index * index) }
    return (square(q) - square(p)) / Double(2 * (q - p))
  }
}
