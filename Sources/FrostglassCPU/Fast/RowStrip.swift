internal import CKernels
internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// Makes some rows of one stage's picture, keeping of each picture on the way only its last rows.
struct RowStrip<Sample: RowSample> {
  let plan: Plan
  /// What is computed when.
  let schedule: RowSchedule
  let tools: RowTools
  let inputs: [InputRows]
  /// For each result, where its rows go.
  let outputs: [OutputRows]
  /// For each slot, its rows; `nil` where it takes no part.
  private(set) var pictures: [PictureRows<Sample>?]
  /// How the plan ends, where fixed point has that in one.
  let ending: MaskedEnding?
  private let transparent: UnsafePointer<Sample>

  /// - Parameters:
  ///   - complete: pictures whose rows are there or shared with other strips.
  ///   - isShared: whether other strips get the pictures of this one.
  init(
    _ plan: Plan, _ schedule: RowSchedule, complete: [PictureRows<Sample>?],
    isShared: Bool = false, _ inputs: [InputRows], _ outputs: [OutputRows], _ tools: RowTools
  ) {
    self.plan = plan
    self.inputs = inputs
    self.outputs = outputs
    self.tools = tools
    self.schedule = schedule
    ending = schedule.ending?.masked
    transparent = Self.transparentRow(plan, tools)
    pictures = complete
    func rows(of slot: Int, _ rows: Range<Int>, capacity: Int) -> PictureRows<Sample> {
      PictureRows(
        domain: Rect(columns: plan.slots[slot].domain.columns, rows: rows),
        layout: plan.slots[slot].layout, capacity: capacity, isShared: isShared, in: tools.memory)
    }
    if Sample.mixesInPlace, !isShared, !tools.usesReference {
      for ring in schedule.rings where ring.slots.allSatisfy({ complete[$0] == nil }) {
        let made = rows(of: ring.slots[0], ring.rows, capacity: ring.capacity)
        for slot in ring.slots { pictures[slot] = made }
      }
    }
    for slot in plan.slots.indices where pictures[slot] == nil && !schedule.rows[slot].isEmpty {
      pictures[slot] = rows(of: slot, schedule.rows[slot], capacity: schedule.capacity[slot])
    }
  }

  /// Makes all rows, or those before it was cancelled; none where there is no memory for them.
  func run() {
    let programs = programs
    guard tools.memory.isThere else { return }
    for band in schedule.bands {
      if tools.current.isCancelled { return }
      programs[band.step]?(band.rows)
    }
  }

  /// What computes each step of the schedule; `nil` where the next step does it on the way.
  var programs: [RowProgram?] { programs { _ in true } }

  /// The same for some steps; `nil` for all others.
  func programs(_ areMade: (Step) -> Bool) -> [RowProgram?] {
    schedule.steps.map { index in
      let step = plan.steps[index]
      return areMade(step) ? Sample.program(for: step, of: self) : nil
    }
  }

  /// The pictures that a step reads. For one that does not show in this strip and is not there,
  /// another stands in, which is not read.
  func sources(of step: Step) -> [PictureSource<Sample>] {
    let present = step.sources.compactMap { pictures[$0.slot] }.first
    return step.sources.compactMap { source in
      (pictures[source.slot] ?? present).map { self.source(source, of: $0) }
    }
  }

  /// A picture as a step sees it.
  func source(_ source: Source, of rows: PictureRows<Sample>) -> PictureSource<Sample> {
    PictureSource(rows: rows, source: source, transparent: transparent)
  }

  private static func transparentRow(_ plan: Plan, _ tools: RowTools) -> UnsafePointer<Sample> {
    let samples = plan.slots.map { $0.domain.width * 4 }.max() ?? 0
    return UnsafePointer(tools.scratch(samples, of: .transparent))
  }
}

/// One step of a plan made ready: computes the given rows of its target, the lowest first.
typealias RowProgram = (Range<Int>) -> Void

/// The run that programs are working on, of which there may be one after another.
final class CurrentRun: @unchecked Sendable {
  /// Counts runs.
  private(set) var number = 0
  /// What ends it early.
  private var cancellation: Cancellation?
  /// Told how much is done.
  private var watch: Watch?
  /// Bands of all strips.
  private var bands = 0
  private let done = Atomic(0)

