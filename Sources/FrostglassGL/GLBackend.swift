internal import CGLES
public import FrostglassCore

/// Runs plans on the GPU through EGL and OpenGL ES 3.1, without a window.
///
/// The actor's executor owns the context; what crosses is values. Plans that exceed the device's
/// texture size or the byte limit run in tiles, with the same bytes.
///
/// A job that a failing device or driver stops is run again: in a fresh context, in smaller tiles, or
/// with what else of the device works. Where nothing helps it throws `BackendError.broken`.
public actor GLBackend: Backend {
  /// `gl`.
  public nonisolated let name = "gl"
  /// The device that was found.
  public nonisolated let device: GLDevice
  /// The stage that runs the passes, and the reason.
  package nonisolated let stage: StageChoice
  private let executor: GLThread
  private nonisolated let options: GLOptions
  let setup: ContextSetup
  /// `nil` once the device is given up.
  var session: GLSession?
  /// The number of sessions before this one.
  private(set) var generation = 0
  private var changes = KnownChanges()
  /// The limits and failures found on the device.
  var history = GLDeviceHistory()
  /// Calls whose work the device has or is about to get.
  package nonisolated let inFlight: FairSemaphore
  /// Calls that fetch their results.
  package nonisolated let readBacks = FairSemaphore(1)
  /// Calls whose frames do not overlap, one at a time: they wait here and not for the actor, whose queue
  /// nobody can leave. `nil` where frames do.
  package nonisolated let alone: FairSemaphore?
  /// Threads for rows that come and go.
  private nonisolated let callers = ThreadPool()

  /// The thread that owns the context.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// True for a software renderer.
  public nonisolated var isSoftware: Bool { device.isSoftware }
  /// Renderer, platform and version in one line.
  public nonisolated var deviceDescription: String { device.description }

  /// Finds a device and starts a backend on it.
  ///
  /// - Parameter log: told what the driver says of its own accord, on the backend's thread, where
  ///   `GLOptions.debug` asks for that and the driver knows `GL_KHR_debug`; `nil` is standard error.
  /// - Throws: `BackendError.unavailable`, with each display's reason and the likely fix.
  public static func start(
    _ options: GLOptions = .init(), log: (@Sendable (GLMessage) -> Void)? = nil
  ) async throws(BackendError) -> GLBackend {
    let executor = try GLThread()
    do throws(DisplaySearch.Failure) {
      let session = try await executor.start { () throws(DisplaySearch.Failure) in
        try GLSession(options, ContextSetup(options, log: log))
      }
      if !session.device.isSoftware { executor.runsBesideOthers() }
      return GLBackend(executor, options, session)
    } catch {
      executor.stop()
      throw error.backendError
    }
  }

  private init(_ executor: GLThread, _ options: GLOptions, _ session: sending GLSession) {
    inFlight = FairSemaphore(options.framesInFlight)
    alone = session.overlapsFrames ? nil : FairSemaphore(1)
    self.executor = executor
    self.options = options
    self.setup = session.setup
    self.device = session.device
    self.stage = session.stage
    self.session = session
  }

  // Runs where the context is current, so that the session's GL objects can be deleted; the
  // executor ends after this, its last job.
  isolated deinit {
    executor.stop()
  }

  /// As many as `GLOptions.framesInFlight` says.
  public nonisolated var framesInFlight: Int { max(options.framesInFlight, 1) }

  /// Runs a plan.
  ///
  /// On a GPU, calls that run at the same time overlap: while it works on one, others bring their
  /// images and fetch their results, up to `framesInFlight`. Inputs and the result may be images of
  /// this backend. Rows are gathered first, and given when the result is whole.
  public nonisolated func run(_ plan: Plan, _ io: PixelIO) async throws(BackendError) -> RunReport {
    let recoveries = RecoveryLog(io.recovered)
    try await io.untilCancelled { io, cancellation async throws(BackendError) in
      try io.check(plan)
      let inputs = try inputs(of: try await io.gathered(plan.inputs, on: callers))
      // Results are complete before they are copied to rows or the caller's memory.
      for case (let result, false) in zip(plan.results, io.outputs.map(\.isResident)) {
        try MemoryRoom.check(Plan.Input(result))
      }
      let images = try await inTurn(until: cancellation) { () async throws(BackendError) in
        if io.outputs.contains(where: \.isResident) {
          try await keep(plan, inputs, io.outputs, cancellation)
        } else {
          try await run(plan, inputs, for: io.outputs, cancellation, recoveries)
        }
      }
      let inMemory = io.outputs.filter { !$0.isResident }
      for (output, image) in zip(inMemory, images) {
        if case .image(let output) = output {
          output.put(image)
        } else {
          try await callers.run { () throws(BackendError) in
            try output.deliver(image, cancellation)
          }
        }
      }
    }
    return RunReport(backend: name, recoveries: recoveries.all)
  }

  /// Runs `body`, after others where frames do not overlap.
  nonisolated func inTurn<Value: Sendable>(
    until cancellation: Cancellation, _ body: () async throws(BackendError) -> Value
  ) async throws(BackendError) -> Value {
    guard let alone else { return try await body() }
    return try await alone.whileInside(until: cancellation, body)
  }

  /// An input of a run, on the device or in memory.
  enum Input: Sendable {
    case image(Image)
    case picture(GLImage)
  }

  private nonisolated func inputs(of io: PixelIO) throws(BackendError) -> [Input] {
    var inputs: [Input] = []
    for (index, input) in io.inputs.enumerated() {
      switch input {
      case .image(let image): inputs.append(.image(image))
      case .resident(let picture as GLImage): inputs.append(.picture(picture))
      case .resident, .memory, .rows:
        throw .unsupported(
          backend: name, what: "input \(index), an image of another kind of backend")
      }
    }
    return inputs
  }

  /// Statistics of the backend's textures and buffers.
  package var textureStatistics: TexturePoolStatistics {
    freeReleasedImages()
    return session?.runner.pool.statistics ?? TexturePoolStatistics()
  }

  /// The bytes moved to the device and from it.
  package var transferStatistics: GLTransferStatistics {
    session?.runner.transfer.moved ?? GLTransferStatistics()
  }

  /// The number of programs that the session has compiled.
  package var compiledPrograms: Int {
    session?.programs.compiled ?? 0
  }

  /// The number of runs that were played from the recording of an earlier run.
  package var playedRuns: Int { session?.runner.playedRuns ?? 0 }

  /// Frees the textures that are kept for the next plan.
  public func trim() {
    freeReleasedImages()
    session?.runner.trim()
  }

  /// Returns the tiling of a plan, without running it.
  package func tiling(of plan: Plan) throws(BackendError) -> TilingReport {
    try mapped(\GLFailure.backendError, live().tiling(of: plan))
  }

  /// The number of times that the driver was asked and made to fail, for tests.
  package var faultCounts: [GLFaults.Point: (asked: Int, struck: Int)] {
    guard let faults = setup.faults else { return [:] }
    return faults.asked.reduce(into: [:]) { counts, entry in
      counts[entry.key] = (entry.value, faults.struck[entry.key] ?? 0)
    }
  }
}

