/// Makes plans of scenes, and remembers what it found out about their filters.
///
/// How exactly the passes of a backdrop are done depends on its filters alone and not on what else
/// is in the scene, so a pixel has the same bytes as long as all it is made of stays the same.
package struct SceneCompiler: Sendable {
  private var designs: [Chain: BackdropDesign] = [:]

  package init() {}

  /// The key of a backdrop's design.
  private struct Chain: Hashable {
    var filters: FilterChain
    var canvas: Plan.Input
    var options: PlanOptions
  }

  /// Decides everything that will be computed: the inputs are the scene's images, in order, and the
  /// result has 8 bits a channel, with straight alpha where the background is not opaque.
  ///
  /// Every backdrop's own error is under the quality's tolerance where that can be had; those of
  /// layers that show through each other add up to the plan's `certifiedError`.
  ///
  /// - Throws: `PlanError.badValue` when a filter's parameter is out of range for this canvas, or the
  ///   scale is; `PlanError.malformed` for an image that is not there.
  package mutating func plan(_ scene: Scene) throws(PlanError) -> Plan {
    guard (0.001...1000).contains(scene.scale) else {
      throw .badValue(
        filter: "scene", parameter: "scale", value: shortest(scene.scale),
        accepted: "from 0.001 to 1000 pixels per point")
    }
    try scene.checkImages()
    var planner = Planner(
      size: scene.size, inputs: scene.pictures, options: scene.options, scene.tightness)
    let surface = try planner.layers(scene.layers, of: scene) { chain throws(PlanError) in
      try design(of: chain, in: scene)
    }
    let finished = scene.isOpaque ? surface : planner.covered(surface)
    var plan = planner.finish(
      finished, format: scene.isOpaque ? .rgb8 : .rgba8, alpha: .straight)
    plan.roundsBetweenSteps = true
    return plan
  }

  /// Returns the accuracy and the reach of a backdrop's filters.
  private mutating func design(
    of filters: FilterChain, in scene: Scene
  ) throws(PlanError) -> BackdropDesign {
    let canvas = Plan.Input(
      size: scene.size, format: scene.isOpaque ? .rgb8 : .rgba8,
      alpha: .premultiplied, transfer: .encoded)
    let chain = Chain(filters: filters, canvas: canvas, options: scene.options)
    if let design = designs[chain] { return design }
    let (plan, tightness) = try filters.search(for: canvas, options: scene.options)
    // Repeated edges are visible from any distance.
    let reach = plan.repeats ? (scene.size.width, scene.size.height) : plan.reach
    let design = BackdropDesign(tightness: tightness, reach: reach)
    // A blur of changing strength is another chain in each frame.
    if designs.count >= SceneCompiler.mostDesigns { designs.removeAll(keepingCapacity: true) }
    designs[chain] = design
    return design
  }

  private static let mostDesigns = 256
}

/// The decisions about a backdrop's filters, made once.
struct BackdropDesign: Sendable {
  let tightness: PlanSearch.Tightness
  /// The number of pixels to each side that they look.
  let reach: (x: Int, y: Int)
}

extension Scene {
  /// The plan options for all filters.
  fileprivate var options: PlanOptions { PlanOptions(quality: quality, scale: scale) }

  /// The accuracy of putting layers together.
  fileprivate var tightness: PlanSearch.Tightness {
    PlanSearch.Tightness(budget: 0, precision: quality.precision)
  }

  /// Layers may show only images that are there, and be masked only by gray ones.
  func checkImages() throws(PlanError) {
    var known = Set<ObjectIdentifier>()
    try check(layers, &known)
  }

  private func check(
    _ layers: [Layer], _ known: inout Set<ObjectIdentifier>
  ) throws(PlanError) {
    for layer in layers {
      if case .backdrop(_, .captured(let captured)) = layer.content,
        known.insert(ObjectIdentifier(captured)).inserted
      {
        try check(captured.layers, &known)
      }
      if case .group(let inner) = layer.content { try check(inner, &known) }
      if case .picture(let shown) = layer.content { try check(shown, of: layer) }
      guard let mask = layer.mask else { continue }
      try check(mask, of: layer)
      guard pictures[mask.picture].format.layout == .gray else {
        throw .malformed("layer \(layer.id) has a mask that is not gray")
      }
    }
  }

  private func check(_ placed: PlacedImage, of layer: Layer) throws(PlanError) {
    guard pictures.indices.contains(placed.picture) else {
      throw .malformed(
        "layer \(layer.id) shows image \(placed.picture) of a scene that has \(pictures.count)")
    }
  }
}

extension Plan {
  /// True if any step sees an image repeated beyond its border.
  fileprivate var repeats: Bool {
    steps.contains { step in
      step.sources.contains { $0.x?.mode == .wrap || $0.y?.mode == .wrap }
    }
  }
}

extension SceneCompiler {
  /// The pixels in which a scene can differ from the one before.
  ///
  /// A layer that changed damages all it shows before and after. A backdrop over damage is damaged as
  /// far as its filters look from there, inside its bounds.
  ///
  /// - Throws: `PlanError.badValue` when a filter's parameter is out of range for this canvas.
  package mutating func damage(from old: Scene, to new: Scene) throws(PlanError) -> Damage {
    guard old.isOn(sameCanvasAs: new) else { return Damage(new.canvas) }
    try old.checkImages()
    try new.checkImages()
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
    if case .group(let now) = new.content, case .group(let before) = old.content {
      // What is in it lies over all that changed below, and shows no farther than the group does.
      var inner = damage
      for pair in LayerPair.pairs(before, now) { try add(pair, to: &inner, in: scene, &known) }
      damage = damage.union(inner.clipped(to: new.bounds(in: scene)))
        .union(inner.clipped(to: old.bounds(in: scene)))
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
  /// Returns true if both are the same except for the layers of a backdrop's capture or of a group.
  fileprivate func isLike(_ other: Layer) -> Bool {
    switch (content, other.content) {
    case (.group, .group): break
    case (.backdrop(let own, .captured), .backdrop(let others, .captured)) where own == others:
      break
    default: return self == other
    }
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