  /// Who wants to know how much is done, and in which thread.
  private struct Watch {
    let thread: pthread_t
    let tell: (Double) -> Void
  }

  init(_ cancellation: Cancellation? = nil) { self.cancellation = cancellation }

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

/// What a step is made ready with.
struct RowTools {
  let kernels: fg_row_kernels
  /// Whether every pass runs on its reference kernel.
  let usesReference: Bool
  /// Where scratch rows come from.
  let memory: RowMemory
  /// Who shares the rows of a pass that is slow and needs all it reads in one place; `nil` where rows
  /// are shared otherwise.
  var workers: Workers?
  /// The run that goes on.
  let current: CurrentRun
  /// Whether this is the first of several strips that make parts of the same rows: the only one that has
  /// what shares its rows itself.
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
  /// What computes a step: in fixed point, or where a pass has no such kernel with its reference
  /// kernel; `nil` where the next step does it on the way.
  func fixedProgram(for step: Step) -> RowProgram? {
    let sources = sources(of: step)
    guard let target = step.target else {
      guard case .store(let store) = step.pass else { return nil }
      if let ending { return storing(ending, into: outputs[store.result]) }
      if let (resample, grown) = growing(into: store, step.sources[0].slot) {
        if store.alpha == .straight {
          return resample.fastStoring(straight: grown, store, into: outputs[store.result], tools)
        }
        return resample.fastStoring(grown, store, into: outputs[store.result], tools)
      }
      if let source = growingDual(step.sources[0].slot) {
        return DualGrowth(source, outputs[store.result].rect.columns, tools)
          .storing(into: outputs[store.result])
      }
      if let convolve = plan.convolving(into: store, step.sources[0].slot, ending),
        let source = plan.step(making: step.sources[0].slot).flatMap({ self.sources(of: $0).first })
      {
        return convolve.fastStoring(
          source, sources[0].rows, store, into: outputs[store.result], tools)
      }
      if let (fill, cells) = filling(store, step.sources[0].slot) {
        return fill.fastStoring(cells, store, into: outputs[store.result], tools)
      }
      return store.fast(sources[0], into: outputs[store.result], tools)
    }
    guard let picture = pictures[target] else { return nil }
    if let ending, ending.makes(target, of: plan) { return nil }
    switch step.pass {
    case .load(let load):
      return plan.isOnlyHalved(target, load, ending) || plan.isOnlyConvolved(target, ending)
        ? nil : load.fast(inputs[load.input], into: picture, tools)
    case .resample(let resample):
      if let load = loading(step.sources[0].slot),
        plan.isOnlyHalved(step.sources[0].slot, load, ending)
      {
        let (input, domain) = (inputs[load.input], sources[0].rows.domain)
        return input.format.layout == .rgba && load.alpha == .straight
          ? resample.fastHalving(
            straight: input, step.sources[0], domain, into: picture, tools)
          : resample.fastHalving(input, step.sources[0], domain, into: picture, tools)
      }
      if plan.isOnlyGrown(target) { return nil }
      if let parts = weightedParts(step.sources[0].slot) {
        return resample.fastHalving(
          inputs[parts.load.input], sources[0], parts, into: picture, tools)
      }
      return resample.fast(sources[0], into: picture, tools)
    case .convolve(let convolve):
      if let reader = plan.readers(of: target).first, case .store(let store) = reader.pass,
        plan.convolving(into: store, target, ending) != nil
      {
        return nil
      }
      if let load = loading(step.sources[0].slot),
        plan.isOnlyConvolved(step.sources[0].slot, ending)
      {
        return convolve.fast(load, inputs[load.input], sources[0], into: picture, tools)
      }
      return convolve.fast(sources[0], into: picture, tools, schedule.ending?.blocks[target])
    case .colorMatrix(let matrix):
      return matrix.fast(sources[0], into: picture, tools) ?? referenceProgram(for: step)
    case .lumaCurve(let curve): return curve.fast(sources[0], into: picture, tools)
    case .displace(let displace):
      return displace.fast(sources[0], sources[1], into: picture) ?? referenceProgram(for: step)
    case .blend(let blend):
      if blend.mode == .multiply, let coverage = plan.coverage(of: step.sources[1].slot) {
        let load = loading(step.sources[0].slot).flatMap { load in
          plan.isOnlyHalved(step.sources[0].slot, load, ending) ? load : nil
        }
        let input = load.map { LoadedRows($0, inputs[$0.input], tools) }
        let weighted = blend.weighted(
          sources[0], input, by: coverage, into: picture, tools, weightedParts(target))
        if let weighted { return weighted }
      }
      if let coverage = plan.coverageMixing(step) {
        return blend.masked(sources, by: coverage, into: picture, tools)
      }
      return blend.fast(sources, into: picture, tools) ?? referenceProgram(for: step)
    case .packChannels(let pack): return pack.fast(sources[0], sources[1], into: picture, tools)
    case .generate(let generate):
      // Unless it is what this strip is there for, as a stage of a picture.
      if plan.isOnlyCovered(target), !schedule.makes(target, plan) { return nil }
      return generate.fast(into: picture, tools) ?? referenceProgram(for: step)
    case .stencil(let stencil):
      if plan.isOnlyGrown(target) { return nil }
      if let load = loading(step.sources[0].slot),
        plan.isOnlyHalved(step.sources[0].slot, load, ending)
      {
        return stencil.fastHalving(inputs[load.input], sources[0], into: picture, tools)
      }
      return stencil.fastDual(sources[0], into: picture, tools)
        ?? stencil.fastWhole(sources[0], into: picture, tools)
        ?? stencil.fast(sources[0], into: picture, tools)
    case .highlightWeight(let weight): return weight.fast(sources[0], into: picture, tools)
    case .median(let median):
      return median.fast(
        sources[0], into: picture, ofLevels: plan.holdsLevels(step.sources[0].slot), tools)
    case .cellMeans(let means):
      if let load = loading(step.sources[0].slot),
        plan.isOnlyHalved(step.sources[0].slot, load, ending)
      {
        return means.fast(inputs[load.input], into: picture, tools)
      }
      return means.fast(sources[0], into: picture, tools)
    case .cellFill(let fill):
      return plan.isOnlyFilled(target) ? nil : fill.fast(sources[0], into: picture, tools)
    case .grain(let grain):
      return grain.fast(sources[0], into: picture, tools) ?? referenceProgram(for: step)
    case .gather(let gather):
      return gather.fast(sources[0], into: picture, tools) ?? referenceProgram(for: step)
    case .bilateral(let bilateral):
      return bilateral.fast(sources[0], into: picture, tools) ?? referenceProgram(for: step)
    case .store: return nil
    }
  }

