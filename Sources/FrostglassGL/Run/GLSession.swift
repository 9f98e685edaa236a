internal import CGLES
internal import FrostglassCore
internal import FrostglassShaders

/// Everything a backend owns on the GPU. Lives and ends where its context is current.
final class GLSession {
  let device: GLDevice
  let runner: PlanRunner
  let programs: ProgramCache
  /// The stage that was chosen.
  let stage: StageChoice
  let pictures: ResidentImages
  let context: GLContext
  let setup: ContextSetup
  private let runners: StagedRunners
  /// Results that are on their way to memory.
  private var framesInFlight: [Int: [HostResult]] = [:]
  private var lastFrame = 0

  /// - Parameters:
  ///   - history: what earlier sessions of the same backend have met with.
  ///   - peak: the most bytes they held.
  init(
    _ options: GLOptions, _ setup: ContextSetup,
    after history: GLDeviceHistory = GLDeviceHistory(), peak: Int = 0
  ) throws(DisplaySearch.Failure) {
    let runners = try StagedRunners(options, setup, peak: peak)
    let stage = StageChoice(options, runners.capabilities)
    self.setup = setup
    self.runners = runners
    device = runners.device
    context = runners.context
    programs = runners.programs
    self.stage = stage
    runner = runners.runner(stage.stage, takesBlocks: !history.avoidsBlocks)
    pictures = ResidentImages(runner: runner)
    if history != GLDeviceHistory() { adapt(to: history) }
  }

  /// Goes on as the device's history tells, in the same context.
  func adapt(to history: GLDeviceHistory) {
    runner.adapt(to: runners.limits.limited(to: history.limits))
  }

  /// Frees the memory that is kept for later jobs, on the device too.
  func freeMemory() {
    pictures.freeReleased()
    runner.trim()
    // What the device still reads, drivers free later. A device that does not answer is the next call's to find.
    try? context.finish("freeing memory")
  }

  /// True if the device works on one frame while another is uploaded or read back.
  var overlapsFrames: Bool { runner.transfer.buffers != nil }

  /// Runs a plan and fetches the results, from a context that was whole to the end.
  func run(_ run: PlanRun, into memory: [ResultMemory]) throws(GLFailure) -> [Image] {
    let images = try runner.start(run, into: memory).map { sink throws(GLFailure) in
      try sink.finish()
    }
    try context.confirm("the end of the plan")
    return images
  }

  /// Has a plan run; `arrive` with the number that is returned fetches the results.
  func launch(_ run: PlanRun, into memory: [ResultMemory]) throws(GLFailure) -> Int {
    launch(try runner.start(run, into: memory))
  }

  /// Sends results on their way to memory.
  func launch(_ sinks: [HostResult]) -> Int {
    for sink in sinks { sink.submit() }
    lastFrame += 1
    framesInFlight[lastFrame] = sinks
    return lastFrame
  }

  /// Waits for a launched plan, whose results any thread may copy then, until `abandon`.
  func arrive(_ frame: Int) throws(GLFailure) -> [ArrivedResult] {
    guard let sinks = framesInFlight[frame] else { throw .lost(during: "a frame in flight") }
    let arrived = try sinks.map { sink throws(GLFailure) in try sink.arrive() }
    try context.confirm("the end of the plan")
    return arrived
  }

  /// Lets go of a launched plan whose results nobody wants any more.
  func abandon(_ frame: Int) {
    for sink in framesInFlight.removeValue(forKey: frame) ?? [] { sink.abandon() }
  }

  /// Returns the limits that the tiles of a plan need: the longest side and the most bytes of any.
  func largestTile(of plan: Plan) -> TileLimits {
    let tiler = runner.tiler(for: plan)
    let needs = ((try? tiler.tiles(of: plan)) ?? [plan]).map { tiler.needs(of: $0) }
    return TileLimits(
      longestSide: needs.map(\.longestSide).max() ?? runner.limits.longestSide,
      bytes: needs.map(\.bytes).max() ?? runner.limits.bytes)
  }