/// The recovery of jobs after failures of the device or its driver.
extension GLBackend {
  /// Runs a plan, again where the device fails, as long as something can be done about it.
  private func run(
    _ plan: Plan, _ inputs: [Input], for outputs: [PixelOutput], _ cancellation: Cancellation,
    _ recoveries: RecoveryLog
  ) async throws(BackendError) -> [Image] {
    let memory = outputs.map { output in
      if case .image(let output) = output { ResultMemory(of: output) } else { ResultMemory() }
    }
    try revive()
    freeReleasedImages()
    var policy = GLRecoveryPolicy()
    while true {
      let started = generation
      let failure: GLFailure
      let made = try runInputs(inputs)
      let run = PlanRun(plan, made, cancellation, changed: changes.changes(of: plan, made))
      do throws(GLFailure) {
        let images = try await attempt(run, into: memory, cancellation)
        if history.endedWell(afterLoss: policy.hasLost) { session?.adapt(to: history) }
        return images
      } catch { failure = error }
      let remedy: Recovery.Remedy
      if case .lost = failure, started != generation, session != nil {
        // Another call has handled this failure.
        remedy = .freshContext
      } else {
        remedy = try self.remedy(for: failure, plan, &policy)
        switch remedy {
        case .freshContext: try renew()
        case .freedMemory:
          session?.freeMemory()
          session?.adapt(to: history)
        default: session?.adapt(to: history)
        }
      }
      recoveries.add(Recovery(backend: name, failure: "\(failure)", remedy: remedy))
    }
  }

