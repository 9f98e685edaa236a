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