  /// Where a picture is weighted that is halved and not read otherwise; `nil` for any other.
  private func weightedParts(_ slot: Int) -> WeightedParts? {
    guard case .blend? = plan.step(making: slot)?.pass,
      let (load, coverage) = plan.weightedLoad(slot), let rows = pictures[slot],
      let reader = plan.readers(of: slot).first, plan.readers(of: slot).count == 1,
      case .resample(let resample) = reader.pass,
      let target = reader.target.flatMap({ pictures[$0] })
    else { return nil }
    let (present, read) = (rows.domain.columns, resample.x.sourceRange(for: target.domain.columns))
    return WeightedParts(
      load, coverage, rows.domain, reader.sources[0],
      reach: max(present.lowerBound - read.lowerBound, read.upperBound - present.upperBound, 0))
  }

  /// The load that makes a slot.
  private func loading(_ slot: Int) -> Load? {
    if case .load(let load)? = plan.step(making: slot)?.pass { load } else { nil }
  }

  /// What dual Kawase's growing reads that a store can do on the way.
  private func growingDual(_ slot: Int) -> PictureSource<Int16>? {
    guard plan.isOnlyGrown(slot), let step = plan.step(making: slot), case .stencil = step.pass
    else { return nil }
    return sources(of: step).first
  }

