// Functions are named as the header names them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import CFrostglass
internal import FrostglassCPU
internal import FrostglassCUDA
package import FrostglassCore

/// A plan with its engine.
final class ReadyPlan: CallersObject {
  static let name = "plan"

  let plan: Plan
  /// The descriptions of outputs; opaque for opaque inputs if no filter makes them transparent.
  let results: [Plan.Input]
  /// The order of colors in descriptions of outputs; runs accept any order.
  let order: ChannelOrder
  /// The memory of a run on images as described, with the plan's mask images, or of making those if that is more, in
  /// bytes.
  let memory: Int
  /// The memory of a run that copies no image, in bytes.
  private let leastMemory: Int
  /// The runner with its memory, made by the first run. A forked process makes its own.
  private let running: PerProcess<Monitor<(any RunnablePlan)?>>
  private let engine: Engine
  /// The kernels for images on a device, found by the first run there.
  private let kernels = Monitor<DevicePlan?>(nil)

  /// - Parameter texts: filters, one text for each result.
  init(
    _ texts: [String], _ image: CheckedImage, _ options: PlanOptions, on engine: Engine
  ) throws {
    let input = image.description
    order = image.order
    let chains = try texts.map { try FilterChain(text: $0) }
    let masks = MaskMemory(
      Array(repeating: options.mask, count: texts.count).compactMap { $0 }, for: input.size)
    if masks.making > engine.memoryLimit {
      // Planning would make the masks. The message includes the memory of a run, so that callers need not ask twice.
      var outlined = options
      outlined.mask = options.mask?.withoutImages
      let others = try engine.runner.memory(for: Self.plan(chains, input, outlined))
      throw Self.tooLarge(input.size, max(masks.making, masks.made + 9 * others / 8), engine)
    }
    plan = try Self.plan(chains, input, options)
    results = try Self.results(of: plan, chains, input, options)
    let reordered =
      order == .rgb || plan.treatsColorsAlike
      ? 0 : plan.inputBytes + plan.resultBytes
    leastMemory = masks.made + engine.runner.memory(for: plan)
    memory = max(masks.making, leastMemory + reordered)
    guard memory <= engine.memoryLimit else { throw Self.tooLarge(input.size, memory, engine) }
    self.engine = engine
    running = PerProcess { Monitor(nil) }
  }

  private static func plan(
    _ chains: [FilterChain], _ input: Plan.Input, _ options: PlanOptions
  ) throws -> Plan {
    let plans = try chains.map { try $0.plan(for: input, options: options) }
    return plans.count == 1 ? plans[0] : try Plan(joining: plans)
  }

  /// Describes a plan's results.
  ///
  /// A plan keeps the fourth channel of opaque images. The channel stays opaque if the same filters add no alpha
  /// to an image without it.
  private static func results(
    of plan: Plan, _ chains: [FilterChain], _ input: Plan.Input, _ options: PlanOptions
  ) throws -> [Plan.Input] {
    var results = plan.results.map { Plan.Input($0) }
    guard input.alpha == .opaque, input.format.layout.hasAlpha else { return results }
    var options = options
    options.mask = nil
    let opaque = Plan.Input(
      size: input.size, format: PixelFormat(.rgb, input.format.depth), alpha: .opaque,
      transfer: input.transfer)
    let made = try Self.plan(chains, opaque, options)
    for (index, result) in made.results.enumerated() where !result.format.layout.hasAlpha {
      results[index].alpha = .opaque
    }
    return results
  }

  private static func tooLarge(_ size: Size, _ memory: Int, _ engine: Engine) -> Failure {
    Failure(
      FG_TOO_LARGE,
      "an image of \(size) takes \(ByteCount(memory)) beside itself; the limit is "
        + "\(ByteCount(engine.memoryLimit))")
  }

  /// Checks the memory of a run that copies images, as it exchanges their colors.
  ///
  /// - Throws: `FG_TOO_LARGE` if that is more than the engine's limit.
  func checkMemory(withCopies bytes: Int) throws {
    guard leastMemory + bytes > engine.memoryLimit else { return }
    throw Self.tooLarge(plan.inputs[0].size, leastMemory + bytes, engine)
  }

  /// Runs the plan in this thread and the engine's.
  func run(_ io: PixelIO) throws {
    _ = try prepared().runNow(io)
  }

