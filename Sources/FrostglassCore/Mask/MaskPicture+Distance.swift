extension MaskPicture {
  /// The mask with its border, where it covers half, moved outward and feathered; as it is when
  /// both are 0.
  package func moved(outward grow: Double, feather: Double) -> MaskPicture {
    guard grow != 0 || feather > 0 else { return self }
    let inside = samples.map { $0 >= 32768 }
    let toInside = DistanceField.squares(to: inside, size)
    let toOutside = DistanceField.squares(to: inside.map { !$0 }, size)
    let shape = CoverageShape(.picture(self), feather: feather, grow: grow)
    let moved = zip(toInside, toOutside).map { outer, inner -> UInt16 in
      // The border lies between the centers of two pixels.
      let distance =
        outer > 0 ? outer.squareRoot() - 0.5 : 0.5 - inner.squareRoot()
      return UInt16(shape.coverage(at: distance - grow) * 65535 + 0.5)
    }
    return MaskPicture(size: size, samples: moved)
  }
}

/// Exact distances to the nearest pixel of a set: the lower envelope of parabolas, first along
/// columns, then along rows (Felzenszwalb and Huttenlocher, 2012).
enum DistanceField {
  /// Larger than the square of any distance in a picture.
  private static let far = 1e12

  /// For each pixel, the squared distance to the nearest one that is set.
  static func squares(to isSet: [Bool], _ size: Size) -> [Double] {
    var field = isSet.map { $0 ? 0 : far }
    var line = [Double](repeating: 0, count: max(size.width, size.height))
    for x in 0..<size.width {
      for y in 0..<size.height { line[y] = field[y * size.width + x] }
      let result = envelope(line[..<size.height])
      for y in 0..<size.height { field[y * size.width + x] = result[y] }
    }
    for y in 0..<size.height {
      let row = y * size.width..<(y + 1) * size.width
      field.replaceSubrange(row, with: envelope(field[row]))
    }
    return field
  }

  /// `min over q of (p − q)² + heights[q]`, for each p.
  private static func envelope(_ heights: ArraySlice<Double>) -> [Double] {
    let values = Array(heights)
    var vertices = [0]
    // Parabola k is the lowest from `starts[k]` on.
    var starts = [-Double.infinity]
    for q in values.indices.dropFirst() {
      var start = crossing(vertices[vertices.count - 1], q, values)
      while start <= starts[starts.count - 1] {
        vertices.removeLast()
        starts.removeLast()
        start = crossing(vertices[vertices.count - 1], q, values)
      }
      vertices.append(q)
      starts.append(start)
    }
    var result: [Double] = []
    result.reserveCapacity(values.count)
    var k = 0
    for p in values.indices {
      while k + 1 < vertices.count, starts[k + 1] <= Double(p) { k += 1 }
      let distance = Double(p - vertices[k])
      result.append(min(distance * distance + values[vertices[k]], far))
    }
    return result
  }

  /// Where the parabola of q becomes lower than that of p < q.
  private static func crossing(_ p: Int, _ q: Int, _ values: [Double]) -> Double {
    let square = { (index: Int) in values[index] + Double(index * index) }
    return (square(q) - square(p)) / Double(2 * (q - p))
  }
}
