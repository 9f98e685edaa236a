// Functions are named as the header names them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import CFrostglass
internal import FrostglassCore
internal import Synchronization

/// A caller's progress callback, which may stop the run.
package struct Progress: Sendable {
  private let call: fg_progress
  /// The callback's argument, used by the calling thread.
  private nonisolated(unsafe) let context: UnsafeMutableRawPointer?

  /// - Returns: `nil` without a callback.
  package init?(_ options: UnsafePointer<fg_run_options>?) throws {
    guard let options else { return nil }
    let given = try structure(options, "fg_run_options")
    guard let call = given.progress else { return nil }
    self.call = call
    context = given.context
  }

  /// - Returns: true to go on.
  package func tell(_ done: Double) -> Bool { Handles.all.call { call(context, done) } == 0 }

  /// Runs `body` with progress. The callback or another thread may stop it.
  static func run(
    _ io: PixelIO, _ options: UnsafePointer<fg_run_options>?, _ body: (PixelIO) throws -> Void
  ) throws {
    guard let options else { return try body(io) }
    let context = try structure(options, "fg_run_options").context
    let progress = try Progress(options)
    var io = io
    let cancellation = Cancellation()
    io.cancellation = cancellation
    try Handles.all.running(context, cancellation) {
      guard let progress else { return try body(io) }
      io.progress = { done in
        // After a stop, the callback is not called again.
        if !cancellation.isCancelled, done < 1, !progress.tell(done) { cancellation.cancel() }
      }
      if !progress.tell(0) { cancellation.cancel() }
      try body(io)
      _ = progress.tell(1)
    }
  }
}

extension ReadyPlan {
  /// Runs the plan on a caller's images.
  fileprivate func run(
    _ input: UnsafePointer<fg_image>?, _ outputs: UnsafePointer<fg_image>?, _ count: Int,
    _ options: UnsafePointer<fg_run_options>?
  ) throws {
    try Handles.all.checkNotCalling()
    let source = try checked(input)
    guard let outputs else { throw Failure(FG_BAD_ARGUMENT, "the output's fg_image is null") }
    guard count == plan.results.count else {
      throw Failure(
        FG_BAD_ARGUMENT,
        "output_count is \(UInt(bitPattern: count)); the plan has \(plan.results.count)")
    }
    var targets: [CheckedImage] = []
    for (index, expected) in results.enumerated() {
      let name = plan.results.count == 1 ? "output" : "output \(index)"
      let target = try CheckedImage(structure(outputs + index, "\(name)'s fg_image"), name)
      try check(target, name, expected)
      if count > 1 || !target.isSame(as: source) { try target.checkApart(from: source) }
      for other in targets { try target.checkApart(from: other) }
      targets.append(target)
    }
    try Progress.run(places(source, targets), options) { try run($0) }
  }

  /// Returns a caller's input, which is as the plan's.
  func checked(_ input: UnsafePointer<fg_image>?) throws -> CheckedImage {
    let source = try CheckedImage(structure(input, "input's fg_image"), "input")
    guard source.description == plan.inputs[0] else {
      throw BackendError.inputMismatch(
        index: 0, expected: plan.inputs[0], got: source.description)
    }
    return source
  }

  /// Checks that a caller's output is as a result.
  func check(_ target: CheckedImage, _ name: String, _ expected: Plan.Input) throws {
    let got = target.description
    // Opaque images are straight as well.
    var straight = expected
    if expected.alpha == .opaque { straight.alpha = .straight }
    guard expected == got || straight == got else {
      throw Failure(
        FG_BAD_IMAGE,
        "the \(name) is \(got.size) \(got.format) \(got.alpha), \(got.transfer); the plan makes "
          + "\(expected.size) \(expected.format) \(expected.alpha), \(expected.transfer): "
          + remedy(expected, got))
    }
  }

  /// Returns the source and targets of a run, with their colors in the plan's order.
  private func places(_ source: CheckedImage, _ targets: [CheckedImage]) throws -> PixelIO {
    if source.order == .rgb || plan.treatsColorsAlike,
      targets.allSatisfy({ $0.order == source.order || $0.description.format.layout == .gray })
    {
      return PixelIO([.memory(source.source)], to: targets.map { .memory($0.target) })
    }
    // If an output is the input, all of it is read first.
    let isInPlace = targets.contains { $0.isSame(as: source) }
    // The backend gathers images whose rows are not used where they are.
    try checkMemory(
      withCopies: (isInPlace || source.order == .bgr ? plan.inputBytes : 0)
        + zip(targets, plan.results).reduce(0) { $0 + ($1.0.order == .bgr ? $1.1.bytes : 0) })
    return PixelIO(
      [
        isInPlace
          ? .image(try source.image()) : .memory(source.source, isBlueFirst: source.order == .bgr)
      ],
      to: zip(targets, plan.results).map {
        .memory($0.target, isBlueFirst: $0.order == .bgr, for: $1)
      })
  }

  /// Returns an output that would be accepted.
  private func remedy(_ expected: Plan.Input, _ got: Plan.Input) -> String {
    let words = "give it as fg_plan_describe says, with \(expected.headersNames(order))"
    let isTransparent =
      expected.format.layout.hasAlpha && expected.alpha != .opaque
      && (!got.format.layout.hasAlpha || got.alpha == .opaque)
    return isTransparent
      ? words + ", as the filters or a transparent edge make the image transparent" : words
  }
}

/// Stops the run once a flag is set: see the header.
@c(fg_stop_when_set) @implementation
public func fg_stop_when_set(_ flag: UnsafeMutableRawPointer?, _ done: Double) -> Int32 {
  guard let flag, UInt(bitPattern: flag) % UInt(MemoryLayout<Int32>.alignment) == 0 else {
    return 0
  }
  return flag.assumingMemoryBound(to: StopFlag.self).pointee.value.load(ordering: .relaxed)
}

/// Cancels runs by their context: see the header.
@c(fg_cancel) @implementation
public func fg_cancel(_ context: UnsafeMutableRawPointer?) -> Int {
  context.map { Handles.all.cancel($0) } ?? 0
}

/// A 32-bit integer that another thread sets.
private struct StopFlag: ~Copyable {
  let value: Atomic<Int32>
}

/// Runs a plan: see the header.
@c(fg_plan_run) @implementation
public func fg_plan_run(
  _ plan: OpaquePointer?, _ input: UnsafePointer<fg_image>?, _ outputs: UnsafePointer<fg_image>?,
  _ outputCount: Int, _ options: UnsafePointer<fg_run_options>?,
  _ error: UnsafeMutablePointer<CChar>?, _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    try Handles.all.object(plan, ReadyPlan.self).run(input, outputs, outputCount, options)
  }
}

/// Plans and runs at once: see the header.
@c(fg_apply) @implementation
public func fg_apply(
  _ engine: OpaquePointer?, _ filters: UnsafePointer<CChar>?, _ input: UnsafePointer<fg_image>?,
  _ output: UnsafePointer<fg_image>?, _ options: UnsafePointer<fg_run_options>?,
  _ error: UnsafeMutablePointer<CChar>?, _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    let engine = try Handles.all.object(engine, Engine.self)
    guard let filters else { throw Failure(FG_BAD_ARGUMENT, "the text of filters is null") }
    let image = try CheckedImage(describing: structure(input, "input's fg_image"), "input")
    let plan = try ReadyPlan(
      [text(filters, "filters")], image, PlanOptions(), on: engine)
    try plan.run(input, output, 1, options)
  }
}
