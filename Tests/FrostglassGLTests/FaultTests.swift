import FrostglassCore
import FrostglassGL
import Testing

/// A job that the device or driver stops is finished all the same, with the same bytes, and the
/// caller is told.
@Suite struct FaultTests {
  private let image = Image.noise(200, 150)
  private let chain: FilterChain = [.gaussian(sigma: 9), .saturation(1.8)]
  private var plan: Plan { get throws { try chain.plan(for: Plan.Input(image)) } }

  /// Runs the plan with faults; the bytes are those of a backend without.
  private func finish(
    _ setup: Setup, _ faults: GLFaults,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> (backend: GLBackend, remedies: [Recovery.Remedy]) {
    let sound = try await GLBackend.shared(setup.options)
    let backend = try await GLBackend.start(setup, failing: faults)
    let told = Told()
    let result = try await backend.execute(plan, [image]) { told.add($0) }
    let expected = try await sound.execute(plan, [image])
    #expect(result.bytes == expected.bytes, sourceLocation: sourceLocation)
    // What was learned holds, and nothing is left over.
    let again = try await backend.execute(plan, [image])
    #expect(again.bytes == expected.bytes, sourceLocation: sourceLocation)
    #expect(await backend.textureStatistics.lentBytes == 0, sourceLocation: sourceLocation)
    return (backend, told.remedies)
  }

  @Test(arguments: Setup.allCases) func aLostContextIsReplaced(_ setup: Setup) async throws {
    // Early, in the middle, late.
    for checkpoint in [1, 3, 6] {
      let (backend, remedies) = try await finish(
        setup, GLFaults([.checkpoint: [checkpoint...checkpoint]]))
      #expect(remedies == [.freshContext])
      #expect(await backend.faultCounts[.checkpoint]?.struck == 1)
    }
  }

  @Test func losesItAtEveryCheckpoint() async throws {
    let sound = try await GLBackend.start(Setup.fragment, failing: GLFaults([.checkpoint: [0...0]]))
    let expected = try await sound.execute(plan, [image]).bytes
    let checkpoints = try #require(await sound.faultCounts[.checkpoint]).asked
    #expect(checkpoints > 5)
    for checkpoint in 1...checkpoints {
      let backend = try await GLBackend.start(
        .fragment, failing: GLFaults([.checkpoint: [checkpoint...checkpoint]]))
      #expect(try await backend.execute(plan, [image]).bytes == expected, "\(checkpoint)")
    }
  }

  @Test func aContextLostAgainIsReplacedAgain() async throws {
    let (_, remedies) = try await finish(.fragment, GLFaults([.checkpoint: [3...3, 6...6]]))
    #expect(remedies == [.freshContext, .freshContext])
  }

  @Test func aContextLostEveryTimeEndsInAnError() async throws {
    let backend = try await GLBackend.start(
      .fragment, failing: GLFaults([.checkpoint: GLFaults.always]))
    let told = Told()
    let plan = try self.plan
    await #expect(throws: BackendError.self) {
      try await backend.execute(plan, [image]) { told.add($0) }
    }
    #expect(told.remedies == [.freshContext, .freshContext])
    // The device is given up: the next job does not even ask it.
    do throws(BackendError) {
      _ = try await backend.execute(plan, [image])
      Issue.record("the device works again")
    } catch {
      #expect(error.mayAnotherHelp)
      guard case .broken = error else { throw error }
    }
    #expect(await backend.faultCounts[.checkpoint]?.struck == 3)
    #expect(await backend.textureStatistics.heldBytes == 0)
  }

  @Test func lossesFarApartAreForgiven() async throws {
    let counting = try await GLBackend.start(
      .fragment, failing: GLFaults([.checkpoint: [0...0]]))
    _ = try await counting.execute(plan, [image])
    let perJob = try #require(await counting.faultCounts[.checkpoint]).asked
    // One in each second job or so, more often than patience lasts if they were added up.
    let faults = (1...6).map { $0 * 3 * perJob...$0 * 3 * perJob }
    let backend = try await GLBackend.start(.fragment, failing: GLFaults([.checkpoint: faults]))
    let told = Told()
    // Plans that run again look for errors less often.
    for _ in 0..<120 { _ = try await backend.execute(plan, [image]) { told.add($0) } }
    #expect(told.remedies.count == 6)
  }

