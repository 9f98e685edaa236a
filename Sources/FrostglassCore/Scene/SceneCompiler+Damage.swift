extension SceneCompiler {
  /// The pixels in which a scene can differ from the one before.
  ///
  /// A layer that changed damages all it shows before and after. A backdrop over damage is damaged as
  /// far as its filters look from there, inside its bounds.
  ///
  /// - Throws: `PlanError.badValue` when a filter's parameter is out of range for this canvas.
  public mutating func damage(from old: Scene, to new: Scene) throws(PlanError) -> Damage {
    guard old.isOn(sameCanvasAs: new) else { return Damage(new.canvas) }
    try old.checkPictures()
    try new.checkPictures()
    var known: [CapturePair: Damage] = [:]
    return try damage(from: old.layers, to: new.layers, in: new, &known)
  }

  private mutating func damage(
    from old: [Layer], to new: [Layer], in scene: Scene, _ known: inout [CapturePair: Damage]
  ) throws(PlanError) -> Damage {
    var damage = Damage()
    for pair in LayerPair.pairs(old, new) { try add(pair, to: &damage, in: scene, &known) }
    return damage
  }

  /// Adds what a layer changes over what changed below it.
  private mutating func add(
    _ pair: LayerPair, to damage: inout Damage, in scene: Scene,
    _ known: inout [CapturePair: Damage]
  ) throws(PlanError) {
    guard let old = pair.old, let new = pair.new, old.isLike(new) else {
      for layer in [pair.old, pair.new].compactMap({ $0 }) {
        damage.insert(layer.bounds(in: scene))
      }
      return
    }
    guard case .backdrop(let filters, let capture) = new.content else { return }
    var behind = damage
    if case .captured(let now) = capture {
      guard case .backdrop(_, .captured(let before)) = old.content, before != now else { return }
      let pair = CapturePair(before: ObjectIdentifier(before), now: ObjectIdentifier(now))
      if let found = known[pair] {
        behind = found
      } else {
        behind = try self.damage(from: before.layers, to: now.layers, in: scene, &known)
      }
      known[pair] = behind
    }
    guard !behind.isEmpty else { return }
    let reach = try design(of: filters, in: scene).reach
    damage = damage.union(
      behind.expanded(x: reach.x, y: reach.y).clipped(to: new.bounds(in: scene)))
  }
}

/// Two captures that were compared.
private struct CapturePair: Hashable {
  var before: ObjectIdentifier
  var now: ObjectIdentifier
}

/// A layer before and after; one of them is missing where it came or went.
private struct LayerPair {
  var old: Layer?
  var new: Layer?

  /// All layers of both, from the farthest to the nearest; those that changed their order count as
  /// gone and come.
  static func pairs(_ old: [Layer], _ new: [Layer]) -> [LayerPair] {
    var gone = Set<Int>()
    var come = Set<Int>()
    for change in new.map(\.id).difference(from: old.map(\.id)) {
      switch change {
      case .remove(let offset, _, _): gone.insert(offset)
      case .insert(let offset, _, _): come.insert(offset)
      }
    }
    var pairs: [LayerPair] = []
    var (before, after) = (0, 0)
    while before < old.count || after < new.count {
      if gone.contains(before) {
        pairs.append(LayerPair(old: old[before]))
        before += 1
      } else if come.contains(after) {
        pairs.append(LayerPair(new: new[after]))
        after += 1
      } else {
        pairs.append(LayerPair(old: old[before], new: new[after]))
        before += 1
        after += 1
      }
    }
    return pairs
  }
}

extension Layer {
  /// Whether both are the same but for what the layers that a backdrop captured show.
  fileprivate func isLike(_ other: Layer) -> Bool {
    guard case .backdrop(let filters, .captured) = content,
      case .backdrop(filters, .captured) = other.content
    else { return self == other }
    var same = other
    same.content = content
    return self == same
  }
}

extension Scene {
  fileprivate func isOn(sameCanvasAs other: Scene) -> Bool {
    size == other.size && background == other.background && pictures == other.pictures
      && scale == other.scale && quality == other.quality
  }
}
