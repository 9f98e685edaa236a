internal import CKernels
internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// Makes some rows of one stage's image, keeping of each image on the way only its last rows.
struct RowStrip<Sample: RowSample> {
  private let lowered: LoweredPlan
  /// The order of the computation.
  let schedule: RowSchedule
  let tools: RowTools
  let inputs: [InputRows]
  /// For each result, where its rows go.
  let outputs: [OutputRows]
  /// For each slot, its rows; `nil` where it takes no part.
  private(set) var pictures: [ImageRows<Sample>?]
  private let transparent: UnsafePointer<Sample>

  /// - Parameters:
  ///   - complete: images whose rows are there or shared with other strips.
  ///   - isShared: true if other strips get the images of this one.
  init(
    _ lowered: LoweredPlan, _ schedule: RowSchedule, complete: [ImageRows<Sample>?],
    isShared: Bool = false, _ inputs: [InputRows], _ outputs: [OutputRows], _ tools: RowTools
  ) {
    self.lowered = lowered
    self.inputs = inputs
    self.outputs = outputs
    self.tools = tools
    self.schedule = schedule
    let plan = lowered.plan
    transparent = Self.transparentRow(plan, tools)
    pictures = complete
    func rows(of slot: Int, _ rows: Range<Int>, capacity: Int) -> ImageRows<Sample> {
      ImageRows(
        domain: Rect(columns: plan.slots[slot].domain.columns, rows: rows),
        layout: plan.slots[slot].layout, capacity: capacity, isShared: isShared, in: tools.rings)
    }
    if Sample.mixesInPlace, !isShared, !tools.usesReference {
      for ring in schedule.rings where ring.slots.allSatisfy({ complete[$0] == nil }) {
        let made = rows(of: ring.slots[0], ring.rows, capacity: ring.capacity)
        for slot in ring.slots { pictures[slot] = made }
      }
    }
    for slot in plan.slots.indices where pictures[slot] == nil && !schedule.rows[slot].isEmpty {
      // Of what is only known by its place, no row is kept.
      let capacity = lowered.isIncluded[slot] ? 0 : schedule.capacity[slot]
      pictures[slot] = rows(of: slot, schedule.rows[slot], capacity: capacity)
    }
  }

  var plan: Plan { lowered.plan }

  /// The program of each step of the schedule; `nil` for steps that a later one includes.
  var programs: [RowProgram?] { programs { _ in true } }

  /// The same for some steps; `nil` for all others.
  func programs(_ areMade: (Step) -> Bool) -> [RowProgram?] {
    schedule.steps.map { index in
      guard let op = lowered.ops[index], areMade(plan.steps[index]) else { return nil }
      return Sample.program(for: op, of: self)
    }
  }

  /// The images that a step reads. For one that does not show in this strip and is not there,
  /// another stands in, which is not read.
  func sources(of step: Step) -> [ImageSource<Sample>] {
    let present = step.sources.compactMap { pictures[$0.slot] }.first
    return step.sources.compactMap { source in
      (pictures[source.slot] ?? present).map { self.source(source, of: $0) }
    }
  }

  /// An image as a step sees it.
  func source(_ source: Source, of rows: ImageRows<Sample>) -> ImageSource<Sample> {
    ImageSource(rows: rows, source: source, transparent: transparent)
  }

  private static func transparentRow(_ plan: Plan, _ tools: RowTools) -> UnsafePointer<Sample> {
    let samples = plan.slots.map { $0.domain.width * 4 }.max() ?? 0
    return UnsafePointer(tools.scratch(samples, of: .transparent))
  }
}

/// One step of a plan made ready: computes the given rows of its target, the lowest first.
typealias RowProgram = (Range<Int>) -> Void

/// The current run of the programs.
final class CurrentRun {
  /// Counts runs.
  private(set) var number = 0
  /// The cancellation that ends the run early.
  private var cancellation: Cancellation?
  /// Told how much is done.
  private var watch: Watch?
  /// Bands of all strips.
  private var bands = 0
  private let done = Atomic(0)

  /// An observer of progress, and its thread.
  private struct Watch {
    let thread: pthread_t
    let tell: (Double) -> Void
  }

  var isCancelled: Bool { cancellation?.isCancelled ?? false }

  /// Counts bands that each run makes.
  func expect(_ bands: Int) { self.bands += bands }

  /// A band is made.
  func advance() {
    guard let watch else { return }
    done.add(1, ordering: .relaxed)
    if pthread_equal(watch.thread, pthread_self()) != 0 { tell() }
  }

  /// Says how much is done, in the thread that wants to know it.
  func tell() {
    let count = done.load(ordering: .relaxed)
    watch?.tell(Double(min(count, bands)) / Double(max(bands, 1)))
  }

  /// Before any thread works on it.
  ///
  /// - Parameter progress: told in this thread how much is done.
  func begin(_ cancellation: Cancellation?, _ progress: ((Double) -> Void)? = nil) {
    number += 1
    self.cancellation = cancellation
    watch = progress.map { Watch(thread: pthread_self(), tell: $0) }
    done.store(0, ordering: .relaxed)
  }

