internal import FrostglassCore

/// What changed behind a view since it was last looked at, as far as it is told.
struct BackdropChanges: Sendable, Hashable {
  /// Whether anybody tells. If not, everything may have changed at any time.
  private var isReported = false
  private var isEverything = true
  private var damage = Damage()
  private var version: Int?

  /// What changed in some place.
  enum Change {
    case nothing
    case part(Damage)
    case everything
  }

  mutating func note(_ damage: Damage) {
    isReported = true
    if !isEverything { self.damage = self.damage.union(damage) }
  }

  mutating func note(version: Int) {
    if version != self.version { noteEverything() }
    self.version = version
    isReported = true
  }

  mutating func noteEverything() {
    isEverything = true
    damage = Damage()
  }

  /// Whether something was told that counts.
  var isPending: Bool { isEverything || !damage.isEmpty }

  /// What changed near a rectangle.
  ///
  /// - Parameters:
  ///   - pixels: the rectangle.
  ///   - reach: how far from it a change matters, in pixels; `nil` if that is not known.
  func change(near pixels: Rect, reach: Int?) -> Change {
    if isEverything || !isReported { return .everything }
    guard let reach else { return damage.isEmpty ? .nothing : .part(damage) }
    let near = Damage(pixels).expanded(x: reach, y: reach).bounds
    let part = near.map { damage.clipped(to: $0) } ?? Damage()
    return part.isEmpty ? .nothing : .part(part)
  }

  /// From now on, only what changes later counts.
  mutating func forget() {
    isEverything = false
    damage = Damage()
  }
}
