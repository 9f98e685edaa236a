internal import FrostglassCore
internal import FrostglassShaders

/// Runs whole plans: uploads, draws in order, read-back, and textures returned at their last use.
final class PlanRunner {
  let pool: TexturePool
  let passes: PassRunner
  private(set) var limits: TileLimits
  let transfer: GLTransfer
  let context: GLContext
  let capabilities: GLCapabilities
  private let programs: GLOptions.Programs
  private let recordings = Recordings()
  private let generated: GeneratedImages
  /// Writes down what is run; `nil` where nobody is to.
  private(set) var recorder: PlanRecorder? {
    didSet { pool.recorder = recorder }
  }

  init(
    passes: PassRunner, pool: TexturePool, transfer: GLTransfer, capabilities: GLCapabilities,
    limits: TileLimits, programs: GLOptions.Programs, context: GLContext
  ) {
    self.passes = passes
    self.pool = pool
    self.capabilities = capabilities
    self.limits = limits
    self.programs = programs
    self.transfer = transfer
    self.context = context
    generated = GeneratedImages(pool: pool)
    pool.ledger.whenShort { [weak recordings] in recordings?.forgetImages() }
  }

  /// The number of runs that were played from a recording.
  var playedRuns: Int { recordings.played }

  /// Lets go of what is kept for plans that run again.
  func trim() {
    recordings.forget()
    generated.trim()
    pool.trim()
    transfer.trim()
  }

  /// Runs plans in other tiles from now on; textures and images stay.
  func adapt(to limits: TileLimits) {
    self.limits = limits
    recordings.forget()
  }

  /// The bytes left for textures. Those lent now are images that stay on the device.
  private var bytesLeft: Int { limits.bytes - pool.statistics.lentBytes }

  /// Cuts a plan as it is run here.
  func tiler(for plan: Plan) -> Tiler {
    var limits = limits
    limits.bytes = bytesLeft
    // Decided for the whole, so that its tiles and regions are computed alike.
    let isLarge = programs.areSpecialized(for: plan.wholeSize)
    let isBlocked = passes.stage == .blocked
    let rounds = plan.slots.contains { workFormat($0.precision).rounds }
    let drawsParts = !rounds && plan.slots.allSatisfy { canCopy(workFormat($0.precision).texture) }
    // Whether large or small, what is promised to be rounded is.
    let joins = isLarge && !(rounds && plan.roundsBetweenSteps)
    let sharesWindows = isLarge && passes.sharesWindows
    return Tiler(
      limits: limits, isLarge: isLarge,
      lowered: { [capabilities] plan in
        // Where a group shares a window, all of a shape is fewer fetches than its parts.
        plan.inParts { pass in
          sharesWindows && ShaderBlock.sharingWindow(pass).map { capabilities.shares($0) } ?? false
        }
      },
      draws: { [capabilities] plan in
        DrawList(
          plan, joins: joins, splits: !isBlocked, drawsParts: drawsParts,
          quarters: (isBlocked || sharesWindows) && capabilities.takesBlocks,
          leads: { first, second in
            sharesWindows
              && ShaderBlock.joining(first, second).map { capabilities.shares($0) } ?? false
          })
      },
      bytesPerSample: { self.workFormat(of: $0).texture.bytesPerTexel })
  }

  /// The textures of a run's inputs.
  func textures(of inputs: [RunInput]) -> InputTextures {
    InputTextures(
      inputs: inputs, pool: pool, transfer: transfer,
      format: { self.format(ofInput: $0, $1) })
  }

  /// Runs a plan.
  ///
  /// - Parameter memory: for each result, what it may be written to.
  /// - Returns: the results on their way to memory.
  func start(_ run: PlanRun, into memory: [ResultMemory]) throws(GLFailure) -> [HostResult] {
    let sinks = zip(run.plan.results, memory).map { HostResult($0, into: $1, runner: self) }
    do throws(GLFailure) {
      try self.run(run, into: sinks)
    } catch {
      for sink in sinks { sink.abandon() }
      throw error
    }
    if let (image, rest) = run.kept { sinks[0].keep(rest, of: image) }
    return sinks
  }

  /// Runs a plan, in tiles where it does not fit, wherever its inputs are and its results go.
  ///
  /// - Parameter sinks: one for each result.
  func run(_ run: PlanRun, into sinks: [any ResultSink]) throws(GLFailure) {
    defer { generated.endRun() }
    switch recordings.fate(of: run, bytes: bytesLeft) {
    case .played(let recording):
      defer { pool.endRun() }
      try recording.play(run, into: sinks, on: self)
    case .recorded(let place):
      let recorder = PlanRecorder()
      self.recorder = recorder
      defer { self.recorder = nil }
      let bytes = try runNew(run, into: sinks)
      recordings.keep(recorder.recording(bytes: bytes), at: place)
    case .run:
      _ = try runNew(run, into: sinks)
    }
  }

