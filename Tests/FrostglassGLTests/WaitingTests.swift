import FrostglassCore
import FrostglassGL
import TestSupport
import Testing

/// Waits for the device end at once when they are stopped, and every other waiter keeps its place.
@Suite struct WaitingTests {
  /// A way to stop a waiter.
  enum Stop: CaseIterable { case task, cancellation, deadline }

  /// While the device is taken by a run that does not end.
  @Test(arguments: [GLOptions.TransferMode.direct, .buffered], Stop.allCases)
  func aRunThatWaitsCanBeStopped(_ mode: GLOptions.TransferMode, _ stop: Stop) async throws {
    let backend = try await GLBackend.start(GLOptions(transfer: mode, framesInFlight: 1))
    #expect((backend.alone == nil) == (mode == .buffered))
    let image = Image.noise(60, 50)
    let plan = try FilterChain([.gaussian(sigma: 2)]).plan(for: Plan.Input(image))
    let expected = try await backend.execute(plan, [image])
    for places in backend.alone.map({ [$0] }) ?? [backend.inFlight, backend.readBacks] {
      let place = try #require(places.enterNow())
      let cancellation = Cancellation(deadline: stop == .deadline ? .now + .milliseconds(50) : nil)
      let late = Task {
        try await backend.run(
          plan,
          PixelIO([.image(image)], to: [.image(ImageOutput())], cancellation: cancellation))
      }
      if stop != .deadline { await until { places.waiting == 1 } }
      switch stop {
      case .task: late.cancel()
      case .cancellation: cancellation.cancel()
      case .deadline: break
      }
      await #expect(throws: stop == .deadline ? BackendError.deadlineExceeded : .cancelled) {
        try await late.value
      }
      #expect(places.waiting == 0)
      places.leave(place)
      // Nothing was left behind.
      #expect(try await backend.execute(plan, [image]).bytes == expected.bytes)
      #expect(await backend.textureStatistics.lentBytes == 0)
    }
  }

  @Test func planesThatWaitCanBeStopped() async throws {
    for mode in [GLOptions.TransferMode.direct, .buffered] {
      let backend = try await GLBackend.start(GLOptions(transfer: mode, framesInFlight: 1))
      let picture = try TestPlanes.noise(64, 48, TestPlanes.someFormats[0])
      let plan = try FilterChain([.gaussian(sigma: 2)]).plan(
        for: picture.format, size: picture.size)
      let prepared = try backend.prepare(plan)
      let places = backend.alone ?? backend.inFlight
      let place = try #require(places.enterNow())
      let cancellation = Cancellation()
      let late = Task {
        try await prepared.run(
          PixelIO(
            picture.planes.map { .image($0) }, to: plan.results.map { _ in .image(ImageOutput()) },
            cancellation: cancellation))
      }
      await until { places.waiting == 1 }
      cancellation.cancel()
      await #expect(throws: BackendError.cancelled) { try await late.value }
      places.leave(place)
    }
  }
}
