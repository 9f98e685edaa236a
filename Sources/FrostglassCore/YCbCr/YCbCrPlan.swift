/// Everything that will happen to a picture in planes: plans that run one after another.
///
/// Where filters work on each plane by itself, there is one for each, which takes that plane and gives
/// the new one; it can be run like any other. Else the filtered picture in red, green and blue, 16
/// bits each, is in between, from which every plane is made. `FilterChain.plan(for:size:)` makes it,
/// and a `Backend` runs it.
public struct YCbCrPlan: Sendable, Hashable {
  /// Width and height of the picture in pixels.
  public let size: Size
  /// How pixels are laid out in the planes, of input and result alike.
  public let format: YCbCrFormat
  /// From the planes to the filtered picture: the first takes the planes, each other one what the
  /// one before it gives. One or, in linear light, two; none where each plane is made of itself.
  public let toPicture: [Plan]
  /// From the filtered picture, or from the plane itself, to each plane.
  public let toPlanes: [Plan]
  /// Of each plane what can differ from the plane that came in, if anything.
  package let parts: [Rect?]

  init(size: Size, format: YCbCrFormat, toPicture: [Plan]) {
    self.size = size
    self.format = format
    self.toPicture = toPicture
    toPlanes = format.planes(of: size).indices.map { index in
      Plan(plane: index, of: format, from: YCbCrPlan.picture(of: size))
    }
    parts = toPlanes.map(\.result.rect)
  }

  /// Each plane by itself.
  init(size: Size, format: YCbCrFormat, toPlanes: [Plan], parts: [Rect?]) {
    self.size = size
    self.format = format
    toPicture = []
    self.toPlanes = toPlanes
    self.parts = parts
  }

  /// Whether each plane is made of itself alone.
  public var isByPlanes: Bool { toPicture.isEmpty }
  /// What runs first.
  package var first: Plan { toPicture.first ?? toPlanes[0] }

  /// What is in between.
  static func picture(of size: Size) -> Plan.Input {
    Plan.Input(
      size: size, format: PixelFormat(.rgb, .uint16), alpha: .opaque, transfer: .encoded)
  }

  /// Checks every plan.
  ///
  /// - Throws: `PlanError`, as `Plan.validate(for:)` does.
  package func validate(for limits: PlanLimits) throws(PlanError) {
    for plan in toPicture + toPlanes { try plan.validate(for: limits) }
  }

  /// Checks that a picture is one that the plans were made for.
  ///
  /// - Throws: `BackendError.failed`, which names both.
  public func check(_ picture: YCbCrPicture) throws(BackendError) {
    guard picture.size == size, picture.format == format else {
      throw .failed(
        backend: "any",
        what: "the picture is \(picture.size), \(picture.format); the plan was made for "
          + "\(size), \(format)")
    }
  }
}

extension YCbCrPlan: CustomStringConvertible {
  /// The plans for people, one after another.
  public var description: String {
    let names = format.planeNames.map { isByPlanes ? "plane \($0)" : "to plane \($0)" }
    return zip(
      ["to the picture", "in the picture"].prefix(toPicture.count) + names,
      toPicture + toPlanes
    ).map { "\($0):\n\($1)" }.joined(separator: "\n\n")
  }
}

extension Backend {
  /// Runs the plan on a picture.
  ///
  /// - Throws: `BackendError`.
  public func run(
    _ plan: YCbCrPlan, _ picture: YCbCrPicture, recovered: @escaping @Sendable (Recovery) -> Void
  ) async throws(BackendError) -> YCbCrPicture {
    try await runOneByOne(plan, picture, recovered: recovered)
  }

  /// Runs the plans for a picture in planes.
  ///
  /// - Parameter picture: of the size and format that they were made for.
  /// - Returns: a picture of the same size and format.
  public func execute(
    _ plan: YCbCrPlan, _ picture: YCbCrPicture
  ) async throws(BackendError) -> YCbCrPicture {
    try await run(plan, picture) { _ in }
  }

  /// Runs every plan on images in memory.
  package func runOneByOne(
    _ plan: YCbCrPlan, _ picture: YCbCrPicture, recovered: @escaping @Sendable (Recovery) -> Void
  ) async throws(BackendError) -> YCbCrPicture {
    try plan.check(picture)
    var images = picture.planes
    for step in plan.toPicture { images = [try await execute(step, images, recovered: recovered)] }
    var planes: [Image] = []
    for (index, step) in plan.toPlanes.enumerated() {
      let inputs = plan.isByPlanes ? [picture.planes[index]] : images
      planes.append(try await execute(step, inputs, recovered: recovered))
    }
    return try plan.picture(of: planes)
  }
}

