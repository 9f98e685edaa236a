internal import FrostglassCore

/// The outputs of YuNet: for each cell of three grids a face's certainty, box and five points.
enum YuNet {
  /// Pixels between the cells of each grid.
  private static let strides = [8, 16, 32]
  private static let parts = [("cls", 1), ("obj", 1), ("bbox", 4), ("kps", 10)]

  /// The outputs' names: those of a grid, one grid after another.
  static let outputs = strides.flatMap { stride in parts.map { "\($0.0)_\(stride)" } }

  /// Decodes outputs.
  static func found(
    in outputs: [NetworkOutput], of size: Size, from score: Double
  ) throws(DetectorError) -> [Found] {
    var found: [Found] = []
    for (grid, stride) in strides.enumerated() {
      let columns = size.width / stride
      let cells = columns * (size.height / stride)
      let own = outputs[grid * parts.count..<(grid + 1) * parts.count]
      for ((part, count), output) in zip(parts, own) {
        try output.check("\(part)_\(stride)", [1, cells, count])
      }
      let values = own.map(\.values)
      let (kinds, things, boxes, points) = (values[0], values[1], values[2], values[3])
      for cell in 0..<cells {
        guard kinds[cell].isFinite, things[cell].isFinite else {
          throw .notFinite(name: "cls_\(stride)")
        }
        let certainty = (Double(kinds[cell].inUnit) * Double(things[cell].inUnit)).squareRoot()
        guard certainty >= score else { continue }
        let (column, row) = (Double(cell % columns), Double(cell / columns))
        func place(_ value: Float, _ start: Double) -> Double {
          (Double(value) + start) * Double(stride)
        }
        let box = (0..<4).map { boxes[4 * cell + $0] }
        let width = exponential(box[2]) * Double(stride)
        let height = exponential(box[3]) * Double(stride)
        try found.take(
          Found(
            x: place(box[0], column) - width / 2, y: place(box[1], row) - height / 2, width: width,
            height: height, score: certainty,
            points: (0..<5).map { point in
              Found.Point(
                x: place(points[10 * cell + 2 * point], column),
                y: place(points[10 * cell + 2 * point + 1], row))
            }), from: "bbox_\(stride)")
      }
    }
    return found
  }
}

extension Float {
  /// The nearest value from 0 to 1.
  var inUnit: Float { Swift.min(Swift.max(self, 0), 1) }
}
