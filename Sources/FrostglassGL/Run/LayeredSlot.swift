internal import FrostglassCore
internal import FrostglassShaders

/// The textures that hold a slot: an image, and others that lie over parts of it.
///
/// A layer of a scene changes a part of what lies below it. The slot after the layer is the slot before it with an
/// image over that part: nothing else is drawn, and the lowest texture may be an input's. If the slot before it is not
/// used again, the part is copied into it.
struct LayeredSlot {
  /// A texture over a part of the slot.
  struct Piece {
    var lent: PooledTexture
    var kind: SampleKind
    /// The conversion of an input's samples; `nil` for samples that passes wrote.
    var loading: ShaderVariant.Loading?
    /// The rectangle that the texture holds, in the slot's grid.
    var domain: Rect
  }

  /// From the farthest to the nearest. Together they hold the slot's domain.
  private(set) var pieces: [Piece]

  init(_ piece: Piece) { pieces = [piece] }

  /// The piece in which all of a region shows; `nil` where that takes several.
  func piece(showing region: Rect) -> Piece? {
    guard pieces.count > 1 else { return pieces.first }
    let top = pieces.last { !$0.domain.intersection(region).isEmpty }
    return top.flatMap { $0.domain.contains(region) ? $0 : nil }
  }

  /// Returns the pieces that may show in a region, the farthest first. Pieces behind one that covers the region are
  /// left out.
  func visible(in region: Rect) -> [Piece] {
    let first = pieces.lastIndex { $0.domain.contains(region) } ?? 0
    return pieces[first...].filter { !$0.domain.intersection(region).isEmpty }
  }

  /// The same toward larger coordinates.
  func moved(right: Int, down: Int) -> LayeredSlot {
    var moved = self
    for index in pieces.indices {
      moved.pieces[index].domain.x += right
      moved.pieces[index].domain.y += down
    }
    return moved
  }

  /// Pixels of all pieces but the farthest.
  var areaOfParts: Int { pieces.dropFirst().reduce(0) { $0 + $1.domain.area } }

  mutating func lay(_ piece: Piece) { pieces.append(piece) }

  /// The texture that a part may be copied into, as it is in sight there and nobody else has it.
  mutating func owned(at part: Rect, like texture: GLTexture) -> Piece? {
    guard let top = pieces.lastIndex(where: { !$0.domain.intersection(part).isEmpty }),
      pieces[top].domain.contains(part), pieces[top].loading == nil,
      pieces[top].lent.isLent, pieces[top].lent.texture.format == texture.format,
      isKnownUniquelyReferenced(&pieces[top].lent)
    else { return nil }
    return pieces[top]
  }
}

/// A texture that goes back to where it came from with its last reference.
final class PooledTexture {
  let texture: GLTexture
  private let pool: TexturePool?
  /// True if the texture came from a pool; others are read-only.
  var isLent: Bool { pool != nil }

  /// - Parameter pool: `nil` for a texture that stays, as that of a resident image.
  init(_ texture: GLTexture, backTo pool: TexturePool?) {
    self.texture = texture
    self.pool = pool
  }

  deinit { pool?.takeBack(texture) }
}

/// Draws what slots are held in.
extension PlanRunner {
  /// Runs a draw that fills a slot, and lets go of the slots that nothing needs after it.
  func held(
    _ draw: DrawList.Draw, _ slots: [DrawnSlot], _ held: inout [LayeredSlot?], freed: Set<Int>,
    isLarge: Bool
  ) throws(GLFailure) -> LayeredSlot? {
    guard let target = draw.target else { return nil }
    if let moved = moved(draw, slots, held) {
      for slot in freed { held[slot] = nil }
      return moved
    }
    let format = workFormat(of: slots[target])
    let rect = draw.change?.rect ?? slots[target].domain
    var drawn: LayeredSlot.Piece?
    if !rect.isEmpty {
      let lent = PooledTexture(try pool.lend(rect.size, format.texture), backTo: pool)
      try run(draw, rect, in: lent.texture, format.target, slots, held, isLarge)
      drawn = LayeredSlot.Piece(lent: lent, kind: format.sample, domain: rect)
    }
    let below = draw.change.flatMap { held[draw.pictures[$0.picture].source.slot] }
    for slot in freed { held[slot] = nil }
    guard var below else { return drawn.map { LayeredSlot($0) } }
    guard let drawn else { return below }
    if let owner = below.owned(at: rect, like: drawn.lent.texture) {
      let place = owner.domain
      try copy(
        Rect(rect.size), of: drawn.lent.texture, to: owner.lent.texture, x: rect.x - place.x,
        y: rect.y - place.y)
      return below
    }
    below.lay(drawn)
    // From here on an image of its own takes less memory.
    guard below.areaOfParts > slots[target].domain.area / 2 else { return below }
    return LayeredSlot(try flattened(below, slots[target].domain, slots[target], isLarge))
  }

