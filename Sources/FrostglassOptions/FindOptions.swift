package import Frostglass
package import FrostglassCore
package import FrostglassFind
package import FrostglassStills

/// The options that have faces looked for.
package struct FindOptions: Sendable {
  /// The options of a command that finds, whatever becomes of it.
  package static let search: [Option] =
    [
      Option(
        "find-effort", value: "E", "quick, normal or thorough (normal)",
        choices: FindEffort.allCases.map(\.rawValue)),
      Option("find-score", value: "0…1", "Cover detections with at least this score (0.5)"),
      Option("find-in", value: "SHAPE", "Ignore detections outside this shape (repeatable)")
        .thatCanRepeat,
      Option("find-not-in", value: "SHAPE", "Ignore detections inside this shape (repeatable)")
        .thatCanRepeat,
      Option("allow-none", "Write the output even if nothing is found"),
      Option("model", value: "FILE", "Use your own ONNX model instead of the built-in ones"),
      Option(
        "model-kind", value: "KIND", "Kind of --model: yunet or centerface",
        choices: Detector.allCases.map(\.rawValue)),
    ].grouped(.place)

  /// Options of a search, for a command that covers what is found.
  package static let table: [Option] =
    [
      Option("find", value: "WHAT", "Cover what a detector finds: faces", choices: ["faces"])
        .grouped(.place)
    ] + search

  /// The care that is taken.
  package var effort: FindEffort
  /// The score from which on a thing is covered.
  package var score: Double
  /// True where an image in which nothing is found is no error.
  package var allowsNone: Bool
  /// A model of the operator's own, with its kind; `nil` for those that are installed.
  package var model: (path: String, kind: Detector)?
  private let inside: [MaskShape]
  private let outside: [MaskShape]

  /// Reads the options.
  ///
  /// - Parameter isAsked: true for a command that always finds; otherwise `--find` asks for it.
  /// - Returns: `nil` where nothing is to be found.
  package init?(_ arguments: ParsedArguments, isAsked: Bool = false) throws(Failure) {
    guard isAsked || arguments.has("find") else {
      for option in Self.search where arguments.has(option.name) {
        throw .usage("--\(option.name) needs --find faces")
      }
      return nil
    }
    if let what = arguments.values["find"], what != "faces" {
      throw .usage("--find is \(what); it must be faces")
    }
    guard !arguments.has("invert") else {
      throw .usage(
        "--invert with --find would leave what is found visible; leave out one of them, or take --regions of frostglass find"
      )
    }
    effort = try arguments.choice("find-effort", default: .normal)
    score = try arguments.number("find-score", in: Look.leastScore...1) ?? Look.startScore
    allowsNone = arguments.has("allow-none")
    inside = try Self.shapes("find-in", arguments)
    outside = try Self.shapes("find-not-in", arguments)
    guard arguments.has("model") == arguments.has("model-kind") else {
      throw .usage("--model and --model-kind need each other: a file, and yunet or centerface")
    }
    if let path = arguments.values["model"] {
      guard arguments.repeated["model"]?.count == 1 else {
        throw .usage("--model is given twice; one model is run")
      }
      model = (path, try arguments.choice("model-kind", default: .yunet))
    }
  }

  private static func shapes(
    _ name: String, _ arguments: ParsedArguments
  ) throws(Failure) -> [MaskShape] {
    var shapes: [MaskShape] = []
    for text in arguments.repeated[name] ?? [] {
      shapes += try mapped(
        { (error: RegionTextError) in Failure.usage("--\(name): \(error)") },
        MaskShape.list(text: text))
    }
    for shape in shapes {
      guard case .rectangle(_, _, _, _, let radius, _) = shape, radius.value == 0 else {
        throw .usage("--\(name) takes rectangles, X,Y,W,H")
      }
    }
    return shapes
  }

  /// Divides what was found into what is to be covered and what is left alone, each the most certain first.
  ///
  /// What touches a shape of `--find-in` is covered, and what only touches one of `--find-not-in`.
  package func divided(_ found: [Found], in size: Size) throws(Failure) -> FoundInImage {
    func bounds(_ shapes: [MaskShape]) throws(Failure) -> [Rect] {
      try shapes.map { shape throws(Failure) in
        try mapped(
          { (error: PlanError) in Failure(FrostglassError.plan(error)) }, shape.bounds(in: size))
      }.compactMap { $0 }
    }
    let (inside, outside) = (try bounds(inside), try bounds(outside))
    var result = FoundInImage(size: size)
    for thing in found {
      guard let covered = thing.covered(in: size) else { continue }
      let isMeant =
        (self.inside.isEmpty || inside.contains { thing.touches($0) })
        && !outside.contains { thing.lies(in: $0) }
      if isMeant, thing.score >= score {
        result.covered.append(covered)
      } else {
        result.leftAlone.append(covered)
      }
    }
    return result
  }
}

