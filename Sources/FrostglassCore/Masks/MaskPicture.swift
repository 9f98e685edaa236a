/// Coverage of each pixel, from a picture; one sample per pixel of the picture that is masked.
public struct MaskPicture: Sendable, Hashable {
  /// Width and height in pixels.
  public let size: Size
  /// Row after row; 65535 is wholly covered.
  public let samples: [UInt16]
  /// Whether it was to be the alpha channel of a picture without one.
  let lacksAlpha: Bool

  package init(size: Size, samples: [UInt16]) {
    self.init(size: size, samples: samples, lacksAlpha: false)
  }

  private init(size: Size, samples: [UInt16], lacksAlpha: Bool) {
    self.size = size
    self.samples = samples
    self.lacksAlpha = lacksAlpha
  }

  // Equal pictures have equal sizes; that tells most others apart without reading them all.
  /// Feeds size and a few samples to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(size)
    hasher.combine(samples.first)
    hasher.combine(samples.last)
  }

  func add(to target: UnsafeMutableBufferPointer<Float>, _ y: Int, _ columns: Range<Int>) {
    let start = y * size.width + columns.lowerBound
    samples.withUnsafeBufferPointer { samples in
      for index in target.indices {
        target[index] = max(target[index], Float(samples[start + index]) / 65535)
      }
    }
  }

  func part(above value: Double) -> Rect? {
    part { Double($0) / 65535 > value }
  }

  func part(below value: Double) -> Rect? {
    part { Double($0) / 65535 < value }
  }

  private func part(where holds: (UInt16) -> Bool) -> Rect? {
    var columns = 0..<0
    var rows: Range<Int>?
    for y in 0..<size.height {
      let row = samples[y * size.width..<(y + 1) * size.width]
      guard let first = row.firstIndex(where: holds), let last = row.lastIndex(where: holds)
      else { continue }
      let found = first - row.startIndex..<last - row.startIndex + 1
      columns = rows == nil ? found : columns.union(found)
      rows = (rows?.lowerBound ?? y)..<y + 1
    }
    return rows.map { Rect(columns: columns, rows: $0) }
  }
}

/// Which channel of a picture is a mask.
public enum MaskChannel: String, Sendable, Hashable, CaseIterable {
  /// Alpha where the picture has an alpha channel, luma otherwise.
  case automatic = "auto"
  /// Rec. 709 luma of the encoded colors, times alpha.
  case luma
  /// The alpha channel; 1 without one.
  case alpha
  /// The red channel; gray pictures have three equal ones.
  case red
  /// The green channel.
  case green
  /// The blue channel.
  case blue

  /// A pixel's share, 0…1, from straight values.
  func value(red: Float, green: Float, blue: Float, alpha: Float, hasAlpha: Bool) -> Float {
    switch self {
    case .automatic: hasAlpha ? alpha : luma(red, green, blue)
    case .luma: luma(red, green, blue) * alpha
    case .alpha: alpha
    case .red: red
    case .green: green
    case .blue: blue
    }
  }

  private func luma(_ red: Float, _ green: Float, _ blue: Float) -> Float {
    let weights = Luma.rec709.weights
    return Float(weights.x) * red + Float(weights.y) * green + Float(weights.z) * blue
  }
}

extension MaskPicture {
  /// A channel of a picture.
  public init(_ image: Image, _ channel: MaskChannel = .automatic) {
    let layout = image.format.layout
    let last = layout.channels - 1
    var samples: [UInt16] = []
    samples.reserveCapacity(image.size.area)
    for y in 0..<image.size.height {
      for x in 0..<image.size.width {
        func sample(_ index: Int) -> Float {
          image.sample(x: x, y: y, channel: layout == .gray ? 0 : index)
        }
        let alpha: Float = layout.hasAlpha ? image.sample(x: x, y: y, channel: last) : 1
        let divisor: Float = image.alpha == .premultiplied && alpha > 0 ? alpha : 1
        let value = channel.value(
          red: sample(0) / divisor, green: sample(1) / divisor, blue: sample(2) / divisor,
          alpha: alpha, hasAlpha: layout.hasAlpha)
        samples.append(UInt16(Float.minimum(1, Float.maximum(0, value)) * 65535 + 0.5))
      }
    }
    self.init(
      size: image.size, samples: samples, lacksAlpha: channel == .alpha && !layout.hasAlpha)
  }

  /// The mask at another size: interpolated linearly where it grows, means of areas where it
  /// shrinks. What is not wholly 0 does not become 0 by rounding, nor full what is not wholly full.
  func stretched(to target: Size) -> MaskPicture {
    guard target != size else { return self }
    let columns = MaskPicture.shares(target.width, from: size.width)
    let rows = MaskPicture.shares(target.height, from: size.height)
    var result: [UInt16] = []
    result.reserveCapacity(target.area)
    var line = [Double](repeating: 0, count: size.width)
    for row in rows {
      for x in line.indices {
        line[x] = row.reduce(0) { $0 + Double(samples[$1.index * size.width + x]) * $1.share }
      }
      for column in columns {
        result.append(MaskPicture.rounded(column.reduce(0) { $0 + line[$1.index] * $1.share }))
      }
    }
    return MaskPicture(size: target, samples: result)
  }

  private static func rounded(_ value: Double) -> UInt16 {
    let full = 65535.0
    // Sums of shares are 1 but for rounding.
    if value > full - 1e-6 { return 65535 }
    return value > 1e-6 ? UInt16(min(max(value.rounded(), 1), full - 1)) : 0
  }

  /// For each target pixel the source pixels that make it, with their shares.
  private static func shares(_ count: Int, from source: Int) -> [[(index: Int, share: Double)]] {
    let ratio = Double(source) / Double(count)
    return (0..<count).map { target in
      guard ratio > 1 else {
        let place = min(max((Double(target) + 0.5) * ratio - 0.5, 0), Double(source - 1))
        let low = Int(place)
        let share = place - Double(low)
        return share > 0 ? [(low, 1 - share), (low + 1, share)] : [(low, 1)]
      }
      let (start, end) = (Double(target) * ratio, Double(target + 1) * ratio)
      let pixels = Int(start)..<min(Int(end.rounded(.up)), source)
      return pixels.map { pixel in
        (pixel, (min(end, Double(pixel + 1)) - max(start, Double(pixel))) / ratio)
      }
    }
  }
}

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
private enum DistanceField {
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
