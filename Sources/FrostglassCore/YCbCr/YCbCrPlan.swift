/// Everything that will happen to a picture in planes: plans that run one after another.
///
/// In between is the filtered picture in red, green and blue, 16 bits each, from which every plane
/// is made. `FilterChain.plan(for:size:)` makes it, and a `Backend` runs it.
public struct YCbCrPlan: Sendable, Hashable {
  /// Width and height of the picture in pixels.
  public let size: Size
  /// How pixels are laid out in the planes, of input and result alike.
  public let format: YCbCrFormat
  /// From the planes to the filtered picture: the first takes the planes, each other one what the
  /// one before it gives. One or, in linear light, two.
  public let toPicture: [Plan]
  /// From the filtered picture to each plane.
  public let toPlanes: [Plan]

  init(size: Size, format: YCbCrFormat, toPicture: [Plan]) {
    self.size = size
    self.format = format
    self.toPicture = toPicture
    toPlanes = format.planes(of: size).indices.map { index in
      Plan(plane: index, of: format, from: YCbCrPlan.picture(of: size))
    }
  }

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
    let names = format.planeNames.map { "to plane \($0)" }
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
    for step in plan.toPlanes {
      planes.append(try await execute(step, images, recovered: recovered))
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
