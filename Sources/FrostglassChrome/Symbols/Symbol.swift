package import FrostglassCore

/// A small drawing with a name: lines and areas, whose lines can be thin or bold.
package struct Symbol: Sendable, Hashable {
  package let name: String
  /// Units of its grid from side to side, and from top to bottom.
  package let width: Double
  package let height: Double
  private let marks: [Mark]

  /// How thick lines are.
  package enum Weight: String, Sendable, Hashable, CaseIterable {
    case thin, light, regular, medium, semibold, bold

    /// In units.
    fileprivate var thickness: Double {
      switch self {
      case .thin: 1.1
      case .light: 1.5
      case .regular: 1.9
      case .medium: 2.2
      case .semibold: 2.5
      case .bold: 2.9
      }
    }
  }

  /// One thing that is drawn, over or out of what is there.
  private struct Mark: Sendable, Hashable {
    enum Kind: Character, Sendable {
      /// Lines as thick as the weight says, with round ends.
      case stroke = "s"
      /// Lines half as thick as the weight says.
      case thin = "t"
      /// Lines of twice that thickness.
      case wide = "w"
      /// An area.
      case area = "a"
      /// An area with soft corners: it is 0.7 units larger.
      case soft = "f"
      /// What of an area a level has filled, from the left.
      case gauge = "g"
      /// Takes away an area.
      case hole = "o"
      /// Takes away lines or an area, and a gap around them.
      case gap = "x"
    }

    var kind: Kind
    /// The level from which on it counts; below, it is faint.
    var threshold: Double
    var path: SymbolPath
  }

  /// - Parameter row: of the table, `name: marks` or `name 28x14: marks`. Marks have semicolons
  ///   between them; each is the letter of a kind, perhaps `@` and a threshold, and a path.
  init?(row: Substring) {
    let parts = row.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    let head = parts[0].split(separator: " ")
    let sides = head.count > 1 ? head[1].split(separator: "x").compactMap { Double($0) } : [24, 24]
    guard let name = head.first, sides.count == 2 else { return nil }
    self.name = String(name)
    (width, height) = (sides[0], sides[1])
    var marks: [Mark] = []
    for text in parts[1].split(separator: ";") {
      let words = text.drop { $0 == " " }.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let letter = words[0].first, let kind = Mark.Kind(rawValue: letter),
        let path = SymbolPath(words[1])
      else { return nil }
      let threshold = words[0].dropFirst(2)
      marks.append(Mark(kind: kind, threshold: Double(threshold) ?? 0, path: path))
    }
    self.marks = marks
  }

  /// What it covers of each pixel, as a gray picture.
  ///
  /// - Parameters:
  ///   - frame: the picture is as large as fits in there, and keeps the symbol's shape.
  ///   - level: 0…1, of symbols that show one: a battery, a speaker.
  package func picture(in frame: Size, weight: Weight, level: Double) -> Image {
    let scale = min(Double(frame.width) / width, Double(frame.height) / height)
    let size = Size(
      width: max(1, Int((width * scale).rounded())), height: max(1, Int((height * scale).rounded()))
    )
    var image = Image(zeros: size, format: .gray8)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let point = SIMD2(Double(x) + 0.5, Double(y) + 0.5) / scale
        let value = coverage(at: point, weight.thickness, level, scale)
        image.bytes[y * image.bytesPerRow + x] = UInt8((value * 255).rounded())
      }
    }
    return image
  }

  /// What is left of a mark above the level.
  private static let faint = 0.3
  /// Around what is taken away, in units.
  private static let gap = 1.3

  /// 0…1.
  private func coverage(
    at point: SIMD2<Double>, _ thickness: Double, _ level: Double, _ scale: Double
  ) -> Double {
    var value = 0.0
    for mark in marks {
      let (lines, isInside) = mark.path.distance(point)
      let area = isInside ? -lines : lines
      let distance =
        switch mark.kind {
        case .stroke: lines - thickness / 2
        case .thin: lines - thickness / 4
        case .wide: lines - thickness
        case .area, .hole: area
        case .soft: area - 0.7
        case .gauge: max(area, point.x - mark.path.reach(level))
        case .gap: min(area, lines - thickness / 2) - Symbol.gap
        }
      let covered = min(max(0.5 - distance * scale, 0), 1)
      switch mark.kind {
      case .hole, .gap: value *= 1 - covered
      default: value = max(value, level + 1e-9 < mark.threshold ? covered * Symbol.faint : covered)
      }
    }
    return value
  }
}

extension SymbolPath {
  /// How far to the right a level reaches in it.
  fileprivate func reach(_ level: Double) -> Double {
    let ends = pieces.flatMap { [$0.start.x, $0.end.x] }
    let (low, high) = (ends.min() ?? 0, ends.max() ?? 0)
    return low + (high - low) * level
  }
}
