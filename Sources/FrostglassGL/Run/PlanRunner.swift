internal import FrostglassCore
internal import FrostglassShaders

/// Runs whole plans: uploads, passes in order, read-back, and textures returned at their last use.
final class PlanRunner {
  let pool: TexturePool
  let passes: PassRunner
  let limits: TileLimits
  let transfer: GLTransfer
  let context: GLContext
  private let capabilities: GLCapabilities

  init(
    passes: PassRunner, pool: TexturePool, transfer: GLTransfer, capabilities: GLCapabilities,
    limits: TileLimits, context: GLContext
  ) {
    self.passes = passes
    self.pool = pool
    self.capabilities = capabilities
    self.limits = limits
    self.transfer = transfer
    self.context = context
  }

  /// The textures of a run's inputs.
  func textures(of inputs: [RunInput]) -> InputTextures {
    InputTextures(inputs: inputs, pool: pool, transfer: transfer)
  }

  /// Runs a plan, in tiles where it does not fit, wherever its inputs are and its result goes.
  func run(
    _ plan: Plan, _ inputs: InputTextures, into sink: any ResultSink
  ) throws(GLFailure) {
    // What is lent now are pictures that stay on the device.
    var limits = limits
    limits.bytes -= pool.statistics.lentBytes
    let tiles = try plan.tiles(within: limits) { workFormat(of: $0).texture.bytesPerTexel }
    for tile in tiles {
      defer { pool.endRun() }
      try run(tile: tile, inputs, into: sink)
    }
  }

  private func workFormat(of slot: Slot) -> WorkFormat {
    WorkFormat(precision: slot.precision, stage: passes.stage, capabilities: capabilities)
  }

  /// Runs a plan that fits, whose result is a part of the whole.
  private func run(
    tile plan: Plan, _ inputs: InputTextures, into sink: any ResultSink
  ) throws(GLFailure) {
    let lastUses = plan.lastUses
    var textures = [GLTexture?](repeating: nil, count: plan.slots.count)
    defer { for texture in textures { texture.map(pool.takeBack) } }
    for (index, step) in plan.steps.enumerated() {
      guard let target = step.target else {
        try store(step, plan, textures, into: sink)
        continue
      }
      let slot = plan.slots[target]
      let texture = try pool.lend(slot.domain.size, workFormat(of: slot).texture)
      textures[target] = texture
      switch step.pass {
      case .load(let load):
        let input = try inputs.texture(of: load.input, covering: slot.domain)
        defer { inputs.takeBack(input) }
        try self.load(load, from: input, to: texture, slot)
      case .generate(let generate):
        let image = Image(generate, slot.domain, slot.layout)
        var input = try inputs.upload(image, Rect(image.size))
        defer { inputs.takeBack(input) }
        input.domain = slot.domain
        let load = Load(input: 0, alpha: image.alpha, decodesToLinear: false)
        try self.load(load, from: input, to: texture, slot)
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

  private func load(
    _ load: Load, from input: InputTexture, to target: GLTexture, _ slot: Slot
  ) throws(GLFailure) {
    try passes.run(
      PassCall(
        pass: .load(load),
        sources: [
          PassCall.Source(texture: input.texture, kind: input.kind, domain: input.domain)
        ],
        target: target, targetKind: workFormat(of: slot).target, rect: slot.domain,
        layout: slot.layout, inputChannels: input.channels))
  }

  private func store(
    _ step: Step, _ plan: Plan, _ textures: [GLTexture?], into sink: any ResultSink
  ) throws(GLFailure) {
    let rect = plan.result.rect
    let format = WorkFormat(result: plan.result.format.depth)
    let sources = sources(of: step, plan, textures)
    try sink.write(rect) { texture throws(GLFailure) in
      try passes.run(
        PassCall(
          pass: step.pass, sources: sources, target: texture, targetKind: format.target,
          rect: rect, layout: .rgba))
    }
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
