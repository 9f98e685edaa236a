package import FrostglassCPU
internal import FrostglassGL

/// What the choice of a backend needs of the machine it runs on; tests make one up.
package struct GraphicsHost: Sendable {
  /// A GPU backend that has started.
  package struct Started: Sendable {
    package var backend: any Backend
    /// For messages.
    package var description: String
    /// Whether the CPU plays the GPU.
    package var isSoftware: Bool
    /// All that tells the device and its driver from others.
    package var identity: String
    /// Seconds of the start that the next one will not take, as something was measured and kept.
    package var secondsOnce: Double

    package init(
      _ backend: any Backend, description: String, isSoftware: Bool, identity: String,
      secondsOnce: Double = 0
    ) {
      self.backend = backend
      self.description = description
      self.isSoftware = isSoftware
      self.identity = identity
      self.secondsOnce = secondsOnce
    }
  }

  /// Whether there may be a GPU, found out without starting any driver.
  package var mayHaveGPU: @Sendable () -> Bool
  /// The GPUs and their drivers, as far as can be told without starting any.
  package var fingerprint: @Sendable () -> String
  package var start: @Sendable (BackendOptions) async throws(BackendError) -> Started
  /// What both backends cost; `nil` where a measurement fails.
  package var measure: @Sendable (BackendOptions, Started, FastBackend, Double) async -> CostModel?

  package init(
    mayHaveGPU: @escaping @Sendable () -> Bool, fingerprint: @escaping @Sendable () -> String,
    start: @escaping @Sendable (BackendOptions) async throws(BackendError) -> Started,
    measure: @escaping @Sendable (BackendOptions, Started, FastBackend, Double) async -> CostModel?
  ) {
    self.mayHaveGPU = mayHaveGPU
    self.fingerprint = fingerprint
    self.start = start
    self.measure = measure
  }

  /// This machine.
  package static let this = GraphicsHost(
    mayHaveGPU: { GLSurvey.hasGPUDeviceNode },
    fingerprint: { HostGraphics.fingerprint },
    start: { options async throws(BackendError) in try await start(options) },
    measure: { options, started, fast, startUp in
      await CostMeasurement.model(
        of: started, beside: fast, startUp: startUp,
        startAgain: { try? await start(options).backend })
    })

  private static func start(_ options: BackendOptions) async throws(BackendError) -> Started {
    var backends: [GLBackend] = []
    if let devices = options.devices {
      let listed = try await GLSurvey.take().list.devices(devices)
      let taken = options.devicePlace.map { [listed[$0 % listed.count]] } ?? listed
      for device in taken {
        var own = options.gl
        own.device = .only(device.displays[0])
        backends.append(try await GLBackend.start(own))
      }
    } else {
      backends = [try await GLBackend.start(options.gl)]
    }
    let first = backends[0]
    let several = "\(backends.count) devices: "
    return Started(
      backends.count == 1 ? first : BackendPool(first, Array(backends.dropFirst())),
      description: (backends.count == 1 ? "" : several)
        + backends.map(\.deviceDescription).joined(separator: "; "),
      isSoftware: first.isSoftware,
      identity: backends.map(\.device.identity).joined(separator: "\n"),
      secondsOnce: backends.reduce(0) { $0 + $1.stage.secondsSpent })
  }
}