  /// - Returns: the bytes of textures that it took at once.
  private func runNew(
    _ run: PlanRun, into sinks: [any ResultSink]
  ) throws(GLFailure) -> Int {
    let tiler = tiler(for: run.plan)
    var tiles: [Plan] = []
    for part in run.changed?.plans ?? [run.plan] { tiles += try tiler.tiles(of: part) }
    for tile in tiles {
      defer { pool.endRun() }
      try self.run(tile: tile, of: run, tiler, into: sinks)
    }
    return tiles.reduce(0) { max($0, tiler.needs(of: $1).bytes) }
  }

  /// Returns the texture format of an input of a size.
  func format(ofInput format: PixelFormat, _ size: Size) -> TextureFormat {
    let bytes = TextureFormat.bytes(format.layout.channels)
    return format.depth == .uint8 && holds(size, in: bytes) ? bytes : TextureFormat(input: format)
  }

  /// Returns the texture format of a result of a size.
  func format(ofResult depth: PixelFormat.Depth, _ size: Size) -> TextureFormat {
    depth == .uint8 && holds(size, in: .bytes(4)) ? .bytes(4) : WorkFormat(result: depth).texture
  }

  private func holds(_ size: Size, in bytes: TextureFormat) -> Bool {
    size.area * bytes.bytesPerTexel <= capabilities.mostStorageBytes(in: passes.stage)
  }

  func workFormat(of slot: DrawnSlot) -> WorkFormat {
    slot.holdsIntegers ? .fixed16 : workFormat(slot.precision)
  }

  private func workFormat(_ precision: Precision) -> WorkFormat {
    WorkFormat(precision: precision, stage: passes.stage, capabilities: capabilities)
  }

  /// Runs a plan that fits, whose results are parts of the whole.
  private func run(
    tile plan: Plan, of run: PlanRun, _ tiler: Tiler, into sinks: [any ResultSink]
  ) throws(GLFailure) {
    let inputs = textures(of: run.inputs)
    let list = tiler.draws(plan)
    var held = [LayeredSlot?](repeating: nil, count: list.slots.count)
    for (index, draw) in list.draws.enumerated() {
      try run.checkCancellation()
      for picture in draw.pictures where held[picture.source.slot] == nil {
        guard let pass = picture.input, picture.shape == nil else { continue }
        let slot = list.slots[picture.source.slot]
        held[picture.source.slot] = LayeredSlot(try hold(pass, inputs, slot))
      }
      let freed = list.freed(after: index)
      if let target = draw.target {
        held[target] = try self.held(
          draw, list.slots, &held, freed: freed, isLarge: tiler.isLarge)
      } else if let number = draw.result {
        let result = plan.results[number]
        try write(number, result.rect, to: sinks[number]) { texture throws(GLFailure) in
          let kind = WorkFormat(result: result.format.depth, in: texture).target
          try store(draw, result.rect, in: texture, kind, list.slots, held, tiler.isLarge)
        }
        for slot in freed { held[slot] = nil }
      }
    }
  }

  private func write(
    _ result: Int, _ part: Rect, to sink: any ResultSink,
    _ draw: (GLTexture) throws(GLFailure) -> Void
  ) throws(GLFailure) {
    guard let recorder else { return try sink.write(part, draw) }
    try recorder.writing(result, part, to: sink, draw)
  }

  /// Runs a pass of a plan.
  func run(_ call: PassCall) throws(GLFailure) {
    let pass = try passes.prepare(call, for: recorder == nil ? .once : .again)
    try passes.run(call, pass)
    recorder?.ran(pass, call)
  }

  /// The texture of an input, or of a generated image, where passes read it.
  private func hold(
    _ pass: Pass, _ inputs: InputTextures, _ slot: DrawnSlot
  ) throws(GLFailure) -> LayeredSlot.Piece {
    switch pass {
    case .load(let load): return try hold(load, inputs, slot)
    case .generate(let generate): return try hold(generate, inputs, slot)
    default: throw .unsupported("\(pass.name) as an input")
    }
  }

  private func hold(
    _ load: Load, _ inputs: InputTextures, _ slot: DrawnSlot
  ) throws(GLFailure) -> LayeredSlot.Piece {
    let input = try inputs.texture(of: load.input, covering: slot.domain)
    if input.isLent {
      recorder?.uploaded(load.input, slot.domain, to: input.texture)
    } else {
      recorder?.read(load.input, input.texture)
    }
    return LayeredSlot.Piece(
      lent: PooledTexture(input.texture, backTo: input.isLent ? pool : nil), kind: input.kind,
      loading: .init(load, channels: input.channels), domain: input.domain)
  }

