import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Estimates of the memory that rows take, and errors if there is none.
struct RowMemoryTests {
  private static let images = [
    TestImages.noise(700, 120, .gray8), TestImages.noise(150, 190, .rgb8),
    TestImages.noise(41, 77, .rgba8), TestImages.noise(61, 90, PixelFormat(.rgba, .uint16)),
    TestImages.noise(53, 60, PixelFormat(.rgb, .float32)),
  ]

  /// Rows never take more than was said before, by rows and as wholes; and no less, unless passes run
  /// on reference kernels, whose images are counted as well: each once where rows come, whatever the
  /// threads, and once in each strip of a whole.
  @Test(arguments: Catalog.codePaths.map { $0.name }, [1, 3])
  func rowsTakeWhatWasSaid(_ name: String, threads: Int) async throws {
    let filter = try #require(Catalog.filter(named: name))
    // Each image in one kind of light with one thread, and in the other with three.
    let kinds = Self.images.enumerated().map { ($0.element, ($0.offset + threads / 2) % 2 == 0) }
    for (image, linearLight) in kinds {
      for text in ["\(name)()", filter.info.example] {
        let plan = try? FilterChain(text: text).plan(
          for: Plan.Input(image), options: PlanOptions(linearLight: linearLight))
        guard let plan else { continue }
        for byRows in [false, true] {
          let backend = FastBackend(threads: threads)
          let gathered = byRows && !backend.streams(plan) ? plan.inputBytes + plan.resultBytes : 0
          let said = backend.memory(for: plan, byRows: byRows) - gathered
          if byRows {
            _ = try await backend.executeRows(plan, image)
          } else {
            _ = try await backend.execute(plan, [image])
          }
          let taken = backend.mostRowBytes
          let label = "\(text) \(image.format) linear \(linearLight) by rows \(byRows)"
          #expect(taken <= said, "\(label)")
          let usesReference = linearLight || image.format.depth == .float32 || name == "glass"
          let strips = byRows && backend.streams(plan) ? 1 : threads
          let beside = usesReference ? plan.referenceBytes * strips : 0
          #expect(said - taken <= beside, "\(label)")
        }
      }
    }
  }

  /// Images that all threads read are in memory once, and the rows are those of one thread.
  @Test(arguments: ["spin(0.1)", "zoom()", "median(15)", "pixelate(16px)"])
  func manyThreadsReadTheSameImages(_ text: String) async throws {
    let image = TestImages.noise(90, 300, .rgba8)
    let plan = try FilterChain(text: text).plan(
      for: Plan.Input(image), options: PlanOptions(linearLight: true))
    let backend = FastBackend(threads: 16)
    let said = backend.memory(for: plan, byRows: true)
    let made = try await backend.executeRows(plan, image)
    #expect(backend.mostRowBytes <= said && said - backend.mostRowBytes <= plan.referenceBytes)
    #expect(made.bytes == (try await FastBackend(threads: 1).execute(plan, [image])).bytes)
    let guarded = FastBackend(threads: 3, instructions: .best, guardedWith: 0xAA)
    #expect(made.bytes == (try await guarded.executeRows(plan, image)).bytes)
  }

  /// Also of very many rows, and of parts that a mask has.
  @Test(arguments: ["blur(9px)", "median(3)", "kawase(9px)", "tilt-shift(9px)"])
  func highImagesTakeWhatWasSaid(_ text: String) async throws {
    let image = TestImages.noise(9, 150_000, .rgba8)
    for mask in [nil, Mask([.ellipse(x: 3, y: 44_000, width: 5, height: 900)])] {
      let plan = try FilterChain(text: text).plan(
        for: Plan.Input(image), options: PlanOptions(mask: mask))
      for byRows in [true, false] {
        let backend = FastBackend(threads: 1)
        let said = backend.memory(for: plan, byRows: byRows)
        if byRows {
          _ = try await backend.executeRows(plan, image)
        } else {
          _ = try await backend.execute(plan, [image])
        }
        #expect(backend.mostRowBytes == said, "\(text) by rows \(byRows)")
      }
    }
  }

  /// An image whose first rows show its last must be there as a whole, and no machine has room for this.
  @Test func thereIsNoMemoryForRows() async throws {
    let size = Size(width: 1 << 20, height: 1 << 24)
    let plan = try FilterChain(text: "blur(20px)").plan(
      for: Plan.Input(size: size, format: .rgba8, alpha: .premultiplied, transfer: .encoded),
      options: PlanOptions(edge: .wrap))
    let backend = FastBackend(threads: 16)
    #expect(backend.memory(for: plan, byRows: true) > 1 << 46)
    let error = await #expect(throws: BackendError.self) {
      _ = try await backend.run(
        plan, PixelIO([.rows(NoRows())], to: [.rows(ImageRows(plan.result))]))
    }
    #expect("\(try #require(error))".contains("no memory"))
  }

  private struct NoRows: RowSource {
    struct AreThere: Error {}

    func read(_ rows: Range<Int>, into target: UnsafeMutableRawPointer) throws { throw AreThere() }
  }

  /// However images come, the run ends with an error, and the backend runs what needs less.
  @Test(arguments: ["blur(20px)", "median(6)", "zoom()", "lens(9px)"], [false, true])
  func littleMemoryIsAnError(_ text: String, linearLight: Bool) async throws {
    let image = TestImages.noise(3000, 100, .rgba8)
    let options = PlanOptions(linearLight: linearLight)
    let plan = try FilterChain(text: text).plan(for: Plan.Input(image), options: options)
    let small = TestImages.noise(20, 10, .rgba8)
    let other = try FilterChain(text: "blur(1px)").plan(for: Plan.Input(small), options: options)
    for fill in [nil, UInt8(0xAA)] {
      let backend = FastBackend(
        threads: 2, instructions: .best, guardedWith: fill, limit: 1 << 18)
      await #expect(throws: BackendError.self) { _ = try await backend.execute(plan, [image]) }
      await #expect(throws: BackendError.self) { _ = try await backend.executeRows(plan, image) }
      #expect(throws: BackendError.self) { _ = try backend.prepareRows(plan) }
      guard fill == nil else { continue }
      let made = try await backend.execute(other, [small])
      #expect(made.bytes == (try await FastBackend(threads: 1).execute(other, [small])).bytes)
    }
  }
}