extension FindOptions {
  /// Returns why nothing is written where nothing was found.
  package func nothing(in name: String, _ records: [FindRecord]) -> Failure {
    let best = records.compactMap(\.found.leftAlone.first?.score).max()
    let seen =
      switch best {
      case nil: "no face was found"
      case let best? where best >= score: "all faces found are where they are left alone"
      case let best?:
        "no face with a score of \(score) or above was found, the best has \(best.rounded(places: 2))"
      }
    return Failure(
      "\(name): \(seen), and nothing is written; --allow-none goes on all the same, --find-effort thorough and a "
        + "lower --find-score find more", .badData)
  }
}

/// The things found in an image: their boxes with a margin, within the image.
package struct FoundInImage: Sendable, Hashable {
  /// The image's size.
  package var size: Size
  /// The things that are to be covered, the most certain first.
  package var covered: [Found] = []
  /// The things that were seen and are left alone, the most certain first.
  package var leftAlone: [Found] = []
}

extension Found {
  fileprivate func touches(_ rect: Rect) -> Bool {
    x < Double(rect.x + rect.width) && x + width > Double(rect.x)
      && y < Double(rect.y + rect.height) && y + height > Double(rect.y)
  }

  fileprivate func lies(in rect: Rect) -> Bool {
    x >= Double(rect.x) && x + width <= Double(rect.x + rect.width)
      && y >= Double(rect.y) && y + height <= Double(rect.y + rect.height)
  }

  /// The box as a region.
  package var region: Region {
    let sides = box.map { Length($0) }
    return Region(
      .rectangle(x: sides[0], y: sides[1], width: sides[2], height: sides[3]), label: label,
      score: score.rounded(places: 3))
  }
}

/// A search of an image, for audits and for the one who asked.
package struct FindRecord: Sendable {
  /// A model that looked.
  package struct Model: Sendable, Hashable {
    /// The file's name.
    package var name: String
    /// Its SHA-256 in hexadecimal digits.
    package var digest: String

    package init(name: String, digest: String) {
      self.name = name
      self.digest = digest
    }
  }

  /// The things found.
  package var found: FoundInImage
  /// The models that looked.
  package var models: [Model]
  /// The care that was taken.
  package var effort: FindEffort
  /// The score from which on a thing is covered.
  package var score: Double
  /// The state of the file that was searched; `nil` for bytes in memory, which nobody changes.
  let file: FileVersion?

  package init(
    found: FoundInImage, models: [Model], effort: FindEffort, score: Double,
    file: FileVersion? = nil
  ) {
    self.file = file
    self.found = found
    self.models = models
    self.effort = effort
    self.score = score
  }

  /// Such as `3 faces; lowest score 0.71; 2 left alone`.
  package static func words(_ records: [FindRecord], hint: String) -> String {
    let covered = records.flatMap(\.found.covered)
    let alone = records.reduce(0) { $0 + $1.found.leftAlone.count }
    let lowest = covered.map(\.score).min().map { "; lowest score \($0.rounded(places: 2))" } ?? ""
    return "\(covered.count) face\(covered.count == 1 ? "" : "s")\(lowest)"
      + (alone == 0 ? "" : "; \(alone) left alone: \(hint)")
  }

  /// The record as JSON.
  package var json: String {
    JSONText.object([
      ("effort", JSONText.string(effort.rawValue)), ("score", "\(score)"),
      ("count", "\(found.covered.count)"),
      ("lowest", found.covered.last.map { "\($0.score.rounded(places: 3))" } ?? "null"),
      (
        "models",
        JSONText.array(
          models.map {
            JSONText.object([
              ("name", $0.name.jsonPath), ("sha256", JSONText.string($0.digest)),
            ])
          })
      ),
      (
        "leftAlone",
        JSONText.array(
          found.leftAlone.map {
            JSONText.object([
              ("box", JSONText.array($0.box.map { "\($0)" })),
              ("score", "\($0.score.rounded(places: 3))"),
            ])
          })
      ),
    ])
  }
}

extension Found {
  /// The left and top edge, the width and the height, to a tenth of a pixel, none of it lost.
  package var box: [Double] {
    let (left, top) = ((x * 10).rounded(.down) / 10, (y * 10).rounded(.down) / 10)
    let right = ((x + width) * 10).rounded(.up) / 10
    let bottom = ((y + height) * 10).rounded(.up) / 10
    return [left, top, (right - left).rounded(places: 1), (bottom - top).rounded(places: 1)]
  }
}
