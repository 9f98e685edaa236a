package import FrostglassCore
internal import Glibc

/// A kind of network that finds faces: its input, and the meaning of its outputs.
///
/// Scores of all kinds are on one scale, so that one threshold fits all.
package enum Detector: String, Sendable, Hashable, CaseIterable {
  /// YuNet of 2023: small and quick.
  case yunet
  /// CenterFace: ten times the work, and sees in the dark.
  case centerface

  /// Sides of an input are multiples of this.
  package static let step = 32
  /// The shortest side of an input: OpenCV 4.6 computes garbage where a network's last maps have one row.
  package static let leastSide = 64
  /// The longest side of an input.
  package static let mostSide = 4096
  /// Boxes that may pass the score before overlapping ones are left out.
  package static let mostCandidates = 20_000

  /// The names of its outputs, in the order that `found(in:of:from:)` takes.
  package var outputs: [String] {
    switch self {
    case .yunet: YuNet.outputs
    case .centerface: CenterFace.outputs
    }
  }

  /// Returns the size of the input for an image: sides are rounded up, and the rest is black.
  package static func inputSize(of size: Size) -> Size {
    func rounded(_ side: Int) -> Int { (max(side, leastSide) + step - 1) / step * step }
    return Size(width: rounded(size.width), height: rounded(size.height))
  }

  /// Returns the numbers that the network takes: a plane for each color, of values from 0 to 255.
  ///
  /// - Parameter rgb: three bytes for each pixel, rows without gaps.
  package func planes(of rgb: [UInt8], _ size: Size) -> [Float] {
    let input = Self.inputSize(of: size)
    var planes = [Float](repeating: 0, count: 3 * input.area)
    // YuNet has learned from images whose colors come in the order of OpenCV.
    let order = self == .yunet ? [2, 1, 0] : [0, 1, 2]
    planes.withUnsafeMutableBufferPointer { planes in
      rgb.withUnsafeBufferPointer { rgb in
        for (plane, channel) in order.enumerated() {
          for y in 0..<size.height {
            let target = plane * input.area + y * input.width
            let source = y * size.width * 3 + channel
            for x in 0..<size.width { planes[target + x] = Float(rgb[source + 3 * x]) }
          }
        }
      }
    }
    return planes
  }

  /// Returns the faces that outputs stand for, without overlapping ones, the most certain first.
  ///
  /// - Parameters:
  ///   - outputs: one for each name of `outputs`.
  ///   - size: the input's.
  ///   - score: faces below are left out.
  /// - Throws: `DetectorError` for outputs of another network.
  package func found(
    in outputs: [NetworkOutput], of size: Size, from score: Double
  ) throws(DetectorError) -> [Found] {
    let found =
      switch self {
      case .yunet: try YuNet.found(in: outputs, of: size, from: score)
      case .centerface: try CenterFace.found(in: outputs, of: size, from: score)
      }
    return found.withoutOverlaps(over: 0.3)
  }
}

extension NetworkOutput {
  /// Refuses an output of another shape.
  func check(_ name: String, _ expected: [Int]) throws(DetectorError) {
    guard shape == expected, values.count == expected.reduce(1, *) else {
      throw .otherShape(name: name, found: shape, expected: expected)
    }
  }
}

extension [Found] {
  /// Adds a face that a network gives.
  ///
  /// - Throws: `DetectorError` for one that cannot be, and for too many.
  mutating func take(_ face: Found, from name: String) throws(DetectorError) {
    let numbers = [face.x, face.y, face.width, face.height, face.score]
    guard (numbers + face.points.flatMap { [$0.x, $0.y] }).allSatisfy(\.isFinite) else {
      throw .notFinite(name: name)
    }
    guard count < Detector.mostCandidates else { throw .tooMany(limit: Detector.mostCandidates) }
    append(face)
  }
}

/// Numbers that a network gives for an image, with their shape.
package struct NetworkOutput: Sendable, Hashable {
  /// The extent of each dimension, the slowest first.
  package var shape: [Int]
  /// As many values as the shape has places.
  package var values: [Float]

  /// Creates an output.
  package init(shape: [Int], values: [Float]) {
    self.shape = shape
    self.values = values
  }
}

/// A network or its output that cannot be used.
package enum DetectorError: Error, Sendable, Hashable, CustomStringConvertible {
  /// An output has another shape than such a model gives.
  case otherShape(name: String, found: [Int], expected: [Int])
  /// An output holds numbers that no face can have.
  case notFinite(name: String)
  /// More things than any image has.
  case tooMany(limit: Int)

  /// The words for who gave the model.
  package var description: String {
    switch self {
    case .otherShape(let name, let found, let expected):
      "its output \(name) has the shape \(Self.text(found)); such a model gives \(Self.text(expected))"
    case .notFinite(let name): "its output \(name) holds numbers that are not finite"
    case .tooMany(let limit): "it finds more than \(limit) things, which no image holds"
    }
  }

  private static func text(_ shape: [Int]) -> String {
    shape.map { "\($0)" }.joined(separator: "×")
  }
}

/// Returns e to the power of a network's number.
func exponential(_ value: Float) -> Double { exp(Double(value)) }

/// The outputs of CenterFace: for each cell of one grid the certainty that a face has its center there, its size,
/// the center's place within the cell, and five points.
enum CenterFace {
  private static let stride = 4
  private static let channels = [1, 2, 2, 10]

  /// The outputs' names, as the network numbers them.
  static let outputs = ["537", "538", "539", "540"]

  /// Scores of this network, and of YuNet for faces that are as certain; measured on the videos of a prototype,
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