  private func attempt(
    _ run: PlanRun, into memory: [ResultMemory], _ cancellation: Cancellation
  ) async throws(GLFailure) -> [Image] {
    guard try live().overlapsFrames else { return try live().run(run, into: memory) }
    return try await overlapped(until: cancellation) { session throws(GLFailure) in
      [try session.launch(run, into: memory)]
    }
  }

  /// Launches frames and fetches their results, while other calls do the same.
  ///
  /// - Throws: `GLFailure.stopped` where the run is to stop while it waits for others.
  func overlapped(
    until cancellation: Cancellation, _ launch: (GLSession) throws(GLFailure) -> [Int]
  ) async throws(GLFailure) -> [Image] {
    let place = try await wait(for: inFlight, until: cancellation)
    defer { inFlight.leave(place) }
    try mapped(GLFailure.stopped, cancellation.check())
    let frames = try launch(try live())
    let launched = generation
    // Those of an earlier session went with it.
    defer { if launched == generation { for frame in frames { session?.abandon(frame) } } }
    let arrived = try await arrived(frames, launched, until: cancellation)
    // In another thread: this one has the device to keep busy.
    return try await callers.run { () throws(GLFailure) in try GLBackend.images(of: arrived) }
  }

  /// Waits for launched frames, one call after the other: between two of them those that wait are launched, so the
  /// device has work.
  private func arrived(
    _ frames: [Int], _ launched: Int, until cancellation: Cancellation
  ) async throws(GLFailure) -> [ArrivedResult] {
    let reading = try await wait(for: readBacks, until: cancellation)
    defer { readBacks.leave(reading) }
    await Task.yield()
    guard launched == generation else { throw .lost(during: "a frame in flight") }
    return try arrive(frames)
  }

  private func arrive(_ frames: [Int]) throws(GLFailure) -> [ArrivedResult] {
    var arrived: [ArrivedResult] = []
    for frame in frames { arrived += try live().arrive(frame) }
    return arrived
  }

  private static func images(of arrived: [ArrivedResult]) throws(GLFailure) -> [Image] {
    try arrived.map { result throws(GLFailure) in try result.image() }
  }

  private func wait(
    for places: FairSemaphore, until cancellation: Cancellation
  ) async throws(GLFailure) -> FairSemaphore.Ticket {
    if let place = places.enterNow() { return place }
    return try await mapped(GLFailure.stopped, async: await places.enter(until: cancellation))
  }

  /// Fetches the results of launched frames; after a failure, nobody wants those that are left.
  func finish(_ frames: [Int]) throws(GLFailure) -> [Image] {
    defer { for frame in frames { session?.abandon(frame) } }
    return try GLBackend.images(of: try arrive(frames))
  }

  /// Inputs as they are on the device now.
  private func runInputs(_ inputs: [Input]) throws(BackendError) -> [RunInput] {
    var made: [RunInput] = []
    for input in inputs {
      switch input {
      case .image(let image): made.append(.image(image))
      case .picture(let picture): made.append(.resident(try texture(of: picture)))
      }
    }
    return made
  }

  /// Runs a plan and leaves the results on the device.
  ///
  /// - Returns: those that are wanted in memory too.
  private func keep(
    _ plan: Plan, _ inputs: [Input], _ outputs: [PixelOutput], _ cancellation: Cancellation
  ) throws(BackendError) -> [Image] {
    let run = PlanRun(plan, try runInputs(inputs), cancellation)
    let pictures = try keep { pictures throws(GLFailure) in try pictures.run(run) }
    var images: [Image] = []
    for (output, picture) in zip(outputs, pictures) {
      if case .resident(let output) = output {
        output.put(picture)
      } else {
        images.append(try download(picture))
      }
    }
    return images
  }

  /// The session. Nobody keeps it while others run, who may have to replace it.
  func live() throws(GLFailure) -> GLSession {
    guard let session else { throw .lost(during: "an earlier job") }
    return session
  }

  /// - Throws: where nothing is to be done about a failure.
  private func remedy(
    for failure: GLFailure, _ plan: Plan, _ policy: inout GLRecoveryPolicy
  ) throws(BackendError) -> Recovery.Remedy {
    guard let session else { throw hopeless }
    // What little was left in a shortage may be all that is too small.
    if case .unsupported = failure, history.forgetShortages() { return .freedMemory }
    guard failure.isOfDevice else { throw failure.backendError }
    if let remedy = policy.remedy(for: failure, session.largestTile(of: plan), &history) {
      return remedy
    }
    history.gaveUp()
    if history.isHopeless { self.session = nil } else { session.adapt(to: history) }
    throw failure.backendError
  }

