import FrostglassCore
import FrostglassGL
import Testing

/// Frames in flight and images on the device, where the device or the driver fails.
@Suite struct FramesInFlightFaultTests {
  private let frames = (0..<9).map { Image.noise(120, 90, seed: UInt64($0)) }

  /// Runs all frames at the same time; each has the bytes that a sound backend gives it.
  private func fly(
    _ faults: GLFaults, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> (backend: GLBackend, remedies: [Recovery.Remedy]) {
    let plan = try FilterChain([.gaussian(sigma: 5)]).plan(for: Plan.Input(frames[0]))
    var options = GLOptions(stage: .fragment, transfer: .buffered)
    let sound = try await GLBackend.start(options)
    options.faults = faults
    let backend = try await GLBackend.start(options)
    let told = Told()
    let results = try await withThrowingTaskGroup { group in
      for (index, frame) in frames.enumerated() {
        group.addTask {
          (index, try await backend.execute(plan, [frame]) { told.add($0) }.bytes)
        }
      }
      return try await group.reduce(into: [Int: [UInt8]]()) { $0[$1.0] = $1.1 }
    }
    for (index, frame) in frames.enumerated() {
      let expected = try await sound.execute(plan, [frame]).bytes
      #expect(results[index] == expected, "frame \(index)", sourceLocation: sourceLocation)
    }
    #expect(await backend.textureStatistics.lentBytes == 0, sourceLocation: sourceLocation)
    return (backend, told.remedies)
  }

  @Test(arguments: [1, 4, 11, 23, 40])
  func framesOutliveALostContext(_ checkpoint: Int) async throws {
    let (backend, remedies) = try await fly(GLFaults([.checkpoint: [checkpoint...checkpoint]]))
    // Whoever was in flight starts again in the new context, whether told of the loss or not.
    #expect(!remedies.isEmpty && remedies.allSatisfy { $0 == .freshContext })
    #expect(await backend.faultCounts[.checkpoint]?.struck == 1)
  }

  @Test func framesGoStraightWhereBuffersFindNoMemory() async throws {
    let (backend, remedies) = try await fly(GLFaults([.buffer: GLFaults.always]))
    #expect(remedies == [])
    #expect(await backend.textureStatistics.bufferBytes == 0)
  }

  @Test func imagesAreLostWithTheirContext() async throws {
    var options = GLOptions(stage: .fragment)
    options.faults = GLFaults([.checkpoint: [12...12]])
    let backend = try await GLBackend.start(options)
    let image = frames[0]
    let plan = try FilterChain([.gaussian(sigma: 5)]).plan(for: Plan.Input(image))
    let picture = try await backend.upload(image)
    let expected = try await backend.execute(plan, [image]).bytes
    _ = try await backend.execute(plan, [image])
    #expect(await backend.faultCounts[.checkpoint]?.struck == 1)
    await expectRefusal("upload it again") { _ = try await backend.download(picture) }
    await expectRefusal("upload it again") { _ = try await backend.execute(plan, [picture]) }
    let result = try await backend.execute(plan, [try await backend.upload(image)])
    #expect(try await backend.download(result).bytes == expected)
  }

  @Test func workOnImagesEndsWithTheirContext() async throws {
    var options = GLOptions(stage: .fragment)
    options.faults = GLFaults([.checkpoint: [6...6]])
    let backend = try await GLBackend.start(options)
    let image = frames[0]
    let plan = try FilterChain([.gaussian(sigma: 9), .saturation(1.8)]).plan(for: Plan.Input(image))
    let first = try await backend.upload(image)
    await #expect(throws: BackendError.self) {
      for _ in 0..<4 { _ = try await backend.execute(plan, [first]) }
    }
    await expectRefusal("upload it again") { _ = try await backend.download(first) }
    let second = try await backend.upload(image)
    #expect(try await backend.download(second).bytes == image.bytes)
  }

  /// The first is that of an upload, the fourth that of a result.
  @Test(arguments: [1...1, 4...4, 1...Int.max])
  func framesGoStraightWhereBuffersGiveNoAccess(_ failing: ClosedRange<Int>) async throws {
    let (backend, remedies) = try await fly(GLFaults([.access: [failing]]))
    #expect(!remedies.isEmpty && remedies.allSatisfy { $0 == .freedMemory })
    #expect(await backend.faultCounts[.access]?.struck ?? 0 > 0)
  }

  @Test func aDeviceThatIsSlowIsWaitedFor() async throws {
    let (backend, remedies) = try await fly(GLFaults([.wait: [1...40]]))
    #expect(remedies == [])
    #expect(await backend.faultCounts[.wait]?.struck == 40)
  }

  @Test func aDeviceThatNeverAnswersIsGivenAFreshContext() async throws {
    let (backend, remedies) = try await fly(GLFaults([.wait: [1...60]]))
    #expect(!remedies.isEmpty && remedies.allSatisfy { $0 == .freshContext })
    #expect(await backend.faultCounts[.wait]?.struck == 60)
  }
}