extension YCbCrPlan {
  /// The planes that the plans have made, as a picture.
  package func picture(of planes: [Image]) throws(BackendError) -> YCbCrPicture {
    do {
      return try YCbCrPicture(size: size, format: format, planes: planes)
    } catch {
      throw .failed(backend: "any", what: "\(error)")
    }
  }
}

/// A picture in planes of brightness and color differences, in memory.
public struct YCbCrPicture: Sendable {
  /// Width and height of the picture in pixels; color planes may have fewer.
  public let size: Size
  /// How pixels are laid out in the planes.
  public let format: YCbCrFormat
  /// As `format.planes(of: size)` describes them.
  public let planes: [Image]

  /// Puts planes together.
  ///
  /// - Parameter planes: brightness first, then blue and red differences or both in one; images of
  ///   codes, with any distance between rows.
  /// - Throws: `YCbCrError` when there are too few or too many, or when one is not as
  ///   `format.planes(of: size)` has it.
  public init(size: Size, format: YCbCrFormat, planes: [Image]) throws(YCbCrError) {
    let accepted = format.planes(of: size)
    guard planes.count == accepted.count else {
      throw .planeCount(planes.count, needed: accepted.count)
    }
    for (index, plane) in planes.enumerated() where Plan.Input(plane) != accepted[index] {
      throw .plane(format.planeNames[index], got: Plan.Input(plane), accepted: accepted[index])
    }
    self.size = size
    self.format = format
    self.planes = planes
  }
}

/// Why images are not the planes of a picture.
public enum YCbCrError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There are not as many planes as the format has.
  case planeCount(Int, needed: Int)
  /// The name of a plane, what it is and what it would have to be.
  case plane(String, got: Plan.Input, accepted: Plan.Input)

  /// What happened, in words for the one who asked for it.
  public var description: String {
    switch self {
    case .planeCount(let count, let needed):
      "\(count) planes; this format has \(needed)"
    case .plane(let name, let got, let accepted):
      "the plane \(name) is \(got.size) \(got.format), \(got.transfer); it must be "
        + "\(accepted.size) \(accepted.format), \(accepted.transfer)"
    }
  }
}

/// The plans for a picture in planes, which a backend has made ready to be run on frame after frame.
public protocol PreparedYCbCrPlan: Sendable {
  var plan: YCbCrPlan { get }

  /// Runs the plans from the caller's memory to the caller's memory, with the bytes that
  /// `Backend.run(_:_:recovered:)` gives.
  ///
  /// - Parameters:
  ///   - planes: as `plan.format.planes(of: plan.size)` describes them, in order.
  ///   - results: other memory, for as many planes described alike.
  /// - Throws: `BackendError`; then the results hold nothing of use.
  func run(
    _ planes: [PixelMemory], into results: [MutablePixelMemory], cancellation: Cancellation?
  ) async throws(BackendError) -> RunReport
}

extension Backend {
  /// Run each time as the first time, on copies.
  public func prepare(_ plan: YCbCrPlan) throws(BackendError) -> any PreparedYCbCrPlan {
    YCbCrPlanWithBackend(plan: plan, backend: self)
  }
}

extension YCbCrPlan {
  /// Checks that planes are the ones that the plans were made for, and that there is room for results.
  package func check(
    _ planes: [PixelMemory], _ results: [MutablePixelMemory]
  ) throws(BackendError) {
    let described = format.planes(of: size)
    guard planes.count == described.count, results.count == described.count else {
      throw .failed(
        backend: "any",
        what: "\(planes.count) planes and memory for \(results.count); this format has "
          + "\(described.count)")
    }
    for (index, plane) in planes.enumerated() { try plane.check(described[index], index) }
    for (result, plan) in zip(results, toPlanes) { try result.check(plan.result) }
  }
}

private struct YCbCrPlanWithBackend: PreparedYCbCrPlan {
  let plan: YCbCrPlan
  let backend: any Backend
  private let callers = ThreadPool()

  init(plan: YCbCrPlan, backend: any Backend) {
    self.plan = plan
    self.backend = backend
  }

  func run(
    _ planes: [PixelMemory], into results: [MutablePixelMemory], cancellation: Cancellation?
  ) async throws(BackendError) -> RunReport {
    try plan.check(planes, results)
    let picture = try await callers.run { () throws(BackendError) in
      var images: [Image] = []
      for plane in planes {
        let image = try PixelInput.memory(plane).gathered(plane.description, cancellation)
        if let image { images.append(image) }
      }
      return try plan.picture(of: images)
    }
    let recoveries = RecoveryLog()
    let made = try await backend.run(plan, picture) { recoveries.add($0) }
    try cancellation?.check()
    try await callers.run { () throws(BackendError) in
      for (result, image) in zip(results, made.planes) {
        try PixelOutput.memory(result).deliver(image, cancellation)
      }
    }
    return RunReport(backend: backend.name, recoveries: recoveries.all)
  }
}
