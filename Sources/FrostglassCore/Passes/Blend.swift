/// Puts two images together, pixel by pixel, on premultiplied values.
package struct Blend: Sendable, Hashable {
  /// The formula of a pixel; `a` is the first source, `b` the second.
  package enum Mode: Sendable, Hashable {
    /// `a (1 − amount) + b amount`.
    case mix(Float)
    /// `a (1 − m) + b m`, with `m` from the third source, which is gray.
    case masked
    /// `a + b (1 − alpha of a)`: the first lies over the second.
    case over
    /// `a b`, with a gray `b`.
    case multiply
    /// `a / b`, with a gray `b`; 0 where `b` is under 1/65536. Limited to 0…1.
    case divide
    /// `a / alpha of a × alpha of b`: the color of the first, the alpha of the second. `b` where
    /// alpha of `a` is under 1/65536. Limited to 0…alpha.
    case normalize
    /// The same where alpha of `a` is at least this share of alpha of `b`, above 0. Where it is less, `b` takes
    /// the place of what is missing: `a / share + b (1 − alpha of a / (share × alpha of b))`. So what `a` is
    /// off by counts 1/share times at most, however little of it there is.
    case normalizeAbove(Float)
    /// `min(a + b, 1)`.
    case plusLighter
  }

  package var mode: Mode
  /// The part where `masked` needs the first source: the mask is 1 outside. `nil` is everywhere, an empty part nowhere;
  /// one pixel of an empty part is computed all the same, as there are no empty images.
  package var firstPart: Rect?
  /// The part where `masked` needs the second source: the mask is 0 outside. `nil` is everywhere.
  package var secondPart: Rect?

  package init(_ mode: Mode, firstPart: Rect? = nil, secondPart: Rect? = nil) {
    self.mode = mode
    self.firstPart = firstPart
    self.secondPart = secondPart
  }

  /// The divisor below which `divide` gives 0.
  package static let smallestDivisor: Float = 1 / 65536
}

extension Blend: PassKind {
  package var sourceCount: Int { mode == .masked ? 3 : 2 }
  package var summary: String {
    "\(mode)" + (secondPart.map { ", second in \($0)" } ?? "")
      + (firstPart.map { ", first in \($0)" } ?? "")
  }

  package func sourceRect(for target: Rect, of source: Int) -> Rect {
    guard let part = part(of: source) else { return target }
    return part.isEmpty
      ? Rect(x: part.x, y: part.y, width: 1, height: 1) : target.limited(to: part)
  }

  package func reads(_ source: Int, for rows: Range<Int>) -> Bool {
    func shows(_ part: Rect?) -> Bool { part.map { !$0.isEmpty && $0.rows.overlaps(rows) } ?? true }
    return (source == 1 || shows(firstPart)) && (source == 0 || shows(secondPart))
  }

  /// The same for a part of the image: a source that does not show there is not looked for where
  /// it does.
  func cropped(to target: Rect) -> Blend {
    func limit(_ part: Rect?) -> Rect? {
      guard let part, target.intersection(part).isEmpty else { return part }
      return Rect(x: target.x, y: target.y, width: 0, height: 0)
    }
    return Blend(mode, firstPart: limit(firstPart), secondPart: limit(secondPart))
  }

  /// Returns the part in which a source is read; `nil` is everywhere.
  private func part(of source: Int) -> Rect? {
    switch source {
    case 0: return firstPart
    case 1: return secondPart
    default:
      guard let first = firstPart, let second = secondPart else { return firstPart ?? secondPart }
      return first.isEmpty ? first : second.isEmpty ? second : first.limited(to: second)
    }
  }
}
