// Functions are named as the header names them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import CFrostglass
internal import FrostglassCPU
internal import FrostglassCore

/// Plans for images in planes with their engine.
final class PlanesPlan: CallersObject {
  static let name = "plan for planes"

  let plan: YCbCrPlan
  /// The runner with its memory, made by the first run. A forked process makes its own.
  private let running: PerProcess<Monitor<(any RunnablePlan)?>>
  private let engine: Engine

  init(
    _ text: String, _ planes: CheckedPlanes, _ options: PlanOptions, on engine: Engine
  ) throws {
    let size = planes.size
    let masks = MaskMemory(options.mask.map { [$0] } ?? [], for: size)
    try Self.check(masks.making, size, engine)
    plan = try FilterChain(text: text).plan(for: planes.format, size: size, options: options)
    let between = plan.toImage.reduce(0) { $0 + $1.resultBytes }
    let rows = (plan.toImage + plan.toPlanes).reduce(0) { $0 + engine.runner.memory(for: $1) }
    try Self.check(masks.made + between + rows, size, engine)
    self.engine = engine
    running = PerProcess { Monitor(nil) }
  }

  private static func check(_ memory: Int, _ size: Size, _ engine: Engine) throws {
    guard memory > engine.memoryLimit else { return }
    throw Failure(
      FG_TOO_LARGE,
      "an image of \(size) in planes takes \(ByteCount(memory)) beside itself; the limit is "
        + "\(ByteCount(engine.memoryLimit))")
  }

  /// Runs the plans on a caller's planes.
  fileprivate func run(
    _ input: UnsafePointer<fg_planes>?, _ output: UnsafePointer<fg_planes>?,
    _ options: UnsafePointer<fg_run_options>?
  ) throws {
    try Handles.all.checkNotCalling()
    let source = try CheckedPlanes(structure(input, "input's fg_planes"), "input")
    let target = try CheckedPlanes(structure(output, "output's fg_planes"), "output")
    for planes in [source, target] {
      guard planes.size == plan.size, planes.format == plan.format else {
        throw Failure(
          FG_BAD_IMAGE,
          "the \(planes.name) is \(planes.size), \(planes.format); the plan is for \(plan.size), "
            + "\(plan.format)")
      }
    }
    let (inputs, outputs) = (try source.images(), try target.images())
    for (index, made) in outputs.enumerated() {
      for other in inputs + outputs[..<index] { try made.checkApart(from: other) }
    }
    let io = PixelIO(inputs.map { .memory($0.source) }, to: outputs.map { .memory($0.target) })
    let ready = try running.value.change { run in
      let ready = try run ?? engine.runner.ready(plan)
      run = ready
      return ready
    }
    try Progress.run(io, options) { _ = try ready.runNow($0) }
  }
}

/// A caller's image in planes with checked numbers.
struct CheckedPlanes {
  let size: Size
  let format: YCbCrFormat
  /// The planes' name in messages.
  let name: String
  private let planes: fg_planes

  init(_ planes: fg_planes, _ name: String) throws {
    self.name = name
    self.planes = planes
    // Checked as an image, which has the same limits.
    var whole = fg_image()
    whole.struct_size = MemoryLayout<fg_image>.stride
    (whole.width, whole.height, whole.format) = (planes.width, planes.height, Int32(FG_GRAY8))
    size = try CheckedImage(describing: whole, name).description.size
    let layouts: [(YCbCrFormat.Bits, YCbCrFormat.Arrangement)] = [
      (.eight, .interleaved), (.eight, .separate), (.sixteen, .interleaved),
    ]
    guard layouts.indices.contains(Int(planes.layout) - 1) else {
      throw Failure(
        FG_BAD_ARGUMENT,
        "layout of the \(name) is \(planes.layout); it must be from 1 to \(layouts.count)")
    }
    let (bits, arrangement) = layouts[Int(planes.layout) - 1]
    format = YCbCrFormat(
      matrix: try choice(planes.matrix, "matrix", of: [.bt709, .bt601, .bt2020]),
      range: try choice(planes.full_range, "full_range", of: [.narrow, .full]),
      siting: try choice(planes.siting, "siting", of: [.left, .center, .topLeft]),
      bits: bits, arrangement: arrangement)
  }

  /// Returns the planes with their memory.
  fileprivate func images() throws -> [CheckedImage] {
    let data = [planes.data.0, planes.data.1, planes.data.2]
    let stride = [planes.stride.0, planes.stride.1, planes.stride.2]
    return try format.planes(of: size).enumerated().map { index, plane in
      var image = fg_image(plane, data[index])
      if stride[index] != 0 { image.stride = stride[index] }
      return try CheckedImage(image, "\(name)'s plane \(index)")
    }
  }
}

/// Creates a plan for planes: see the header.
@c(fg_planes_plan_create) @implementation
public func fg_planes_plan_create(
  _ engine: OpaquePointer?, _ filters: UnsafePointer<CChar>?,
  _ options: UnsafePointer<fg_plan_options>?, _ like: UnsafePointer<fg_planes>?,
  _ plan: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<CChar>?,
  _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    guard let plan else { throw Failure(FG_BAD_ARGUMENT, "the place for the plan is null") }
    plan.pointee = nil
    try Handles.all.checkNotCalling()
    let engine = try Handles.all.object(engine, Engine.self)
    guard let filters else { throw Failure(FG_BAD_ARGUMENT, "the text of filters is null") }
    let planes = try CheckedPlanes(structure(like, "fg_planes"), "picture")
    var chosen = PlanOptions()
    if let options {
      let given = try structure(options, "fg_plan_options")
      guard given.input == nil else {
        throw Failure(FG_BAD_ARGUMENT, "input of the fg_plan_options is not null; planes have none")
      }
      chosen = try PlanOptions(given, for: planes.size)
    }
    let made = try PlanesPlan(text(filters, "filters"), planes, chosen, on: engine)
    plan.pointee = Handles.all.add(made)
  }
}

/// Runs a plan for planes: see the header.
@c(fg_planes_plan_run) @implementation
public func fg_planes_plan_run(
  _ plan: OpaquePointer?, _ input: UnsafePointer<fg_planes>?, _ output: UnsafePointer<fg_planes>?,
  _ options: UnsafePointer<fg_run_options>?, _ error: UnsafeMutablePointer<CChar>?,
  _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    try Handles.all.object(plan, PlanesPlan.self).run(input, output, options)
  }
}

/// Frees a plan for planes: see the header.
@c(fg_planes_plan_free) @implementation
public func fg_planes_plan_free(_ plan: OpaquePointer?) -> fg_status {
  answering(nil, 0) { try Handles.all.remove(plan, PlanesPlan.self) }
}
