package import FrostglassCore

/// An order to the program that runs detectors: words, followed by bytes.
package enum FindOrder: Sendable, Hashable {
  /// Loads a detector's model, whose file follows.
  case model(Detector)
  /// Searches an image, whose RGB bytes follow, for things of this score and above.
  case look(Detector, Size, Double)

  /// The words that stand for it.
  package var words: String {
    switch self {
    case .model(let detector): "model \(detector.rawValue)"
    case .look(let detector, let size, let score):
      "look \(detector.rawValue) \(size.width) \(size.height) \(score)"
    }
  }

  /// Reads the words; `nil` for anything else, also for images that are too large.
  package init?(words: String) {
    let parts = words.split(separator: " ")
    guard parts.count >= 2, let detector = Detector(rawValue: String(parts[1])) else { return nil }
    switch (parts[0], parts.count) {
    case ("model", 2): self = .model(detector)
    case ("look", 5):
      guard let width = Int(parts[2]), let height = Int(parts[3]), let score = Double(parts[4]),
        (1...Detector.mostSide).contains(width), (1...Detector.mostSide).contains(height),
        (0...1).contains(score)
      else { return nil }
      self = .look(detector, Size(width: width, height: height), score)
    default: return nil
    }
  }

  /// Bytes of the largest model's file.
  package static let mostModelBytes = 64 << 20
  /// The largest size of the bytes that follow an order, a model or an image.
  package static let mostBytes = max(mostModelBytes, 3 * Detector.mostSide * Detector.mostSide)
  /// Bytes of the longest words of an order or an answer.
  package static let mostWords = 8 << 20
}

/// An answer of the program that runs detectors.
package enum FindAnswer: Sendable, Hashable {
  /// The things found in the image that the detector saw; none after a model was taken.
  case found([Found])
  /// Why nothing came of the order.
  case failed(String)

  /// The words that stand for it: a line for each thing.
  package var words: String {
    switch self {
    case .failed(let reason): "failed \(reason)"
    case .found(let found):
      found.reduce(into: "found") { words, face in
        let numbers =
          [face.x, face.y, face.width, face.height, face.score]
          + face.points.flatMap { [$0.x, $0.y] }
        words += "\n" + numbers.map { "\($0)" }.joined(separator: " ")
      }
    }
  }

  /// Reads the words; `nil` for anything else.
  package init?(words: String) {
    if words.hasPrefix("failed ") {
      self = .failed(String(words.dropFirst(7)))
      return
    }
    let lines = words.split(separator: "\n")
    guard lines.first == "found", lines.count <= Detector.mostCandidates + 1 else { return nil }
    var found: [Found] = []
    for line in lines.dropFirst() {
      let numbers = line.split(separator: " ").compactMap { Double($0) }.filter(\.isFinite)
      guard numbers.count == 5 || numbers.count == 15 else { return nil }
      found.append(
        Found(
          x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3], score: numbers[4],
          points: stride(from: 5, to: numbers.count, by: 2).map { index in
            Found.Point(x: numbers[index], y: numbers[index + 1])
          }))
    }
    self = .found(found)
  }
}

/// The program that runs detectors, in a process of its own: nothing else links what runs networks.
package enum FindProgram {
  /// The file's name.
  package static let name = "frostglass-find"
  /// The word that it is started with.
  package static let word = "look"
  /// Bytes of memory that it may take.
  package static let memory = 3 << 30
}
