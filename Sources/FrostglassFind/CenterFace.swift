internal import FrostglassCore

/// The outputs of CenterFace: for each cell of one grid the certainty that a face has its center there, its size,
/// the center's place within the cell, and five points.
enum CenterFace {
  private static let stride = 4
  private static let channels = [1, 2, 2, 10]

  /// The outputs' names, as the network numbers them.
  static let outputs = ["537", "538", "539", "540"]

  /// Scores of this network, and of YuNet for faces that are as certain; measured on the films of a prototype,
  /// straight lines in between.
  private static let scale: [(own: Double, common: Double)] = [
    (0, 0), (0.1, 0.2), (0.2, 0.35), (0.35, 0.6), (0.5, 0.75), (1, 1),
  ]

  /// Returns the score on the scale of all detectors.
  static func common(_ score: Double) -> Double {
    let index = scale.lastIndex { $0.own <= score } ?? 0
    guard index + 1 < scale.count else { return 1 }
    let (low, high) = (scale[index], scale[index + 1])
    let part = (score - low.own) / (high.own - low.own)
    return low.common + part * (high.common - low.common)
  }

  /// Decodes outputs.
  static func found(
    in outputs: [NetworkOutput], of size: Size, from score: Double
  ) throws(DetectorError) -> [Found] {
    let (columns, rows) = (size.width / stride, size.height / stride)
    for ((name, count), output) in zip(zip(self.outputs, channels), outputs) {
      try output.check(name, [1, count, rows, columns])
    }
    let cells = columns * rows
    let (heat, sizes, offsets, points) = (
      outputs[0].values, outputs[1].values, outputs[2].values, outputs[3].values
    )
    var found: [Found] = []
    for cell in 0..<cells {
      guard heat[cell].isFinite else { throw .notFinite(name: self.outputs[0]) }
      let certainty = common(Double(heat[cell].inUnit))
      guard certainty >= score else { continue }
      // Heights and rows come before widths and columns.
      let height = exponential(sizes[cell]) * Double(stride)
      let width = exponential(sizes[cells + cell]) * Double(stride)
      let middle = (
        x: (Double(cell % columns) + Double(offsets[cells + cell]) + 0.5) * Double(stride),
        y: (Double(cell / columns) + Double(offsets[cell]) + 0.5) * Double(stride)
      )
      let (x, y) = (middle.x - width / 2, middle.y - height / 2)
      try found.take(
        Found(
          x: x, y: y, width: width, height: height, score: certainty,
          points: (0..<5).map { point in
            Found.Point(
              x: x + Double(points[(2 * point + 1) * cells + cell]) * width,
              y: y + Double(points[2 * point * cells + cell]) * height)
          }), from: self.outputs[1])
    }
    return found
  }
}
