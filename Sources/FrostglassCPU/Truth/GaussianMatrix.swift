package import FrostglassCore

/// The true Gaussian of one row or column as a matrix: what lies beyond the picture is folded in.
///
/// `rows[i][j]` is the weight of the picture's sample j in the blurred sample i: the sum of the
/// kernel over all places of the endless continuation where that sample appears.
struct GaussianMatrix {
  let rows: [[Double]]

  init(sigma: Double, count: Int, edge: EdgeMode) {
    let kernel = GaussianKernel(sigma: sigma)
    let range = 0..<count
    rows = range.map { center in
      var row = [Double](repeating: 0, count: count)
      for distance in -kernel.radius...kernel.radius {
        if let index = edge.resolve(center + distance, in: range) {
          row[index] += kernel.weights[abs(distance)]
        }
      }
      return row
    }
  }
}

extension TruthPicture {
  /// The direct Gaussian with standard deviations in pixels.
  ///
  /// Costs width × height × (width + height): for pictures up to about a megapixel.
  package func gaussian(x: Double, y: Double, edge: EdgeMode) -> TruthPicture {
    blurred(along: .x, sigma: x, edge: edge).blurred(along: .y, sigma: y, edge: edge)
  }

  private func blurred(along axis: Axis, sigma: Double, edge: EdgeMode) -> TruthPicture {
    guard sigma > 0 else { return self }
    let channels = layout.channels
    let (count, lines) =
      axis == .x ? (size.width, size.height) : (size.height, size.width)
    let (step, jump) =
      axis == .x
      ? (channels, size.width * channels) : (size.width * channels, channels)
    let matrix = GaussianMatrix(sigma: sigma, count: count, edge: edge).rows
    var result = self
    for (target, row) in matrix.enumerated() {
      guard let first = row.firstIndex(where: { $0 != 0 }),
        let last = row.lastIndex(where: { $0 != 0 })
      else { continue }
      for line in 0..<lines {
        for channel in 0..<channels {
          let start = line * jump + channel
          var sum = 0.0
          for index in first...last { sum += row[index] * samples[start + index * step] }
          result.samples[start + target * step] = sum
        }
      }
    }
    return result
  }
}