  /// The slot of a draw that does nothing but move an image by whole pixels.
  private func moved(
    _ draw: DrawList.Draw, _ slots: [DrawnSlot], _ held: [LayeredSlot?]
  ) -> LayeredSlot? {
    guard draw.lead == nil, draw.parts.count == 1,
      case .resample(let resample) = draw.parts[0].pass,
      let right = resample.x.move, let down = resample.y.move, let target = draw.target,
      let picture = draw.pictures.first, !workFormat(of: slots[target]).rounds,
      !workFormat(of: slots[picture.source.slot]).rounds
    else { return nil }
    let read = resample.sourceRect(for: slots[target].domain)
    // What lies beyond an edge is not where it is looked for.
    guard picture.source.footprint(of: read) == read,
      picture.source.x?.range.contains(read.columns) ?? true,
      picture.source.y?.range.contains(read.rows) ?? true
    else { return nil }
    return held[picture.source.slot]?.moved(right: right, down: down)
  }

  /// Draws a result: piece by piece where a slot is only to be stored.
  func store(
    _ draw: DrawList.Draw, _ rect: Rect, in texture: GLTexture, _ kind: TargetKind,
    _ slots: [DrawnSlot], _ held: [LayeredSlot?], _ isLarge: Bool
  ) throws(GLFailure) {
    guard draw.pictures.count == 1, draw.parts.allSatisfy(\.pass.isPointwise),
      draw.pictures[0].source.x == nil, draw.pictures[0].source.y == nil,
      let stored = held[draw.pictures[0].source.slot], stored.piece(showing: rect) == nil
    else { return try run(draw, rect, in: texture, kind, slots, held, isLarge) }
    for piece in stored.visible(in: rect) {
      try paint(draw.parts, piece, over: rect, in: texture, kind, isLarge)
    }
  }

  private func run(
    _ draw: DrawList.Draw, _ rect: Rect, in texture: GLTexture, _ kind: TargetKind,
    _ slots: [DrawnSlot], _ held: [LayeredSlot?], _ isLarge: Bool
  ) throws(GLFailure) {
    var pieces: [LayeredSlot.Piece] = []
    var sources: [PassCall.Source] = []
    var buffers = 0
    for (index, picture) in draw.pictures.enumerated() {
      if let shape = picture.shape {
        sources.append(PassCall.Source(shape))
        continue
      }
      let slot = slots[picture.source.slot]
      guard let held = held[picture.source.slot] else { continue }
      let region = draw.region(of: index, for: rect).intersection(slot.domain)
      var piece = held.piece(showing: region)
      let isBeyond = piece?.isBuffer == true && buffers == ShaderVariant.mostBuffers
      if isBeyond || piece?.isDear(to: draw) ?? true {
        piece = try flattened(held, region, slot, isLarge)
      }
      guard let piece else { continue }
      pieces.append(piece)
      if piece.isBuffer { buffers += 1 }
      var source = piece.source(x: picture.source.x, y: picture.source.y)
      source.isAsHeld =
        piece.loading == nil ? piece.kind == workFormat(of: slot).sample : slot.isInputOfBytes
      sources.append(source)
    }
    try run(
      PassCall(
        lead: draw.lead, parts: draw.parts, sources: sources, target: texture, targetKind: kind,
        rect: rect,
        isSpecialized: isLarge))
    // Until here, their textures must not be reused.
    withExtendedLifetime(pieces) {}
  }