  /// Returns the kernels for images on a device.
  func device() throws -> DevicePlan {
    try kernels.change { kernels in
      let made = try kernels ?? DevicePlan(plan)
      kernels = made
      return made
    }
  }

  private func prepared() throws -> any RunnablePlan {
    try running.value.change { run in
      let ready = try run ?? engine.runner.ready(plan)
      run = ready
      return ready
    }
  }
}

extension PlanOptions {
  /// Reads a plan's options for images of a size, which mask images must have.
  package init(_ options: fg_plan_options, for size: Size) throws {
    self.init(
      edge: try choice(
        options.edge, "edge", of: [.clamp, .mirror, .wrap, .transparent, .reflect101]),
      quality: try choice(options.quality, "quality", of: [.high, .fast, .exact16]),
      linearLight: try choice(options.linear_light, "linear_light", of: [false, true]),
      scale: options.scale == 0 ? 1 : options.scale)
    guard options.reserved == 0 else {
      throw Failure(FG_BAD_ARGUMENT, "reserved of the fg_plan_options is not 0")
    }
    if let given = options.mask { mask = try Mask(structure(given, "fg_mask"), for: size) }
  }
}

/// Creates a plan: see the header.
@c(fg_plan_create) @implementation
public func fg_plan_create(
  _ engine: OpaquePointer?, _ filters: UnsafePointer<UnsafePointer<CChar>?>?, _ filterCount: Int,
  _ options: UnsafePointer<fg_plan_options>?, _ plan: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<CChar>?, _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    guard let plan else { throw Failure(FG_BAD_ARGUMENT, "the place for the plan is null") }
    plan.pointee = nil
    try Handles.all.checkNotCalling()
    let engine = try Handles.all.object(engine, Engine.self)
    guard let filters else { throw Failure(FG_BAD_ARGUMENT, "the list of filters is null") }
    guard (1...64).contains(filterCount) else {
      throw Failure(
        FG_BAD_ARGUMENT,
        "filter_count is \(UInt(bitPattern: filterCount)); it must be from 1 to 64")
    }
    var texts: [String] = []
    for index in 0..<filterCount {
      guard let start = filters[index] else {
        throw Failure(FG_BAD_ARGUMENT, "the text of filters with number \(index) is null")
      }
      texts.append(try text(start, "filters"))
    }
    let given = try structure(options, "fg_plan_options")
    let input = try CheckedImage(describing: structure(given.input, "fg_image"), "input")
    let made = try ReadyPlan(
      texts, input, PlanOptions(given, for: input.description.size), on: engine)
    plan.pointee = Handles.all.add(made)
  }
}

/// Frees a plan: see the header.
@c(fg_plan_free) @implementation
public func fg_plan_free(_ plan: OpaquePointer?) -> fg_status {
  answering(nil, 0) { try Handles.all.remove(plan, ReadyPlan.self) }
}

/// Describes a plan's result: see the header.
@c(fg_plan_describe) @implementation
public func fg_plan_describe(
  _ plan: OpaquePointer?, _ result: Int, _ info: UnsafeMutablePointer<fg_plan_info>?,
  _ error: UnsafeMutablePointer<CChar>?, _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    let ready = try Handles.all.object(plan, ReadyPlan.self)
    _ = try structure(info.map { UnsafePointer($0) }, "fg_plan_info")
    guard ready.plan.results.indices.contains(result) else {
      throw Failure(
        FG_BAD_ARGUMENT,
        "result is \(UInt(bitPattern: result)); the plan has \(ready.plan.results.count)")
    }
    let certified = ready.plan.results[result].certifiedError
    info?.pointee = fg_plan_info(
      struct_size: MemoryLayout<fg_plan_info>.stride,
      result: fg_image(ready.results[result], nil, order: ready.order),
      results: ready.plan.results.count, certified_error: certified.total,
      kernel_error: certified.kernel, model_error: certified.model,
      arithmetic_error: certified.arithmetic, memory: Int64(ready.memory),
      multiply_adds: ready.plan.multiplyAddsPerPixel)
  }
}

/// Writes a readable plan: see the header.
@c(fg_plan_text) @implementation
public func fg_plan_text(
  _ plan: OpaquePointer?, _ text: UnsafeMutablePointer<CChar>?, _ size: Int,
  _ needed: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<CChar>?, _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    try TextRoom(text, size).write("\(Handles.all.object(plan, ReadyPlan.self).plan)", needed)
  }
}