  /// Returns the tiling of a plan on this device.
  func tiling(of plan: Plan) throws(GLFailure) -> TilingReport {
    let tiler = runner.tiler(for: plan)
    let tiles = try tiler.tiles(of: plan)
    let work = tiles.reduce(0) { $0 + Tiler.work(of: $1) }
    return TilingReport(
      tiles: tiles.count, excess: Double(work) / Double(Tiler.work(of: tiler.lowered(plan))))
  }
}

extension GLSession {
  /// Has the plans for an image in planes run; `arrive` with each of the numbers that are returned
  /// fetches a plane.
  func launch(_ parts: PlanesParts, _ planes: [Image]) throws(GLFailure) -> [Int] {
    let plan = parts.plan
    return try runner.pool.asOneRun { () throws(GLFailure) in
      let picture = try picture(parts.toImage, planes)
      // The device does what it is given in order: the next frame may have the memory.
      defer { if let picture { runner.pool.takeBack(picture.texture) } }
      var launched: [Int] = []
      do throws(GLFailure) {
        for (index, step) in plan.toPlanes.enumerated() {
          let inputs = plan.inputs(
            ofPlane: index, [picture.map { RunInput.resident($0) } ?? .image(planes[index])],
            planes.map { RunInput.image($0) })
          launched.append(
            launch(
              try runner.start(
                PlanRun(step, inputs, changed: parts.changed[index]), into: [ResultMemory()])))
        }
      } catch {
        for frame in launched { abandon(frame) }
        throw error
      }
      return launched
    }
  }

  /// Returns the needed part of the filtered image, on the device and lent by the pool; `nil` if none is needed.
  private func picture(
    _ steps: [Plan], _ planes: [Image]
  ) throws(GLFailure) -> ResidentTexture? {
    var picture: ResidentTexture?
    for step in steps {
      let last = picture
      defer { if let last { runner.pool.takeBack(last.texture) } }
      let inputs = last.map { [RunInput.resident($0)] } ?? planes.map { .image($0) }
      picture = try pictures.run(PlanRun(step, inputs))[0]
      picture?.domain = step.result.rect
    }
    return picture
  }
}

/// Gives a run the textures of its inputs.
///
/// Every texture that was asked for is taken back by `takeBack`, wherever it came from.
struct InputTextures {
  let inputs: [RunInput]
  let pool: TexturePool
  let transfer: GLTransfer
  /// Returns the texture format of an input of a size.
  let format: (PixelFormat, Size) -> TextureFormat

  /// A texture with at least a part of an input. Only the part is uploaded: the image itself may
  /// be larger than any texture.
  func texture(of input: Int, covering part: Rect) throws(GLFailure) -> InputTexture {
    switch inputs[input] {
    case .image(let image): return try upload(image, part)
    case .resident(let picture):
      return InputTexture(
        texture: picture.texture, kind: picture.kind, domain: picture.domain,
        channels: picture.input.format.layout.channels, isLent: false)
    }
  }

  /// A part of an image, uploaded.
  func upload(_ image: Image, _ part: Rect) throws(GLFailure) -> InputTexture {
    let texture = try pool.lend(part.size, format(image.format, part.size))
    do throws(GLFailure) { try transfer.upload(image, part, to: texture) } catch {
      pool.takeBack(texture)
      throw error
    }
    return InputTexture(
      texture: texture, kind: SampleKind(input: image.format, in: texture), domain: part,
      channels: image.format.layout.channels, isLent: true)
  }

  func takeBack(_ input: InputTexture) {
    if input.isLent { pool.takeBack(input.texture) }
  }
}

/// The location of a run's input.
enum RunInput {
  /// In memory: uploaded when a pass needs it.
  case image(Image)
  /// On the device.
  case resident(ResidentTexture)
}

/// A texture that passes read an input image from.
struct InputTexture {
  var texture: GLTexture
  var kind: SampleKind
  /// The rectangle that the texture holds, in the image's grid: the requested part, or more.
  var domain: Rect
  /// Samples per pixel of the image; the texture may have more.
  var channels: Int
  /// True if the texture goes back to the pool after its last use.
  var isLent: Bool
}