  /// After all threads have.
  func end() {
    cancellation = nil
    watch = nil
  }
}

/// The resources for preparing a step.
struct RowTools {
  let kernels: fgk_row_kernels
  /// True if every pass runs on its reference kernel.
  let usesReference: Bool
  /// The memory of tables and scratch rows, which are kept between runs.
  let memory: RowMemory
  /// The memory of images' rows; none are retained.
  let rings: RowMemory
  /// The threads that share the rows of a slow pass that needs all it reads in one place; `nil` if rows are shared
  /// otherwise.
  var workers: Workers?
  /// The run that goes on.
  let current: CurrentRun
  /// True for the first of several strips that make parts of the same rows: the only one with passes that share their
  /// rows themselves.
  var isFirst = true

  /// A row of samples with room around it.
  func scratch<Sample: RowSample>(_ samples: Int) -> UnsafeMutablePointer<Sample> {
    memory.take(samples + 2 * Int(FG_SLACK)) + Int(FG_SLACK)
  }

  /// The same, all of it one value.
  func scratch<Sample: RowSample>(_ samples: Int, of value: Sample) -> UnsafeMutablePointer<Sample>
  {
    memory.take(samples + 2 * Int(FG_SLACK), of: value) + Int(FG_SLACK)
  }
}

extension RowStrip<Int16> {
  /// Returns the program of an operation: in fixed point, or on the reference kernel if the pass has no fixed-point
  /// kernel.
  func fixedProgram(for op: RowOp) -> RowProgram? {
    let step = plan.steps[op.step]
    let sources = sources(of: step)
    guard let target = step.target else {
      guard case .store(let store) = step.pass else { return nil }
      return program(for: op, sources, store, into: outputs[store.result])
    }
    guard let picture = pictures[target] else { return nil }
    switch op.work {
    case .pass: return program(for: step, sources, into: picture)
    case .sumInput(let load):
      return summing(load, inputs[load.input], step, sources[0], into: picture)
    case .filterInput(let load):
      guard case .convolve(let convolve) = step.pass else { return nil }
      return convolve.fast(load, inputs[load.input], sources[0], into: picture, tools)
    case .mix(let coverage):
      guard case .blend(let blend) = step.pass else { return nil }
      return blend.masked(sources, by: coverage, into: picture, tools)
    case .weigh(let coverage, let load, let halving):
      guard case .blend(let blend) = step.pass else { return nil }
      return blend.weighted(
        sources[0], load.map { LoadedRows($0, inputs[$0.input], tools) }, by: coverage,
        into: picture, tools, halving.flatMap { weightedParts(step, halvedBy: $0) })
    case .halveWeighed(let weighing):
      guard case .resample(let resample) = step.pass else { return nil }
      guard let parts = weightedParts(plan.steps[weighing], halvedBy: op.step) else {
        return resample.fast(sources[0], into: picture, tools)
      }
      return resample.fastHalving(
        inputs[parts.load.input], sources[0], parts, into: picture, tools)
    case .storeGrown, .storeFiltered, .storeCells, .storeMasked: return nil
    }
  }

  /// Returns the program that stores rows, with the steps fused into it.
  private func program(
    for op: RowOp, _ sources: [ImageSource<Int16>], _ store: Store, into output: OutputRows
  ) -> RowProgram? {
    switch op.work {
    case .storeMasked(let ending): return storing(ending, into: output)
    case .storeGrown(let growing):
      guard let small = self.sources(of: plan.steps[growing]).first else { return nil }
      guard case .resample(let resample) = plan.steps[growing].pass else {
        return DualGrowth(small, output.rect.columns, tools).storing(into: output)
      }
      return store.alpha == .straight
        ? resample.fastStoring(straight: small, store, into: output, tools)
        : resample.fastStoring(small, store, into: output, tools)
    case .storeFiltered(let filtering):
      guard case .convolve(let convolve) = plan.steps[filtering].pass,
        let source = self.sources(of: plan.steps[filtering]).first
      else { return nil }
      return convolve.fastStoring(source, sources[0].rows, store, into: output, tools)
    case .storeCells(let filling):
      guard case .cellFill(let fill) = plan.steps[filling].pass,
        let cells = self.sources(of: plan.steps[filling]).first
      else { return nil }
      return fill.fastStoring(cells, store, into: output, tools)
    case .pass, .sumInput, .filterInput, .mix, .weigh, .halveWeighed:
      return store.fast(sources[0], into: output, tools)
    }
  }