/// Shortage of memory that is not for rows, and memory that must not be written.
extension RowMemoryTests {
  /// Images of reference kernels are looked for before anything runs.
  @Test(arguments: ["pixelate(16px)", "median(15)", "zoom()"])
  func littleMemoryForKernelsIsAnError(_ text: String) async throws {
    let image = TestImages.noise(150, 120, .rgba8)
    let plan = try FilterChain(text: text).plan(
      for: Plan.Input(image), options: PlanOptions(linearLight: true))
    let enough = FastBackend(threads: 2)
    let said = enough.memory(for: plan, byRows: true)
    let expected = try await enough.executeRows(plan, image)
    #expect(enough.mostRowBytes <= said)
    let exact = FastBackend(threads: 2, instructions: .best, limit: said)
    #expect(try await exact.executeRows(plan, image).bytes == expected.bytes)
    let less = FastBackend(threads: 2, instructions: .best, limit: said - 1)
    await #expect(throws: BackendError.self) { _ = try await less.executeRows(plan, image) }
  }

  /// So are the images between planes, here larger than any address.
  @Test func noMemoryForPlanesIsAnError() throws {
    let size = Size(width: 1 << 23, height: 1 << 24)
    let plan = try FilterChain([]).planByColors(for: YCbCrFormat(matrix: .bt601), size: size)
    #expect(plan.toImage.contains { $0.result.bytes > 1 << 47 })
    let error = #expect(throws: BackendError.self) {
      _ = try FastBackend(threads: 2).preparePlanes(plan)
    }
    #expect("\(try #require(error))".contains("no memory"))
  }

  /// Results of counting a plan's memory are reused by its run, but do not replace checking the plan.
  @Test func aPlanThatWasCountedIsStillChecked() async throws {
    let image = TestImages.noise(60, 50)
    let plan = try FilterChain(text: "blur(9px)").plan(for: Plan.Input(image))
    let other = Plan(
      inputs: plan.inputs, slots: plan.slots, steps: plan.steps,
      results: plan.results + plan.results)
    for byRows in [false, true] {
      let backend = FastBackend(threads: 2)
      let said = backend.memory(for: plan, byRows: byRows)
      let made = try await backend.execute(plan, [image])
      #expect(backend.memory(for: plan, byRows: byRows) == said)
      #expect(made.bytes == (try await FastBackend(threads: 1).execute(plan, [image])).bytes)
      _ = backend.memory(for: other, byRows: byRows)
      let io = PixelIO(
        [.image(image)], to: [.image(ImageOutput()), .image(ImageOutput())])
      await #expect(throws: BackendError.self) { _ = try await backend.run(other, io) }
    }
  }

  /// Also by weights of colors without alpha, which no chain has in fixed point.
  @Test func weightsOfColorsTakeWhatWasSaid() async throws {
    let image = TestImages.noise(40, 30)
    let mask = Mask([.ellipse(x: 5, y: 4, width: 20, height: 21)], feather: 3, use: .confine)
    let confined = try FilterChain([.box(radius: 2)]).plan(
      for: Plan.Input(image), options: PlanOptions(mask: mask))
    let weighting = try #require(
      confined.steps.firstIndex { if case .blend = $0.pass { true } else { false } })
    let part = confined.prefix(weighting + 1)
    var (slots, steps, result) = (part.slots, part.steps, part.result)
    slots[try #require(steps[steps.count - 2].target)].layout = .rgb
    result.format = PixelFormat(.rgb, .float32)
    result.alpha = .opaque
    let store = Store(
      format: result.format, alpha: .opaque, encodesFromLinear: false, background: nil)
    steps[steps.count - 1].pass = .store(store)
    let plan = Plan(inputs: part.inputs, slots: slots, steps: steps, results: [result])
    #expect(plan.arithmetic() == .fixed)
    let backend = FastBackend(threads: 1)
    let said = backend.memory(for: plan, byRows: false)
    let made = try await backend.execute(plan, [image])
    #expect(backend.mostRowBytes <= said)
    try expectClose(
      made, try await ReferenceBackend().execute(plan, [image]), within: 0.03, "weights")
  }
}

extension Plan {
  /// Bytes of the images that passes read and make, if each runs on its reference kernel and has all
  /// of them in floats.
  fileprivate var referenceBytes: Int {
    steps.reduce(0) { sum, step in
      // Loads and stores have rows of their own.
      guard let target = step.target else { return sum }
      if case .load = step.pass { return sum }
      let read = step.sources.map { slots[$0.slot] }
      return (read + [slots[target]]).reduce(sum) { $0 + $1.domain.area * $1.layout.channels * 4 }
    }
  }
}
