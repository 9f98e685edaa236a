import FrostglassCore
import FrostglassFind
import TestSupport
import Testing

/// Outputs of networks, decoded. The recorded ones are what onnxruntime gives for the astronaut's face at 64×64.
@Suite struct DetectorTests {
  private let size = Size(width: 64, height: 64)

  private static let shapes: [Detector: [[Int]]] = [
    .yunet: [64, 16, 4].flatMap { cells in [1, 1, 4, 10].map { [1, cells, $0] } },
    .centerface: [1, 2, 2, 10].map { [1, $0, 16, 16] },
  ]

  /// Outputs of which every value is the same.
  private func outputs(_ detector: Detector, of value: Float = 0) throws -> [NetworkOutput] {
    try #require(Self.shapes[detector]).map { shape in
      NetworkOutput(
        shape: shape, values: [Float](repeating: value, count: shape.reduce(1, *)))
    }
  }

  private func recorded(_ detector: Detector) throws -> [NetworkOutput] {
    let bytes = try #require(
      Files.bytes(of: "\(Files.root)/Tests/Fixtures/Find/\(detector.rawValue)-64.f32"))
    var place = 0
    return try #require(Self.shapes[detector]).map { shape in
      let count = shape.reduce(1, *)
      defer { place += 4 * count }
      let values = (0..<count).map { index in
        let start = place + 4 * index
        return Float(
          bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << (8 * $1) })
      }
      return NetworkOutput(shape: shape, values: values)
    }
  }

  /// Boxes and points are those that the prototype's decoder in Python makes of the same outputs.
  @Test(arguments: [
    (
      Detector.yunet, [15.819, 17.724, 30.104, 34.208], 0.91483,
      [23.652, 29.638, 37.778, 29.391, 29.552, 36.843, 24.320, 41.730, 35.896, 42.271]
    ),
    (
      Detector.centerface, [16.975, 15.948, 28.615, 35.361], 0.86457,
      [25.335, 27.828, 38.773, 28.925, 30.690, 35.483, 25.427, 40.968, 36.505, 41.817]
    ),
  ]) func recordedOutputsAreTheAstronautsFace(
    _ detector: Detector, _ box: [Double], _ score: Double, _ points: [Double]
  ) throws {
    let found = try detector.found(in: recorded(detector), of: size, from: 0.5)
    let face = try #require(found.first)
    #expect(found.count == 1)
    let numbers =
      [face.x, face.y, face.width, face.height] + face.points.flatMap { [$0.x, $0.y] }
    for (number, expected) in zip(numbers, box + points) {
      #expect(abs(number - expected) < 0.002, "\(numbers)")
    }
    #expect(abs(face.score - score) < 0.0001)
    let more = try detector.found(in: recorded(detector), of: size, from: 0.2)
    #expect(more.first == face && more.map(\.score) == more.map(\.score).sorted(by: >))
  }

  @Test func scoresOfCenterFaceAreOnTheScaleOfYuNet() throws {
    for (own, common) in [(Float(0.1), 0.2), (0.2, 0.35), (0.275, 0.475), (0.5, 0.75), (1, 1)] {
      var outputs = try outputs(.centerface)
      outputs[0].values[17] = own
      let found = try Detector.centerface.found(in: outputs, of: size, from: 0.2)
      #expect(found.count == 1 && abs(found[0].score - common) < 1e-6, "\(own)")
    }
  }

  @Test(arguments: Detector.allCases) func outputsOfAnotherShapeAreRefused(
    _ detector: Detector
  ) throws {
    for index in detector.outputs.indices {
      var other = try outputs(detector)
      other[index].shape[1] += 1
      #expect(throws: DetectorError.self) {
        try detector.found(in: other, of: size, from: 0.5)
      }
      other = try outputs(detector)
      other[index].values.removeLast()
      #expect(throws: DetectorError.self) {
        try detector.found(in: other, of: size, from: 0.5)
      }
    }
    #expect(throws: DetectorError.self) {
      try detector.found(in: outputs(detector), of: Size(width: 96, height: 64), from: 0.5)
    }
  }

  /// Also those whose powers are not: a size of e to the 1000th.
  @Test(arguments: Detector.allCases, [Float.nan, .infinity, -.infinity, 1000])
  func numbersThatAreNotFiniteAreRefused(_ detector: Detector, _ value: Float) throws {
    for index in detector.outputs.indices {
      var outputs = try outputs(detector)
      // A face that is taken, in each grid.
      for (place, name) in detector.outputs.enumerated()
      where name.hasPrefix("cls") || name.hasPrefix("obj") || name == "537" {
        outputs[place].values[1] = 0.9
      }
      outputs[index].values = outputs[index].values.map { _ in value }
      let isSize = ["bbox", "538"].contains { detector.outputs[index].hasPrefix($0) }
      // e to the power of minus infinity is 0.
      let isNothing = detector.outputs[index] == "538" && value == -.infinity
      guard isSize || !value.isFinite, !isNothing else { continue }
      #expect(throws: DetectorError.notFinite(name: name(detector, index))) {
        try detector.found(in: outputs, of: size, from: 0.5)
      }
    }
  }

  /// The output that is named where one is not finite.
  private func name(_ detector: Detector, _ index: Int) -> String {
    switch detector {
    case .yunet:
      let stride = detector.outputs[index].split(separator: "_")[1]
      return "\(index % 4 < 2 ? "cls" : "bbox")_\(stride)"
    case .centerface: return index == 0 ? "537" : "538"
    }
  }

  @Test func moreFacesThanAnyImageHasAreRefused() throws {
    let size = Size(width: 1280, height: 736)
    let cells = (size.width / 4) * (size.height / 4)
    let outputs = [1, 2, 2, 10].map { count in
      NetworkOutput(
        shape: [1, count, size.height / 4, size.width / 4],
        values: [Float](repeating: 1, count: count * cells))
    }
    #expect(throws: DetectorError.tooMany(limit: Detector.mostCandidates)) {
      try Detector.centerface.found(in: outputs, of: size, from: 0.5)
    }
  }

  @Test func inputsAreWholeStepsWithBlackAround() {
    #expect(Detector.inputSize(of: Size(width: 33, height: 64)) == size)
    let small = Size(width: 2, height: 1)
    let planes = Detector.yunet.planes(of: [1, 2, 3, 4, 5, 6], small)
    #expect(planes.count == 3 * 64 * 64)
    // Blue comes first.
    #expect(planes[0..<3] == [3, 6, 0] && planes[4096..<4099] == [2, 5, 0])
    #expect(planes[8192..<8195] == [1, 4, 0] && planes.reduce(0, +) == 21)
    let other = Detector.centerface.planes(of: [1, 2, 3, 4, 5, 6], small)
    #expect(other[0..<2] == [1, 4] && other[8192..<8194] == [3, 6])
  }
}
