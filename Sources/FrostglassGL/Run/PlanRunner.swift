internal import FrostglassCore
internal import FrostglassShaders

/// Runs whole plans: uploads, draws in order, read-back, and textures returned at their last use.
final class PlanRunner {
  let pool: TexturePool
  private(set) var passes: PassRunner
  private var capabilities: GLCapabilities
  private var limits: TileLimits
  private let programs: GLOptions.Programs
  private let transfer = GLTransfer()

  init(
    passes: PassRunner, pool: TexturePool, capabilities: GLCapabilities, limits: TileLimits,
    programs: GLOptions.Programs
  ) {
    self.passes = passes
    self.pool = pool
    self.capabilities = capabilities
    self.limits = limits
    self.programs = programs
  }

  /// Runs plans in another way from now on; textures and pictures stay.
  func adapt(passes: PassRunner, capabilities: GLCapabilities, limits: TileLimits) {
    self.passes = passes
    self.capabilities = capabilities
    self.limits = limits
  }

  func run(_ plan: Plan, _ inputs: [Image]) throws(GLFailure) -> Image {
    let tiler = tiler(for: plan)
    let tiles = try tiler.tiles(of: plan)
    var result = ResultImage(plan.result)
    for tile in tiles {
      defer { pool.endRun() }
      try run(tile, tiler, inputs, into: &result)
    }
    return try result.image(alpha: plan.result.alpha, transfer: plan.result.transfer)
  }

  /// Cuts a plan as it is run here.
  func tiler(for plan: Plan) -> Tiler {
    // Decided for the whole, so that its tiles are computed alike.
    let isLarge = programs.areSpecialized(for: plan.result.rect.size)
    return Tiler(
      limits: limits, isLarge: isLarge,
      draws: { DrawList($0, joins: isLarge, splits: self.passes.stage != .tiled) },
      bytesPerSample: { self.workFormat(of: $0).texture.bytesPerTexel })
  }

  /// Whether some pictures of a plan are held in float.
  func drawsFloat(_ plan: Plan) -> Bool {
    plan.slots.contains { workFormat(of: $0).texture.isFloat }
  }

  private func workFormat(of slot: Slot) -> WorkFormat {
    WorkFormat(precision: slot.precision, stage: passes.stage, capabilities: capabilities)
  }

  /// What a slot is held in: what passes wrote, or the input that it is loaded from.
  private struct Held {
    var texture: GLTexture
    var kind: SampleKind
    var loading: ShaderVariant.Loading?
  }

  /// Runs a plan that fits, whose result is a part of `result`.
  private func run(
    _ plan: Plan, _ tiler: Tiler, _ inputs: [Image], into result: inout ResultImage
  ) throws(GLFailure) {
    let list = tiler.draws(plan)
    var held = [Held?](repeating: nil, count: list.slots.count)
    defer { for slot in held { if let slot { pool.takeBack(slot.texture) } } }
    for (index, draw) in list.draws.enumerated() {
      for picture in draw.pictures where held[picture.source.slot] == nil {
        guard let pass = picture.input else { continue }
        let slot = list.slots[picture.source.slot]
        held[picture.source.slot] = try upload(pass, inputs, slot)
      }
      let format =
        draw.target.map { workFormat(of: list.slots[$0]) }
        ?? WorkFormat(result: plan.result.format.depth)
      let rect = draw.target.map { list.slots[$0].domain } ?? plan.result.rect
      let texture = try pool.lend(rect.size, format.texture)
      var isKept = false
      defer { if !isKept { pool.takeBack(texture) } }
      try passes.run(
        PassCall(
          parts: draw.parts, sources: sources(of: draw, list.slots, held), target: texture,
          targetKind: format.target, rect: rect, isSpecialized: tiler.isLarge))
      for slot in list.freed(after: index) {
        if let freed = held[slot] { pool.takeBack(freed.texture) }
        held[slot] = nil
      }
      if let target = draw.target {
        held[target] = Held(texture: texture, kind: format.sample)
        isKept = true
      } else {
        try passes.attach(texture, "read-back")
        try transfer.readBack(rect, into: &result)
      }
    }
  }

  private func sources(
    of draw: DrawList.Draw, _ slots: [Slot], _ held: [Held?]
  ) -> [PassCall.Source] {
    draw.pictures.compactMap { picture in
      held[picture.source.slot].map {
        PassCall.Source(
          texture: $0.texture, kind: $0.kind, loading: $0.loading,
          domain: slots[picture.source.slot].domain, x: picture.source.x,
          y: picture.source.y)
      }
    }
  }

  /// The texture of an input, or of a generated picture, where passes read it.
  ///
  /// Only what the slot holds is uploaded: the picture itself may be larger than any texture.
  private func upload(
    _ pass: Pass, _ inputs: [Image], _ slot: Slot
  ) throws(GLFailure) -> Held {
    let image: Image
    let part: Rect
    let load: Load
    switch pass {
    case .load(let pass):
      (image, part, load) = (inputs[pass.input], slot.domain, pass)
    case .generate(let generate):
      image = Image(generate, slot.domain, slot.layout)
      part = Rect(image.size)
      load = Load(input: 0, alpha: image.alpha, decodesToLinear: false)
    default: throw .unsupported("\(pass.name) as an input")
    }
    let texture = try pool.lend(part.size, TextureFormat(input: image.format))
    do throws(GLFailure) {
      try transfer.upload(image, part, to: texture)
    } catch {
      pool.takeBack(texture)
      throw error
    }
    return Held(
      texture: texture, kind: SampleKind(input: image.format.depth),
      loading: .init(load, channels: image.format.layout.channels))
  }
}

extension Image {
  /// Samples of a generated picture as floats.
  fileprivate init(_ generate: Generate, _ rect: Rect, _ layout: Layout) {
    self.init(
      zeros: rect.size, format: PixelFormat(layout, .float32),
      alpha: layout.hasAlpha ? .premultiplied : .opaque, transfer: .linear)
    let length = rect.width * layout.channels
    bytes.withUnsafeMutableBytes { bytes in
      let samples = bytes.bindMemory(to: Float.self)
      for (index, y) in rect.rows.enumerated() {
        let place = index * length
        generate.row(
          y, rect.columns,
          into: UnsafeMutableBufferPointer(rebasing: samples[place..<place + length]))
      }
    }
  }
}
