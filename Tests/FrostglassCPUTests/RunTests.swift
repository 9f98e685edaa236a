import FrostglassCPU
import FrostglassCore
import Synchronization
import TestSupport
import Testing

/// One way into a backend, wherever pixels come from and go to, and what ends a run early.
@Suite struct RunTests {
  static let backends: [any Backend] = [
    FastBackend(threads: 1), FastBackend(threads: 3), ReferenceBackend(),
  ]

  private func plan(_ text: String, _ image: Image) throws -> Plan {
    try FilterChain(text: text).plan(for: Plan.Input(image))
  }

  @Test(arguments: 0..<backends.count, ["blur(6px)", "median(2)", "blur(3px) mix(0.4)"])
  func everyPlaceGivesTheSameBytes(_ index: Int, _ text: String) async throws {
    let backend = Self.backends[index]
    let image = TestImages.noise(53, 91)
    let plan = try plan(text, image)
    let expected = try await backend.execute(plan, [image])
    let length = image.size.width * image.format.bytesPerPixel
    // With gaps, whose bytes must not be touched.
    let gap = 13
    let count = (length + gap) * image.size.height
    let spaced = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    let place = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer {
      spaced.deallocate()
      place.deallocate()
    }
    spaced.initializeMemory(as: UInt8.self, repeating: 0xA5)
    for y in 0..<image.size.height {
      UnsafeMutableRawBufferPointer(rebasing: spaced[(y * (length + gap))...])
        .copyBytes(from: image.bytes[y * length..<(y + 1) * length])
    }
    for input in [
      PixelInput.image(image), .rows(ImageSource(image)),
      .memory(
        PixelMemory(
          Plan.Input(image), bytes: UnsafeRawBufferPointer(spaced), bytesPerRow: length + gap)),
    ] {
      // Rows come once.
      var input = input
      for kind in 0..<3 {
        if case .rows = input { input = .rows(ImageSource(image)) }
        let (made, rows) = (ImageOutput(), ImageRows(plan.result))
        place.initializeMemory(as: UInt8.self, repeating: 0xA5)
        let output: PixelOutput =
          switch kind {
          case 0: .image(made)
          case 1: .rows(rows)
          default: .memory(MutablePixelMemory(bytes: place, bytesPerRow: length + gap))
          }
        let report = try await backend.run(plan, PixelIO([input], to: [output]))
        #expect(report == RunReport(backend: backend.name))
        switch kind {
        case 0: #expect(made.take()?.bytes == expected.bytes)
        case 1: #expect(rows.image?.bytes == expected.bytes)
        default:
          for y in 0..<image.size.height {
            let start = y * (length + gap)
            #expect(
              place[start..<start + length].elementsEqual(
                expected.bytes[y * length..<(y + 1) * length]))
            #expect(place[start + length..<start + length + gap].allSatisfy { $0 == 0xA5 })
          }
        }
      }
    }
  }

  @Test(arguments: 0..<backends.count) func imagesMayBeInTheCallersMemory(_ index: Int) async throws
  {
    try await expectImagesInCallersMemory(Self.backends[index])
  }

  /// State kept from the last plan belongs to that plan, and to no image.
  @Test func plansTakeTurns() async throws {
    let backend = FastBackend(threads: 3)
    let pictures = [1, 2].map { TestImages.noise(90, 301, seed: $0) }
    let mask = Mask(try MaskShape.list(text: "20,30,40,50"))
    let input = Plan.Input(pictures[0])
    let plans = try [
      FilterChain(text: "blur(20px)").plan(for: input),
      FilterChain(text: "blur(20px)").plan(for: input, options: PlanOptions(mask: mask)),
      FilterChain(text: "blur(2px)").plan(for: input, options: PlanOptions(linearLight: true)),
    ]
    for (index, plan) in (plans + plans.reversed()).enumerated() {
      for picture in pictures {
        let alone = try await FastBackend(threads: 1).execute(plan, [picture])
        let result = try await backend.execute(plan, [picture])
        #expect(result.bytes == alone.bytes, "\(index)")
      }
      await #expect(throws: BackendError.self) {
        _ = try await backend.execute(plan, [TestImages.noise(90, 300)])
      }
    }
  }

  @Test(arguments: 0..<backends.count) func whatDoesNotFitIsRefused(_ index: Int) async throws {
    let backend = Self.backends[index]
    let image = TestImages.noise(20, 10, .rgba8)
    let plan = try plan("blur(2px)", image)
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 20 * 10 * 4, alignment: 1)
    defer { bytes.deallocate() }
    let output = PixelOutput.image(ImageOutput())
    let refused: [PixelIO] = [
      PixelIO([], to: [output]),
      PixelIO([.image(image), .image(image)], to: [output]),
      PixelIO([.image(TestImages.noise(21, 10, .rgba8))], to: [output]),
      PixelIO([.image(image)], to: []),
      PixelIO(
        [.image(image)],
        to: [.memory(MutablePixelMemory(bytes: .init(rebasing: bytes[1...]), bytesPerRow: 80))]),
      PixelIO([.image(image)], to: [.memory(MutablePixelMemory(bytes: bytes, bytesPerRow: 79))]),
      PixelIO(
        [.memory(PixelMemory(plan.inputs[0], bytes: .init(rebasing: bytes[1...])))],
        to: [output]),
      PixelIO([.image(image)], to: [.resident(ResidentOutput())]),
      PixelIO([.image(image)], to: [.memory(MutablePixelMemory(bytes: bytes, bytesPerRow: .max))]),
    ]
    // Rows that are too near to each other, or before the memory, are not read either.
    let near = [79, 0, -80, Int.min, Int.max].map { stride in
      PixelIO(
        [
          .memory(
            PixelMemory(plan.inputs[0], bytes: UnsafeRawBufferPointer(bytes), bytesPerRow: stride))
        ],
        to: [output])
    }
    for io in refused + near {
      await #expect(throws: BackendError.self) { _ = try await backend.run(plan, io) }
    }
  }

  @Test(arguments: 0..<backends.count)
  func whoBringsOrTakesRowsMayFail(_ index: Int) async throws {
    let backend = Self.backends[index]
    let image = TestImages.noise(30, 200)
    let plan = try plan("blur(2px)", image)
    let source = Interrupting(ImageSource(image), after: 50) { throw Broken() }
    await #expect(throws: BackendError.interrupted(reason: "broken")) {
      _ = try await backend.run(plan, PixelIO([.rows(source)], to: [.image(ImageOutput())]))
    }
    #expect(source.hasEnded)
    let sink = Interrupting(ImageRows(plan.result), after: 50) { throw Broken() }
    await #expect(throws: BackendError.interrupted(reason: "broken")) {
      _ = try await backend.run(plan, PixelIO([.image(image)], to: [.rows(sink)]))
    }
  }

  /// On every path of the catalog, by an order, by a time that is over, and by the end of the task.
  @Test(arguments: 0..<backends.count) func aRunEndsEarly(_ index: Int) async throws {
    let backend = Self.backends[index]
    let image = TestImages.noise(64, 300)
    for filter in Catalog.codePaths {
      guard let plan = try? plan(filter.name + "()", image) else { continue }
      let cancellation = Cancellation()
      let source = Interrupting(ImageSource(image), after: 1) { cancellation.cancel() }
      let rows = ImageRows(plan.result)
      await #expect(throws: BackendError.cancelled, "\(filter.name)") {
        _ = try await backend.run(
          plan, PixelIO([.rows(source)], to: [.rows(rows)], cancellation: cancellation))
      }
      #expect(source.hasEnded && rows.image == nil)
    }
    let plan = try plan("blur(2px)", image)
    await #expect(throws: BackendError.deadlineExceeded) {
      _ = try await backend.run(
        plan,
        PixelIO(
          [.image(image)], to: [.image(ImageOutput())], cancellation: Cancellation(deadline: .now)))
    }
  }

  /// A task that ends takes its run with it.
  @Test(arguments: 0..<backends.count) func aCancelledTaskEndsItsRun(_ index: Int) async throws {
    let backend = Self.backends[index]
    let image = TestImages.noise(30, 4000)
    let plan = try plan("blur(2px)", image)
    let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
    let gate = Monitor(false)
    let source = Interrupting(ImageSource(image), after: 10) {
      continuation.yield()
      gate.wait(until: { $0 }) { _ in }
    }
    let task = Task {
      try await backend.run(plan, PixelIO([.rows(source)], to: [.rows(ImageRows(plan.result))]))
    }
    for await _ in begun { break }
    task.cancel()
    gate.change { $0 = true }
    await #expect(throws: BackendError.cancelled) { _ = try await task.value }
  }

  private struct Broken: Error, CustomStringConvertible {
    var description: String { "broken" }
  }

  /// Wherever the run breaks off: before anything is read, with the first rows, or in the input before.
  @Test(arguments: 0..<backends.count) func everySourceIsEndedOnce(_ index: Int) async throws {
    let backend = Self.backends[index]
    let image = TestImages.noise(31, 40)
    let plan = try plan("blur(3px)", image)
    func isDone(_ sources: [ImageSource], isCancelled: Bool = false) async -> Bool {
      var io = PixelIO(sources.map { .rows($0) }, to: [.image(ImageOutput())])
      let cancellation = Cancellation()
      if isCancelled { cancellation.cancel() }
      io.cancellation = cancellation
      return (try? await backend.run(plan, io)) != nil
    }
    let (whole, broken, early) = (
      ImageSource(image), ImageSource(image, breaks: true), ImageSource(image)
    )
    #expect(await isDone([whole]))
    #expect(await !isDone([broken]))
    #expect(await !isDone([early], isCancelled: true))
    // One input too many, of which none is read.
    let refused = [ImageSource(image), ImageSource(image)]
    #expect(await !isDone(refused))
    #expect(([whole, broken, early] + refused).map(\.ends) == [1, 1, 1, 1, 1])
  }

  /// If one of several inputs fails, all are ended once, the later ones too.
  @Test func gatheringThatBreaksOffEndsTheOthers() async throws {
    let image = TestImages.noise(8, 8)
    let sources = [ImageSource(image), ImageSource(image, breaks: true), ImageSource(image)]
    let io = PixelIO(sources.map { .rows($0) }, to: [])
    let inputs = [Plan.Input](repeating: Plan.Input(image), count: 3)
    await #expect(throws: BackendError.self) {
      _ = try await io.gathered(inputs, on: ThreadPool())
    }
    #expect(sources.map(\.ends) == [1, 1, 1])
    // One input more than the plan has: none is read.
    let refused = [ImageSource(image), ImageSource(image), ImageSource(image)]
    let tooMany = PixelIO(refused.map { .rows($0) }, to: [])
    await #expect(throws: BackendError.unfit("3 images for a plan with 2 inputs")) {
      _ = try await tooMany.gathered(Array(inputs.dropLast()), on: ThreadPool())
    }
    #expect(refused.map(\.ends) == [1, 1, 1])
    #expect(refused.map(\.rows) == [0, 0, 0])
  }

  /// Planes are refused before they are read if there are too many or if one before them is broken.
  @Test func planesThatAreRefusedAreEnded() async throws {
    let size = Size(width: 16, height: 16)
    let plan = try FilterChain(text: "blur(3px)").plan(for: .jpeg, size: size)
    let planes = plan.inputs.map {
      Image(zeros: $0.size, format: $0.format, alpha: $0.alpha, transfer: $0.transfer)
    }
    let images = PlanesOnImages(plan, backend: "test") { planes, _, _ in planes }
    func ended(_ sources: [ImageSource]) async -> [Int] {
      let outputs = planes.map { _ in PixelOutput.image(ImageOutput()) }
      let run = try? await images.run(PixelIO(sources.map { .rows($0) }, to: outputs))
      #expect((run != nil) == (sources.count == planes.count && !sources[0].breaks))
      return sources.map(\.ends)
    }
    #expect(await ended(planes.map { ImageSource($0) }) == [1, 1, 1])
    #expect(await ended((planes + [planes[0]]).map { ImageSource($0) }) == [1, 1, 1, 1])
    #expect(
      await ended([
        ImageSource(planes[0], breaks: true), ImageSource(planes[1]), ImageSource(planes[2]),
      ]) == [1, 1, 1])
  }
}