  /// A region of a slot as one texture.
  private func flattened(
    _ held: LayeredSlot, _ region: Rect, _ slot: DrawnSlot, _ isLarge: Bool
  ) throws(GLFailure) -> LayeredSlot.Piece {
    let format = workFormat(of: slot)
    let whole = PooledTexture(try pool.lend(region.size, format.texture), backTo: pool)
    // Loading a loaded image changes nothing.
    let load = Load(input: 0, alpha: .premultiplied, decodesToLinear: false)
    let parts = [PassCall.Part(.load(load), inputs: [.picture(0)], slot.layout)]
    for piece in held.visible(in: region) {
      try paint(parts, piece, over: region, in: whole.texture, format.target, isLarge)
    }
    return LayeredSlot.Piece(lent: whole, kind: format.sample, domain: region)
  }

  /// Draws what passes make of a piece over a part of an image.
  ///
  /// - Parameter picture: what the texture holds.
  private func paint(
    _ parts: [PassCall.Part], _ piece: LayeredSlot.Piece, over picture: Rect,
    in texture: GLTexture, _ kind: TargetKind, _ isLarge: Bool
  ) throws(GLFailure) {
    let part = piece.domain.intersection(picture)
    let (x, y) = (part.x - picture.x, part.y - picture.y)
    if parts.allSatisfy({ piece.isLeftAlone(by: $0.pass) }),
      piece.lent.texture.format == texture.format
    {
      let from = Rect(
        x: part.x - piece.domain.x, y: part.y - piece.domain.y, width: part.width,
        height: part.height)
      return try copy(from, of: piece.lent.texture, to: texture, x: x, y: y)
    }
    let target = part == picture ? nil : try pool.lend(part.size, texture.format)
    defer { if let target { pool.takeBack(target) } }
    try run(
      PassCall(
        parts: parts, sources: [piece.source(x: nil, y: nil)], target: target ?? texture,
        targetKind: kind, rect: part, isSpecialized: isLarge))
    if let target { try copy(Rect(part.size), of: target, to: texture, x: x, y: y) }
  }
}

extension LayeredSlot.Piece {
  /// The piece as a draw reads it.
  fileprivate func source(x: AxisEdge?, y: AxisEdge?) -> PassCall.Source {
    PassCall.Source(
      texture: lent.texture, kind: kind, loading: loading, domain: domain, x: x, y: y)
  }

  /// True if it is in a storage buffer, of which programs read few.
  fileprivate var isBuffer: Bool { lent.texture.format.isBuffer }

  /// Returns true if a draw would decode samples to linear light for each of more than two taps.
  fileprivate func isDear(to draw: DrawList.Draw) -> Bool {
    loading?.decodesToLinear == true && draw.parts.contains { $0.pass.kind.tapCount > 2 }
  }

  /// Returns true if a pass into a texture of the piece's format leaves each texel unchanged.
  fileprivate func isLeftAlone(by pass: Pass) -> Bool {
    switch pass {
    case .load: return loading == nil
    case .store(let store):
      guard let loading, kind == .unorm8 || kind == .words else { return false }
      return loading.alpha == store.alpha && loading.alpha != .straight
        && !loading.decodesToLinear && !store.encodesFromLinear && loading.bits == 0
        && loading.channels != 1 && store.bits == nil && store.background == nil
    default: return false
    }
  }
}

extension DrawList.Draw {
  /// The samples of one of the images that a part of the target is made from.
  func region(of picture: Int, for target: Rect) -> Rect {
    var region: Rect?
    for part in parts {
      for (index, input) in part.inputs.enumerated() where input == .picture(picture) {
        var wanted = part.pass.sourceRect(for: target, of: index)
        if let lead { wanted = lead.sourceRect(for: wanted, of: 0) }
        let read = pictures[picture].source.footprint(of: wanted)
        region = region?.union(read) ?? read
      }
    }
    return region ?? target
  }
}

extension Range<Int> {
  fileprivate func contains(_ other: Range<Int>) -> Bool {
    lowerBound <= other.lowerBound && other.upperBound <= upperBound
  }
}
