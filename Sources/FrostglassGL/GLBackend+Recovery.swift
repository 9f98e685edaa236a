internal import FrostglassCore

/// How jobs go on where the device or its driver fails.
extension GLBackend {
  /// Runs a plan, again where the device fails, as long as something can be done about it.
  func run(
    _ plan: Plan, _ inputs: [Image], into memory: ResultMemory,
    _ tell: @Sendable (Recovery) -> Void
  ) async throws(BackendError) -> Image {
    try plan.check(inputs)
    try revive()
    freeReleasedPictures()
    var rescue = GLRescue()
    while true {
      let started = generation
      let failure: GLFailure
      do throws(GLFailure) {
        let image = try await attempt(plan, inputs, into: memory)
        if experience.endedWell(afterLoss: rescue.hasLost) { session?.adapt(to: experience) }
        return image
      } catch { failure = error }
      let remedy: Recovery.Remedy
      if case .lost = failure, started != generation, session != nil {
        // Another call has met with it, and has done something about it.
        remedy = .freshContext
      } else {
        remedy = try self.remedy(for: failure, plan, &rescue)
        switch remedy {
        case .freshContext: try renew()
        case .freedMemory:
          session?.freeMemory()
          session?.adapt(to: experience)
        default: session?.adapt(to: experience)
        }
      }
      tell(Recovery(backend: name, failure: "\(failure)", remedy: remedy))
    }
  }

  private func attempt(
    _ plan: Plan, _ inputs: [Image], into memory: ResultMemory
  ) async throws(GLFailure) -> Image {
    guard try live().overlapsFrames else { return try live().run(plan, inputs, into: memory) }
    if !flights.takeNow() { await flights.take() }
    defer { flights.leave() }
    let flight = try live().launch(plan, inputs, into: memory)
    let launched = generation
    // One lands after the other, and between two of them those that wait are launched: so the
    // device has work while pixels are copied.
    if !landings.takeNow() { await landings.take() }
    defer { landings.leave() }
    await Task.yield()
    guard launched == generation else { throw .lost(during: "the flight of a frame") }
    return try live().land(flight)
  }

  /// The session. Nobody keeps it while others run, who may have to replace it.
  func live() throws(GLFailure) -> GLSession {
    guard let session else { throw .lost(during: "an earlier job") }
    return session
  }

  /// - Throws: where nothing is to be done about a failure.
  private func remedy(
    for failure: GLFailure, _ plan: Plan, _ rescue: inout GLRescue
  ) throws(BackendError) -> Recovery.Remedy {
    guard let session else { throw hopeless }
    // What little was left in a shortage may be all that is too small.
    if case .unsupported = failure, experience.forgetShortages() { return .freedMemory }
    guard failure.isOfDevice else { throw failure.backendError }
    if let remedy = rescue.remedy(for: failure, session.circumstances(of: plan), &experience) {
      return remedy
    }
    experience.surrenders += 1
    if experience.isHopeless { self.session = nil }
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
    do throws(DisplaySearch.Failure) {
      session = try GLSession(options, setup, chosen: stage, after: experience, peak: peak)
    } catch {
      throw .broken(backend: name, what: "no new context on \(deviceDescription): \(error.words)")
    }
  }

  /// Tries once more for a context where the last try got none: a reset may have taken longer.
  func revive() throws(BackendError) {
    guard session == nil, !experience.isHopeless else { return }
    experience.losses += 1
    try renew()
  }

  /// What is thrown once the device is given up.
  var hopeless: BackendError {
    .broken(
      backend: name, what: "\(deviceDescription) has failed too often and is not used any more")
  }

  /// The error of work that cannot be done again, as what it works on went with the context; the
  /// next job has a new one.
  func surrender(to failure: GLFailure) -> BackendError {
    guard case .lost = failure, session != nil else { return failure.backendError }
    experience.losses += 1
    if experience.isHopeless { session = nil } else { try? renew() }
    return failure.backendError
  }
}
