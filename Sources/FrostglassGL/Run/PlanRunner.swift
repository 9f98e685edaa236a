internal import FrostglassCore
internal import FrostglassShaders

/// Runs whole plans: uploads, passes in order, read-back, and textures returned at their last use.
final class PlanRunner {
  let pool: TexturePool
  private let passes: PassRunner
  private let capabilities: GLCapabilities
  private let limits: TileLimits
  private let transfer = GLTransfer()

  init(passes: PassRunner, pool: TexturePool, capabilities: GLCapabilities, limits: TileLimits) {
    self.passes = passes
    self.pool = pool
    self.capabilities = capabilities
    self.limits = limits
  }

  func run(_ plan: Plan, _ inputs: [Image]) throws(GLFailure) -> Image {
    let tiles = try plan.tiles(within: limits) { workFormat(of: $0).texture.bytesPerTexel }
    var result = ResultImage(plan.result)
    for tile in tiles {
      defer { pool.endRun() }
      try run(tile, inputs, into: &result)
    }
    return try result.image(alpha: plan.result.alpha, transfer: plan.result.transfer)
  }

  private func workFormat(of slot: Slot) -> WorkFormat {
    WorkFormat(precision: slot.precision, stage: passes.stage, capabilities: capabilities)
  }

  /// Runs a plan that fits, whose result is a part of `result`.
  private func run(
    _ plan: Plan, _ inputs: [Image], into result: inout ResultImage
  ) throws(GLFailure) {
    let lastUses = plan.lastUses
    var textures = [GLTexture?](repeating: nil, count: plan.slots.count)
    defer { for texture in textures { texture.map(pool.takeBack) } }
    for (index, step) in plan.steps.enumerated() {
      guard let target = step.target else {
        try store(step, plan, textures, into: &result)
        continue
      }
      let slot = plan.slots[target]
      let texture = try pool.lend(slot.domain.size, workFormat(of: slot).texture)
      textures[target] = texture
      switch step.pass {
      case .load(let load): try self.load(load, from: inputs[load.input], to: texture, slot)
      case .generate(let generate): try self.generate(generate, to: texture, slot)
      default:
        try passes.run(
          PassCall(
            pass: step.pass, sources: sources(of: step, plan, textures), target: texture,
            targetKind: workFormat(of: slot).target, rect: slot.domain, layout: slot.layout))
      }
      for source in step.sources where lastUses[source.slot] == index {
        textures[source.slot].map(pool.takeBack)
        textures[source.slot] = nil
      }
    }
  }

  private func sources(
    of step: Step, _ plan: Plan, _ textures: [GLTexture?]
  ) -> [PassCall.Source] {
    step.sources.compactMap { source in
      textures[source.slot].map {
        PassCall.Source(
          texture: $0, kind: workFormat(of: plan.slots[source.slot]).sample,
          domain: plan.slots[source.slot].domain, x: source.x, y: source.y)
      }
    }
  }

  /// Uploads only what the slot holds: the picture itself may be larger than any texture.
  private func load(
    _ load: Load, from image: Image, to target: GLTexture, _ slot: Slot
  ) throws(GLFailure) {
    let input = try pool.lend(slot.domain.size, TextureFormat(input: image.format))
    defer { pool.takeBack(input) }
    try transfer.upload(image, slot.domain, to: input)
    try passes.run(
      PassCall(
        pass: .load(load),
        sources: [
          PassCall.Source(
            texture: input, kind: SampleKind(input: image.format.depth), domain: slot.domain)
        ],
        target: target, targetKind: workFormat(of: slot).target, rect: slot.domain,
        layout: slot.layout, inputChannels: image.format.layout.channels))
  }

  /// The core's samples, uploaded as a picture of floats and loaded.
  private func generate(
    _ generate: Generate, to target: GLTexture, _ slot: Slot
  ) throws(GLFailure) {
    let image = Image(generate, slot.domain, slot.layout)
    let input = try pool.lend(slot.domain.size, TextureFormat(input: image.format))
    defer { pool.takeBack(input) }
    try transfer.upload(image, Rect(image.size), to: input)
    try passes.run(
      PassCall(
        pass: .load(Load(input: 0, alpha: image.alpha, decodesToLinear: false)),
        sources: [
          PassCall.Source(
            texture: input, kind: SampleKind(input: image.format.depth), domain: slot.domain)
        ],
        target: target, targetKind: workFormat(of: slot).target, rect: slot.domain,
        layout: slot.layout, inputChannels: image.format.layout.channels))
  }

  private func store(
    _ step: Step, _ plan: Plan, _ textures: [GLTexture?], into result: inout ResultImage
  ) throws(GLFailure) {
    let rect = plan.result.rect
    let format = WorkFormat(result: plan.result.format.depth)
    let texture = try pool.lend(rect.size, format.texture)
    defer { pool.takeBack(texture) }
    try passes.run(
      PassCall(
        pass: step.pass, sources: sources(of: step, plan, textures), target: texture,
        targetKind: format.target, rect: rect, layout: .rgba))
    try passes.attach(texture, "read-back")
    try transfer.readBack(rect, into: &result)
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