  /// Replaces the session by a new one on the same device. The old one goes first: its end leaves
  /// the thread without a context.
  private func renew() throws(BackendError) {
    let peak = session?.runner.pool.ledger.peak ?? 0
    session?.context.waitForResetToEnd()
    session = nil
    generation += 1
    var options = options
    options.device = .only(device.platform)
    session = try mapped(
      { (failure: DisplaySearch.Failure) in
        BackendError.broken(
          backend: name, what: "no new context on \(deviceDescription): \(failure.words)")
      },
      GLSession(options, setup, after: history, peak: peak))
  }

  /// Tries once more for a context where the last try got none: a reset may have taken longer.
  func revive() throws(BackendError) {
    guard session == nil, !history.isHopeless else { return }
    history.losses += 1
    try renew()
  }

  /// The error thrown once the device is given up.
  var hopeless: BackendError {
    .broken(
      backend: name, what: "\(deviceDescription) has failed too often and is not used any more")
  }

  /// The error of work that cannot be done again, as what it works on went with the context; the
  /// next job has a new one.
  func replaceSession(after failure: GLFailure) -> BackendError {
    guard case .lost = failure, session != nil else { return failure.backendError }
    history.losses += 1
    if history.isHopeless { session = nil } else { try? renew() }
    return failure.backendError
  }
}

/// Images that stay on the device from plan to plan.
extension GLBackend {
  /// Brings an image to the device and keeps it there.
  ///
  /// - Throws: `BackendError.unsupported` where it exceeds the texture size or what other images
  ///   there leave of the byte limit.
  public func upload(_ image: Image) throws(BackendError) -> GLImage {
    try keepOne { pictures throws(GLFailure) in try pictures.upload(image) }
  }

  /// Brings an image to the device, where it takes no more than a quarter of the memory there.
  public func resident(_ image: Image) async -> (any ResidentImage)? {
    let bytes = 4 * image.format.depth.bytes * image.size.area
    guard let session, bytes <= session.runner.limits.bytes / 4 else { return nil }
    return try? upload(image)
  }

  /// Runs a plan with one result on images that are on the device, and leaves the result there.
  ///
  /// It has the same bytes as that of the images would have. Only the work is handed to the device:
  /// what takes the result waits for it.
  ///
  /// - Parameter inputs: images of this backend that match `plan.inputs`, in order. An image may
  ///   be used more than once, and is not changed.
  /// - Throws: `BackendError.inputMismatch` for images the plan was not made for; `.unsupported`
  ///   where the result exceeds the texture size or what other images leave of the byte limit.
  public func execute(
    _ plan: Plan, _ inputs: [GLImage]
  ) throws(BackendError) -> GLImage {
    try PixelIO(inputs.map { .resident($0) }, to: [.resident(ResidentOutput())]).check(plan)
    var textures: [RunInput] = []
    for picture in inputs { textures.append(.resident(try texture(of: picture))) }
    let run = PlanRun(plan, textures)
    return try keep { pictures throws(GLFailure) in try pictures.run(run) }[0]
  }

  /// Brings an image into memory.
  ///
  /// - Throws: `BackendError.unsupported` for an image of another backend.
  public func download(_ picture: GLImage) throws(BackendError) -> Image {
    let texture = try texture(of: picture)
    guard let session else { throw hopeless }
    let image = try mapped(replaceSession, session.pictures.download(texture))
    try mapped(replaceSession, session.context.confirm("a download"))
    return image
  }

  /// Copies an image on the device: the least that any work on a whole image can take there.
  ///
  /// - Throws: `BackendError.unsupported` for an image of another backend, and where other images
  ///   leave too little of the byte limit.
  public func copy(_ picture: GLImage) throws(BackendError) -> GLImage {
    let texture = try texture(of: picture)
    return try keepOne { pictures throws(GLFailure) in try pictures.copy(texture) }
  }

  /// Waits until the device has done all it was given: for measurements.
  public func finish() {
    try? session?.context.finish("a measurement")
  }

  /// Gives back the memory of images that nobody refers to any more.
  func freeReleasedImages() {
    session?.pictures.freeReleased()
  }

  private func keepOne(
    _ make: (ResidentImages) throws(GLFailure) -> ResidentTexture
  ) throws(BackendError) -> GLImage {
    try keep { pictures throws(GLFailure) in [try make(pictures)] }[0]
  }