/// Rows that come or go, with something that happens once after some of them.
private final class Interrupting<Rows: Sendable>: Sendable {
  private let rows: Rows
  private let after: Int
  private let action: @Sendable () throws -> Void
  private let state = Mutex((done: false, ended: false))

  init(_ rows: Rows, after: Int, _ action: @escaping @Sendable () throws -> Void) {
    self.rows = rows
    self.after = after
    self.action = action
  }

  var hasEnded: Bool { state.withLock { $0.ended } }

  fileprivate func act(_ rows: Range<Int>) throws {
    guard rows.upperBound >= after else { return }
    let isFirst = state.withLock { state in
      defer { state.done = true }
      return !state.done
    }
    if isFirst { try action() }
  }

  fileprivate func noteEnd() { state.withLock { $0.ended = true } }
}

extension Interrupting: RowSource where Rows == ImageSource {
  func read(_ rows: Range<Int>, into target: UnsafeMutableRawPointer) throws {
    try self.rows.read(rows, into: target)
    try act(rows)
  }

  func end() { noteEnd() }
}

extension Interrupting: RowSink where Rows == ImageRows {
  func write(_ rows: Range<Int>, _ bytes: UnsafeRawBufferPointer) throws {
    try self.rows.write(rows, bytes)
    try act(rows)
  }
}
