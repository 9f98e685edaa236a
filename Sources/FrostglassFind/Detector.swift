package import FrostglassCore

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