  /// The growing that a store can do on the way, with its source.
  private func growing(into store: Store, _ slot: Int) -> (Resample, PictureSource<Int16>)? {
    guard plan.isOnlyGrown(slot), let step = plan.step(making: slot),
      case .resample(let resample) = step.pass, let source = sources(of: step).first
    else { return nil }
    return (resample, source)
  }
}

extension RowStrip<Int16> {
  /// The cells whose pixels a store can take as they are, with what hands them on.
  private func filling(_ store: Store, _ slot: Int) -> (CellFill, PictureSource<Int16>)? {
    guard plan.isOnlyFilled(slot), let step = plan.step(making: slot),
      case .cellFill(let fill) = step.pass, let source = sources(of: step).first
    else { return nil }
    return (fill, source)
  }
}

extension RowStrip<Float> {
  /// What computes a step in floats.
  func floatProgram(for step: Step) -> RowProgram? {
    (tools.usesReference ? nil : fastProgram(for: step)) ?? wholeReferenceProgram(for: step)
  }

  /// What computes a step with vectors; `nil` where a pass has only its reference kernel.
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

// Steps that the fixed-point kernels do together with the next, rounding nothing between.
extension Plan {
  /// Whether a loaded picture is 8-bit rows as they are, or with straight alpha, and read by nothing but
  /// what takes these rows itself: halving, means of cells, a plan's ending, and what weighs them for it.
  fileprivate func isOnlyHalved(_ slot: Int, _ load: Load, _ ending: MaskedEnding?) -> Bool {
    guard !roundsBetweenSteps else { return false }
    let format = inputs[load.input].format
    let isStraight = format.layout == .rgba && load.alpha == .straight
    guard format.depth == .uint8, format.layout == slots[slot].layout,
      !(isStraight && ending != nil)
    else { return false }
    return steps.allSatisfy { step in
      guard step.sources.contains(where: { $0.slot == slot }) else { return true }
      if let ending, ending.load == load, let target = step.target {
        if target == ending.layers[0].target { return ending.layers[0].slot != slot }
        // What is like the input takes its rows itself, too, and so does what weighs it.
        if ending.layers[0].normalizes, ending.layers[0].growth != nil {
          if target == ending.layers[0].slot { return true }
          if multipliesByCoverage(step), step.sources.allSatisfy({ $0.x == nil && $0.y == nil }) {
            return true
          }
        }
      }
      switch step.pass {
      case .resample(let resample): return resample.halvesBoth
      case .stencil(let stencil):
        return format.layout == .rgba && !isStraight && stencil.isDualHalving
      case .cellMeans: return format.layout != .rgb && !isStraight
      default: return false
      }
    }
  }

  /// What the mask is made of through which a step shows a picture; `nil` where it is a picture, too.
  fileprivate func coverageMixing(_ step: Step) -> Coverage? {
    guard !roundsBetweenSteps, case .blend(let blend) = step.pass, blend.mode == .masked,
      step.sources[2].x == nil, step.sources[2].y == nil
    else { return nil }
    return coverage(of: step.sources[2].slot)
  }

  /// Whether a mask's picture need not be made, as all that is made of it takes what it covers.
  fileprivate func isOnlyCovered(_ slot: Int) -> Bool {
    guard coverage(of: slot) != nil else { return false }
    return readers(of: slot).allSatisfy { step in
      step.sources.dropLast().allSatisfy { $0.slot != slot }
        && (coverageMixing(step) != nil || multipliesByCoverage(step))
    }
  }

  /// Whether a picture of filled cells is stored as it is and read by nothing else.
  fileprivate func isOnlyFilled(_ slot: Int) -> Bool {
    guard !roundsBetweenSteps, let making = step(making: slot), case .cellFill = making.pass,
      readers(of: slot).count == 1, case .store(let store) = readers(of: slot)[0].pass,
      store.background == nil
    else { return false }
    return Int16.channels(of: slots[slot].layout) == Int16.channels(of: store.format.layout)
  }

  /// Whether a grown picture is stored as it is and read by nothing else.
  fileprivate func isOnlyGrown(_ slot: Int) -> Bool {
    guard !roundsBetweenSteps else { return false }
    let readers = readers(of: slot)
    guard readers.count == 1, case .store(let store) = readers[0].pass,
      store.format.layout == slots[slot].layout
    else { return false }
    switch step(making: slot)?.pass {
    case .resample(let resample):
      return resample.isFastStoring(store) || resample.isFastStoring(straight: store)
    case .stencil(let stencil): return stencil.isFastStoring(store)
    default: return false
    }
  }
}