  /// One shortage is over when what was kept for later is freed: the job runs as it would have.
  @Test(arguments: Setup.allCases) func aFailedAllocationChangesNothing(
    _ setup: Setup
  ) async throws {
    for texture in [1, 2, 3] {
      let (backend, remedies) = try await finish(setup, GLFaults([.texture: [texture...texture]]))
      #expect(remedies.count <= 1 && remedies.allSatisfy { $0 == .freedMemory })
      #expect(try await backend.tiling(of: plan).tiles == 1)
      #expect(await backend.faultCounts[.texture]?.struck == 1)
    }
  }

  @Test(arguments: Setup.allCases) func allocationsThatGoOnFailingMakeTilesSmaller(
    _ setup: Setup
  ) async throws {
    for texture in [1, 2, 3] {
      let (backend, remedies) = try await finish(
        setup, GLFaults([.texture: [texture...texture + 2]]))
      #expect(remedies.first == .freedMemory && remedies.count > 1)
      #expect(
        remedies.dropFirst().allSatisfy { if case .smallerTiles = $0 { true } else { false } },
        "\(remedies)")
      #expect(try await backend.tiling(of: plan).tiles > 1)
    }
  }

  /// Tiling after a shortage of memory ends after a while. The limit of a refused side stays.
  @Test func shortagesAreForgottenAndSidesAreNot() async throws {
    let small = Image.noise(60, 40)
    let other = try chain.plan(for: Plan.Input(small))
    let short = try await GLBackend.start(.fragment, failing: GLFaults([.texture: [1...4]]))
    let narrow = try await GLBackend.start(.fragment, failing: GLFaults(longestSide: 150))
    for backend in [short, narrow] {
      _ = try await backend.execute(plan, [image])
      #expect(try await backend.tiling(of: plan).tiles > 1)
      for _ in 0..<40 { _ = try await backend.execute(other, [small]) }
    }
    #expect(try await short.tiling(of: plan).tiles == 1)
    #expect(try await narrow.tiling(of: plan).tiles > 1)
    let expected = try await GLBackend.shared(Setup.fragment.options).execute(plan, [image])
    #expect(try await short.execute(plan, [image]).bytes == expected.bytes)
  }

  /// Tiles that become smaller than what a plan reaches are no reason to give it up.
  @Test(arguments: [Setup.specializedFragment, .specializedCompute, .blocked])
  func aShortageMakesNoPlanImpossible(_ setup: Setup) async throws {
    let (backend, remedies) = try await finish(setup, GLFaults([.texture: [1...4]]))
    #expect(remedies.first == .freedMemory && remedies.last == .freedMemory)
    #expect(remedies.count > 3)
    #expect(try await backend.tiling(of: plan).tiles == 1)
  }

  /// A shortage of memory for an image does not limit the sides of others.
  @Test func aShortageLimitsNoSides() async throws {
    let backend = try await GLBackend.start(.fragment, failing: GLFaults([.texture: [1...2]]))
    _ = try await backend.execute(plan, [image])
    #expect(try await backend.tiling(of: plan).tiles > 1)
    let strip = Plan.Input(
      size: Size(width: 800, height: 4), format: .rgba8, alpha: .straight, transfer: .encoded)
    #expect(
      try await backend.tiling(of: FilterChain([.gaussian(sigma: 1)]).plan(for: strip)).tiles == 1)
  }

  // What is learned of memory has nothing to do with how programs are made.
  @Test(arguments: [Setup.restrictedFragment, .compute, .blocked, .windows])
  func findsTheTilesThatMemoryHolds(
    _ setup: Setup
  ) async throws {
    let (backend, remedies) = try await finish(setup, GLFaults(textureBytes: 100_000))
    #expect(remedies.first == .freedMemory && (2...9).contains(remedies.count))
    // Learned for good: the second run asked for nothing too large.
    let struck = try #require(await backend.faultCounts[.texture]).struck
    _ = try await backend.execute(plan, [image])
    #expect(await backend.faultCounts[.texture]?.struck == struck)
  }

  @Test(arguments: [Setup.restrictedFragment, .compute, .blocked, .windows])
  func findsTheSideThatADeviceReallyTakes(
    _ setup: Setup
  ) async throws {
    let (backend, remedies) = try await finish(setup, GLFaults(longestSide: 150))
    #expect(!remedies.isEmpty && remedies.count <= 3)
    let told = Told()
    _ = try await backend.execute(plan, [image]) { told.add($0) }
    #expect(told.recoveries.isEmpty)
  }

  @Test func anIncompleteFramebufferMakesTilesSmaller() async throws {
    // Nothing is drawn to here: it is the result that is read back.
    let (backend, remedies) = try await finish(.compute, GLFaults([.framebuffer: [1...1]]))
    #expect(remedies.count == 1)
    // What was refused may not have been too large: after a while, large tiles are tried again.
    #expect(try await backend.tiling(of: plan).tiles > 1)
    for _ in 0..<32 { _ = try await backend.execute(plan, [image]) }
    #expect(try await backend.tiling(of: plan).tiles == 1)
  }

  /// A driver that draws to no texture of a format refuses the smallest as well.
  @Test func aFramebufferThatNoTileCompletesTeachesNoTiles() async throws {
    let backend = try await GLBackend.start(
      .fragment, failing: GLFaults([.framebuffer: [1...10]]))
    let told = Told()
    let plan = try self.plan
    await #expect(throws: BackendError.self) {
      try await backend.execute(plan, [image]) { told.add($0) }
    }
    #expect(!told.remedies.isEmpty)
    #expect(try await backend.tiling(of: plan).tiles == 1)
  }

  @Test(arguments: Setup.allCases) func shadersThatNeverCompileEndInAnError(
    _ setup: Setup
  ) async throws {
    let backend = try await GLBackend.start(
      setup, failing: GLFaults([.program: GLFaults.always]))
    let plan = try self.plan
    var asked: [Int?] = []
    for _ in 0..<4 {
      do throws(BackendError) {
        _ = try await backend.execute(plan, [image])
        Issue.record("it compiles")
      } catch {
        guard case .broken = error else { throw error }
      }
      asked.append(await backend.faultCounts[.program]?.asked)
    }
    // Three times is enough; the fourth job did not try.
    #expect(asked[1] != asked[2] && asked[2] == asked[3])
  }

  /// Passes whose blocks do not compile run without blocks, in this job and in later ones.
  @Test(arguments: [Setup.blocked, .windows])
  func aBlockThatDoesNotCompileIsDoneWithout(_ setup: Setup) async throws {
    let image = Image.noise(200, 150, alpha: .premultiplied)
    let plan = try chain.plan(for: Plan.Input(image))
    let sound = try await GLBackend.shared(setup.options)
    let backend = try await GLBackend.start(setup, failing: GLFaults([.program: [1...1]]))
    let told = Told()
    let result = try await backend.execute(plan, [image]) { told.add($0) }
    #expect(try await result.bytes == sound.execute(plan, [image]).bytes)
    #expect(told.remedies == [.freshContext])
    // Without blocks more is fetched, and no pass reads around what another one makes.
    let (draws, before) = (try await backend.draws(of: plan), try await sound.draws(of: plan))
    #expect(draws.reduce(0) { $0 + $1.fetches } > before.reduce(0) { $0 + $1.fetches })
    _ = try await backend.execute(plan, [image]) { told.add($0) }
    #expect(told.remedies.count == 1)
  }

  /// A GPU that hangs in a long pass does not answer for a minute: the job goes on in a fresh context.
  @Test(arguments: [Setup.fragment, .compute])
  func aLongPassDoesNotWaitForEver(_ setup: Setup) async throws {
    let image = Image.noise(60, 250)
    let taps = PassParityTests.taps(radius: 4000)
    let plan = try SmallPlans.chain(
      on: image, [.convolve(Convolve(axis: .y, taps: taps))], edge: .mirror)
    let expected = try await GLBackend.shared(setup.options).execute(plan, [image])
    let backend = try await GLBackend.start(setup, failing: GLFaults([.wait: [1...60]]))
    let told = Told()
    let result = try await backend.execute(plan, [image]) { told.add($0) }
    #expect(told.remedies == [.freshContext] && result.bytes == expected.bytes)
    #expect(await backend.faultCounts[.wait]?.struck == 60)
  }

  @Test func aShaderThatDoesNotCompileEndsItsJob() async throws {
    let backend = try await GLBackend.start(.fragment, failing: GLFaults([.program: [1...1]]))
    let error = try #require(
      await #expect(throws: BackendError.self) { try await backend.execute(plan, [image]) })
    // Where the backend was chosen for the job, another one does it.
    #expect(error.mayAnotherHelp && "\(error)".contains("does not compile"))
    // It was one job; the backend goes on.
    _ = try await backend.execute(plan, [image])
  }

  @Test func aPlanThatIsImpossibleIsNoFaultOfTheDevice() async throws {
    let backend = try await GLBackend.start(GLOptions(textureBytes: 1000))
    let told = Told()
    let plan = try self.plan
    for _ in 0..<5 {
      do throws(BackendError) {
        _ = try await backend.execute(plan, [image]) { told.add($0) }
      } catch {
        guard case .unsupported = error else { throw error }
      }
    }
    #expect(told.recoveries.isEmpty)
  }
}