  /// Returns the program of a single step.
  private func program(
    for step: Step, _ sources: [ImageSource<Int16>], into picture: ImageRows<Int16>
  ) -> RowProgram? {
    switch step.pass {
    case .load(let load): return load.fast(inputs[load.input], into: picture, tools)
    case .resample(let resample): return resample.fast(sources[0], into: picture, tools)
    case .convolve(let convolve):
      let blocks = step.target.flatMap { schedule.ending?.blocks[$0] }
      return convolve.fast(sources[0], into: picture, tools, blocks)
    case .colorMatrix(let matrix):
      return matrix.fast(sources[0], into: picture, tools) ?? referenceProgram(for: step)
    case .lumaCurve(let curve): return curve.fast(sources[0], into: picture, tools)
    case .displace(let displace):
      return displace.fast(sources[0], sources[1], into: picture) ?? referenceProgram(for: step)
    case .blend(let blend):
      return blend.fast(sources, into: picture, tools) ?? referenceProgram(for: step)
    case .packChannels(let pack): return pack.fast(sources[0], sources[1], into: picture, tools)
    case .generate(let generate):
      return generate.fast(into: picture, tools) ?? referenceProgram(for: step)
    case .stencil(let stencil):
      return stencil.fastDual(sources[0], into: picture, tools)
        ?? stencil.fastWhole(sources[0], into: picture, tools)
        ?? stencil.fast(sources[0], into: picture, tools)
    case .highlightWeight(let weight): return weight.fast(sources[0], into: picture, tools)
    case .median(let median):
      return median.fast(
        sources[0], into: picture, ofLevels: plan.holdsLevels(step.sources[0].slot), tools)
    case .cellMeans(let means): return means.fast(sources[0], into: picture, tools)
    case .cellFill(let fill): return fill.fast(sources[0], into: picture, tools)
    case .grain(let grain):
      return grain.fast(sources[0], into: picture, tools) ?? referenceProgram(for: step)
    case .gather(let gather):
      return gather.fast(sources[0], into: picture, tools) ?? referenceProgram(for: step)
    case .bilateral(let bilateral):
      return bilateral.fast(sources[0], into: picture, tools) ?? referenceProgram(for: step)
    case .store: return nil
    }
  }

  /// Returns the program that adds up an input's 8-bit samples.
  ///
  /// - Parameter source: the rows that loading them would make.
  private func summing(
    _ load: Load, _ input: InputRows, _ step: Step, _ source: ImageSource<Int16>,
    into picture: ImageRows<Int16>
  ) -> RowProgram? {
    switch step.pass {
    case .resample(let resample):
      let domain = source.rows.domain
      return input.format.layout == .rgba && load.alpha == .straight
        ? resample.fastHalving(straight: input, step.sources[0], domain, into: picture, tools)
        : resample.fastHalving(input, step.sources[0], domain, into: picture, tools)
    case .stencil(let stencil): return stencil.fastHalving(input, source, into: picture, tools)
    case .cellMeans(let means): return means.fast(input, into: picture, tools)
    default: return nil
    }
  }

  /// Returns the parts in which an image that is only halved is weighted; `nil` if it or its half does not show in this
  /// strip.
  private func weightedParts(_ weighing: Step, halvedBy halving: Int) -> WeightedParts? {
    let reader = plan.steps[halving]
    guard let slot = weighing.target, let (load, coverage) = plan.weightedLoad(slot),
      let rows = pictures[slot], case .resample(let resample) = reader.pass,
      let target = reader.target.flatMap({ pictures[$0] })
    else { return nil }
    let (present, read) = (rows.domain.columns, resample.x.sourceRange(for: target.domain.columns))
    return WeightedParts(
      load, coverage, rows.domain, reader.sources[0],
      reach: max(present.lowerBound - read.lowerBound, read.upperBound - present.upperBound, 0))
  }
}

extension RowStrip<Float> {
  /// Returns the program of an operation in floats.
  func floatProgram(for op: RowOp) -> RowProgram? {
    let step = plan.steps[op.step]
    return (tools.usesReference ? nil : fastProgram(for: step)) ?? wholeReferenceProgram(for: step)
  }

  /// Returns the vectorized program of a step; `nil` if its pass has only a reference kernel.
  private func fastProgram(for step: Step) -> RowProgram? {
    let sources = sources(of: step)
    guard let target = step.target else {
      guard case .store(let store) = step.pass else { return nil }
      return store.fast(sources[0], into: outputs[store.result], tools)
    }
    guard let picture = pictures[target] else { return nil }
    switch step.pass {
    case .load(let load): return load.fast(inputs[load.input], into: picture, tools)
    case .resample(let resample): return resample.fast(sources[0], into: picture, tools)
    case .convolve(let convolve): return convolve.fast(sources[0], into: picture, tools)
    case .colorMatrix(let matrix): return matrix.fast(sources[0], into: picture, tools)
    case .lumaCurve(let curve): return curve.fast(sources[0], into: picture)
    case .displace: return nil
    case .blend(let blend): return blend.floatFast(sources, into: picture, tools)
    case .packChannels(let pack): return pack.fast(sources[0], sources[1], into: picture)
    case .generate(let generate): return generate.fast(into: picture)
    case .stencil(let stencil): return stencil.fast(sources[0], into: picture, tools)
    case .grain(let grain): return grain.fast(sources[0], into: picture, tools)
    case .bilateral(let bilateral): return bilateral.fast(sources[0], into: picture, tools)
    case .median, .cellMeans, .cellFill, .gather, .highlightWeight, .store: return nil
    }
  }
}