  func keep(
    _ make: (ResidentImages) throws(GLFailure) -> [ResidentTexture]
  ) throws(BackendError) -> [GLImage] {
    try revive()
    guard let session else { throw hopeless }
    let pictures = session.pictures
    pictures.freeReleased()
    let made = try mapped(replaceSession, make(pictures))
    // Drivers may report the loss only now: results of a lost context are garbage.
    try mapped(replaceSession, session.context.confirm("an image that stays on the device"))
    // Buffers come back once the device has read them, which it may only begin when it is sent off.
    glFlush()
    return made.map {
      GLImage(
        $0.input, bytes: $0.texture.bytes, id: pictures.add($0), of: pictures.released, on: self)
    }
  }

  func texture(of picture: GLImage) throws(BackendError) -> ResidentTexture {
    guard picture.backend === self else {
      throw .unsupported(
        backend: name,
        what: "the image is on another backend, \(picture.backend.deviceDescription); "
          + "download it there and upload it here")
    }
    guard let pictures = session?.pictures else { throw hopeless }
    guard picture.belongs(to: pictures), let texture = pictures[picture.id] else {
      throw .unsupported(
        backend: name, what: "the image was lost with its context; upload it again")
    }
    return texture
  }
}

/// Images in planes of brightness and color differences.
extension GLBackend {
  /// Makes the plans for images in planes ready: each plane is a texture of its own, and the image in
  /// between stays on the device.
  ///
  /// Calls that run at the same time overlap as those with images do. What the device has no room
  /// for, and what fails, is run again one plan after another, in tiles where it must be.
  public nonisolated func prepare(
    _ plan: YCbCrPlan
  ) throws(BackendError) -> any PreparedPlan {
    let parts = try PlanesParts(plan)
    return PlanesOnImages(plan, backend: name) {
      planes, cancellation, recoveries throws(BackendError) in
      let made = try await self.inTurn(until: cancellation) { () async throws(BackendError) in
        try await self.run(parts, planes, cancellation, recoveries)
      }
      if let made { return made }
      return try await self.oneByOne(plan, planes, cancellation, recoveries)
    }
  }

  /// - Returns: `nil` where one plan is to be run after the other.
  private func run(
    _ parts: PlanesParts, _ planes: [Image], _ cancellation: Cancellation,
    _ recoveries: RecoveryLog
  ) async throws(BackendError) -> [Image]? {
    try revive()
    freeReleasedImages()
    let started = generation
    do throws(GLFailure) { return try await attempt(parts, planes, cancellation) } catch {
      if case .stopped(let reason) = error { throw reason }
      if case .lost = error {
        if started == generation { _ = replaceSession(after: error) }
        recoveries.add(Recovery(backend: name, failure: "\(error)", remedy: .freshContext))
      }
      return nil
    }
  }

  /// Runs the plans for an image whose planes are on the device, and leaves the new ones there.
  ///
  /// - Parameter planes: images of this backend as `plan.format.planes(of: plan.size)` has them,
  ///   in order, uploaded or on memory of a decoder's; they are not changed.
  /// - Returns: as many, described alike.
  /// - Throws: as for a single plan.
  public func execute(
    _ plan: YCbCrPlan, _ planes: [GLImage]
  ) throws(BackendError) -> [GLImage] {
    try revive()
    guard let pool = session?.runner.pool else { throw hopeless }
    guard planes.count == plan.format.arrangement.planeCount else {
      throw .failed(
        backend: name,
        what:
          "\(planes.count) images for a plan with \(plan.format.arrangement.planeCount) inputs")
    }
    return try pool.asOneRun { () throws(BackendError) in
      var pictures = planes
      for step in plan.toImage { pictures = [try execute(step, pictures)] }
      var made: [GLImage] = []
      for (index, step) in plan.toPlanes.enumerated() {
        made.append(try execute(step, plan.inputs(ofPlane: index, pictures, planes)))
      }
      return made
    }
  }

  private func attempt(
    _ parts: PlanesParts, _ planes: [Image], _ cancellation: Cancellation
  ) async throws(GLFailure) -> [Image] {
    guard try live().overlapsFrames else { return try finish(try live().launch(parts, planes)) }
    return try await overlapped(until: cancellation) { session throws(GLFailure) in
      try session.launch(parts, planes)
    }
  }
}