  private func hold(
    _ generate: Generate, _ inputs: InputTextures, _ slot: DrawnSlot
  ) throws(GLFailure) -> LayeredSlot.Piece {
    // It is there in the next run, so its upload is no part of a recording.
    recorder?.isPaused = true
    defer { recorder?.isPaused = false }
    let kept = try generated.texture(generate, slot.domain, slot.layout) {
      image throws(GLFailure) in try inputs.upload(image, Rect(image.size)).texture
    }
    recorder?.keep(kept)
    let load = Load(
      input: 0, alpha: slot.layout.hasAlpha ? .premultiplied : .opaque, decodesToLinear: false)
    return LayeredSlot.Piece(
      lent: kept.lent, kind: .float, loading: .init(load, channels: slot.layout.channels),
      domain: slot.domain)
  }
}

/// A plan with the inputs that it is run on, and what may stop it.
struct PlanRun {
  let plan: Plan
  let inputs: [RunInput]
  /// The parts that are computed; the rest exists already. `nil` for the whole result.
  let changed: ChangedParts?
  private let cancellation: Cancellation?

  /// - Parameters:
  ///   - inputs: match the plan's.
  ///   - changed: of the plan; the input that is the rest is in memory, and the result goes there.
  init(
    _ plan: Plan, _ inputs: [RunInput], _ cancellation: Cancellation? = nil,
    changed: ChangedParts? = nil
  ) {
    self.plan = plan
    self.inputs = inputs
    self.changed = changed
    self.cancellation = cancellation
  }

  /// The input that the rest of the result is taken from, and the rectangles of that rest. They are not computed.
  var kept: (image: Image, rest: [Rect])? {
    guard let changed, case .image(let image) = inputs[changed.input] else { return nil }
    return (image, changed.rest)
  }

  func checkCancellation() throws(GLFailure) {
    try mapped(GLFailure.stopped, cancellation?.check())
  }
}

/// The destination of a run's result, part after part.
protocol ResultSink: AnyObject {
  /// Has a part of the result drawn and takes it.
  ///
  /// - Parameter draw: writes the part to a texture of its size, in the result's `WorkFormat`.
  func write(
    _ part: Rect, _ draw: (GLTexture) throws(GLFailure) -> Void
  ) throws(GLFailure)
}

/// Makes what runs plans in the stages of one context.
struct StagedRunners {
  let device: GLDevice
  let programs: ProgramCache
  private let options: GLOptions
  let context: GLContext
  private let pool: TexturePool
  private let buffers: BufferPool?
  let capabilities: GLCapabilities

  /// - Parameter peak: the most bytes that earlier contexts of the same backend held.
  init(
    _ options: GLOptions, _ setup: ContextSetup, peak: Int = 0
  ) throws(DisplaySearch.Failure) {
    let found = try DisplaySearch(setup: setup).best(options.device)
    self.options = options
    device = found.device
    context = found.context
    let capabilities = found.device.capabilities.restricted(by: options)
    self.capabilities = capabilities
    programs = ProgramCache(
      context: found.context, capacity: options.mostPrograms)
    let ledger = MemoryLedger(
      ceiling: MemoryLedger.ceiling(
        asked: options.textureBytes, device: found.device.memory), peak: peak)
    buffers = StagedRunners.buffers(options, capabilities, found.context, ledger)
    pool = TexturePool(context: found.context, ledger: ledger)
  }

  /// The buffers that images go through, a quarter of the memory at most; `nil` where they go
  /// straight.
  private static func buffers(
    _ options: GLOptions, _ capabilities: GLCapabilities, _ context: GLContext,
    _ ledger: MemoryLedger
  ) -> BufferPool? {
    let areWanted =
      switch options.transfer {
      case .direct: false
      case .buffered: true
      case .automatic: !capabilities.isSoftware
      }
    let staysMapped = capabilities.extensions.contains("GL_EXT_buffer_storage")
    return areWanted
      ? BufferPool(context: context, ledger: ledger, staysMapped: staysMapped) : nil
  }

  /// Returns a runner of plans in a stage.
  ///
  /// - Parameter takesBlocks: false if the driver has refused programs that make blocks.
  func runner(_ stage: GLOptions.Stage, takesBlocks: Bool) -> PlanRunner {
    var capabilities = capabilities
    capabilities.takesBlocks = takesBlocks
    return PlanRunner(
      passes: PassRunner(
        stage: stage.shaderStage, capabilities: capabilities, programs: programs,
        context: context),
      pool: pool, transfer: GLTransfer(buffers: buffers, context: context),
      capabilities: capabilities,
      limits: limits, programs: options.programs, context: context)
  }

  /// The limits of textures: the device's, less the memory for buffers.
  var limits: TileLimits {
    TileLimits(
      longestSide: min(options.longestSide ?? .max, capabilities.maxTextureSize),
      bytes: pool.ledger.ceiling - (buffers?.ceiling ?? 0))
  }
}

extension GLOptions.Stage {
  /// The stage of the shaders; `fragment` for `automatic`.
  fileprivate var shaderStage: ShaderStage {
    switch self {
    case .automatic, .fragment: .fragment
    case .compute: .compute
    case .blocked: .blocked
    }
  }
}
