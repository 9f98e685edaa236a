// Functions are named as the header names them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import CFrostglass
internal import FrostglassCUDA
internal import FrostglassCore

extension ReadyPlan {
  /// Puts the plan's kernels into a stream of the images' device.
  fileprivate func run(
    _ input: UnsafePointer<fg_image>?, _ output: UnsafePointer<fg_image>?, _ stream: UInt
  ) throws {
    try Handles.all.checkNotCalling()
    guard plan.results.count == 1 else {
      throw Failure(
        FG_BAD_ARGUMENT, "the plan has \(plan.results.count) results; on a device it must have 1")
    }
    let source = try checked(input)
    let target = try CheckedImage(structure(output, "output's fg_image"), "output")
    try check(target, "output", results[0])
    try target.checkApart(from: source)
    guard source.order == target.order || source.description.format.layout == .gray else {
      throw Failure(FG_BAD_IMAGE, "input and output have colors in different orders")
    }
    for (image, name) in [(source, "input"), (target, "output")]
    where image.description.format.layout == .rgba {
      guard image.address % 4 == 0, image.pitch % 4 == 0 else {
        throw Failure(
          FG_BAD_IMAGE, "rows of the \(name) do not begin at a multiple of 4 bytes")
      }
    }
    do {
      // A plan that kernels do not serve is refused wherever there is no device, too.
      let plan = try device()
      try CUDABackend.shared().run(plan, from: source.onDevice, to: target.onDevice, stream: stream)
    } catch BackendError.failed(_, let what) {
      throw Failure(FG_BAD_IMAGE, what)
    } catch let error as BackendError where error.mayAnotherHelp {
      throw Failure(FG_UNAVAILABLE, "\(error)")
    }
  }
}

extension CheckedImage {
  fileprivate var onDevice: DeviceImage { DeviceImage(address: UInt64(address), pitch: pitch) }
}

/// Runs a plan on a device: see the header.
@c(fg_plan_run_device) @implementation
public func fg_plan_run_device(
  _ plan: OpaquePointer?, _ input: UnsafePointer<fg_image>?, _ output: UnsafePointer<fg_image>?,
  _ stream: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<CChar>?, _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    try Handles.all.object(plan, ReadyPlan.self).run(input, output, UInt(bitPattern: stream))
  }
}

/// Plans and runs on a device at once: see the header.
@c(fg_apply_device) @implementation
public func fg_apply_device(
  _ engine: OpaquePointer?, _ filters: UnsafePointer<CChar>?, _ input: UnsafePointer<fg_image>?,
  _ output: UnsafePointer<fg_image>?, _ stream: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<CChar>?, _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    let engine = try Handles.all.object(engine, Engine.self)
    guard let filters else { throw Failure(FG_BAD_ARGUMENT, "the text of filters is null") }
    let image = try CheckedImage(describing: structure(input, "input's fg_image"), "input")
    let plan = try ReadyPlan([text(filters, "filters")], image, PlanOptions(), on: engine)
    try plan.run(input, output, UInt(bitPattern: stream))
  }
}
