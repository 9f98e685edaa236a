/// Plans for an image in planes, run one after another.
///
/// Where filters work on each plane separately, each plane has one plan, which takes the plane and returns the new one;
/// it can be run like any other. Otherwise every plane is made from the filtered image in red, green and blue, 16 bits
/// each. `FilterChain.plan(for:size:)` makes it, and a `Backend` runs it.
public struct YCbCrPlan: Sendable, Hashable {
  /// Width and height of the picture in pixels.
  public let size: Size
  /// The layout of the planes, of input and result alike.
  public let format: YCbCrFormat
  /// From the planes to the filtered picture: the first takes the planes, each other one what the
  /// one before it gives. One or, in linear light, two; none where each plane is made of itself.
  public let toPicture: [Plan]
  /// From the filtered picture, or from the plane itself, to each plane. Where parts of the picture
  /// alone are filtered, the plane that came in is a second input, of which the rest is made.
  public let toPlanes: [Plan]
  /// The parts of each plane that can differ from the input plane, in rectangles that do not overlap; all planes have
  /// the same number of parts, which correspond in their order.
  package let parts: [[Rect]]

  /// - Parameter changed: pixels outside of which the filtered picture is as it was, in rectangles; `nil`
  ///   where it may differ anywhere.
  init(size: Size, format: YCbCrFormat, toPicture: [Plan], changed: [Rect]? = nil) {
    self.size = size
    self.format = format
    self.toPicture = toPicture
    let planes = format.planes(of: size)
    let parts = planes.indices.map { index in
      changed.map { $0.map { format.samples(ofPlane: index, near: $0, of: size) } }
        ?? [Rect(planes[index].size)]
    }
    toPlanes = planes.indices.map { index in
      Plan(
        plane: index, of: format, from: YCbCrPlan.picture(of: size),
        in: parts[index] == [Rect(planes[index].size)] ? nil : parts[index])
    }
    self.parts = parts
  }

  /// Makes plans that work on each plane separately.
  init(size: Size, format: YCbCrFormat, toPlanes: [Plan], parts: [[Rect]]) {
    self.size = size
    self.format = format
    toPicture = []
    self.toPlanes = toPlanes
    self.parts = parts
  }

  /// The descriptions of the input planes, in order.
  public var inputs: [Plan.Input] { format.planes(of: size) }
  /// The descriptions of the result planes, in order.
  public var results: [Plan.Result] { toPlanes.map(\.result) }
  /// True if each plane is made from that plane alone.
  public var isByPlanes: Bool { toPicture.isEmpty }
  /// The plan that runs first.
  package var first: Plan { toPicture.first ?? toPlanes[0] }

  /// Returns the inputs from which a plane is made.
  ///
  /// - Parameters:
  ///   - pictures: the filtered image, where there is one.
  ///   - planes: the input planes.
  package func inputs<Picture>(
    ofPlane index: Int, _ pictures: [Picture], _ planes: [Picture]
  ) -> [Picture] {
    if isByPlanes { return [planes[index]] }
    return toPlanes[index].inputs.count > 1 ? pictures + [planes[index]] : pictures
  }

  /// Returns the description of the filtered image between the plans.
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
      throw .unfit(
        "the image is \(picture.size), \(picture.format); the plan was made for "
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
  /// Runs the plans for a picture in planes.
  ///
  /// - Parameters:
  ///   - picture: an image of the size and format that the plans were made for.
  ///   - recovered: told of failures of the device that did not stop it, before this returns or throws.
  /// - Returns: a picture of the same size and format.
  public func execute(
    _ plan: YCbCrPlan, _ picture: YCbCrPicture, recovered: (@Sendable (Recovery) -> Void)? = nil
  ) async throws(BackendError) -> YCbCrPicture {
    try plan.check(picture)
    let outputs = plan.results.map { _ in ImageOutput() }
    var io = PixelIO(picture.planes.map { .image($0) }, to: outputs.map { .image($0) })
    io.recovered = recovered
    _ = try await prepare(plan).run(io)
    do {
      return try YCbCrPicture(
        size: plan.size, format: plan.format, planes: outputs.compactMap { $0.take() })
    } catch { throw .failed(backend: name, what: "\(error)") }
  }

  /// One plan after another, each time as the first time.
  public func prepare(_ plan: YCbCrPlan) throws(BackendError) -> any PreparedPlan {
    PlanesOnImages(plan, backend: name) {
      planes, cancellation, recoveries throws(BackendError) in
      try await self.oneByOne(plan, planes, cancellation, recoveries)
    }
  }

  /// Runs one plan after another on images in memory, until it is to stop.
  package func oneByOne(
    _ plan: YCbCrPlan, _ planes: [Image], _ cancellation: Cancellation, _ recoveries: RecoveryLog
  ) async throws(BackendError) -> [Image] {
    var images = planes
    for step in plan.toPicture {
      images = [try await image(of: step, images, cancellation, recoveries)]
    }
    var made: [Image] = []
    for (index, step) in plan.toPlanes.enumerated() {
      let inputs = plan.inputs(ofPlane: index, images, planes)
      made.append(try await image(of: step, inputs, cancellation, recoveries))
    }
    return made
  }

  private func image(
    of plan: Plan, _ inputs: [Image], _ cancellation: Cancellation, _ recoveries: RecoveryLog
  ) async throws(BackendError) -> Image {
    let output = ImageOutput()
    var io = PixelIO(inputs.map { .image($0) }, to: [.image(output)], cancellation: cancellation)
    io.recovered = { recoveries.add($0) }
    _ = try await run(plan, io)
    guard let result = output.take() else {
      throw .failed(backend: name, what: "there is no result")
    }
    return result
  }
}

/// The plans for pictures in planes, run by something that works on whole images.
package struct PlanesOnImages: PreparedPlan {
  /// Makes a picture's planes of others until it is to stop, and tells what was survived.
  package typealias Body =
    @Sendable ([Image], Cancellation, RecoveryLog) async throws(BackendError) -> [Image]

  private let plan: YCbCrPlan
  private let backend: String
  private let body: Body
  private let callers = ThreadPool()

  package init(_ plan: YCbCrPlan, backend: String, _ body: @escaping Body) {
    self.plan = plan
    self.backend = backend
    self.body = body
  }

  package func run(_ io: PixelIO) async throws(BackendError) -> RunReport {
    let recoveries = RecoveryLog(io.recovered)
    try await io.untilCancelled { io, cancellation async throws(BackendError) in
      try io.checkPlaces(plan.inputs, plan.results)
      let planes = try await callers.run { () throws(BackendError) in
        try zip(io.inputs, plan.inputs).map { input, described throws(BackendError) in
          guard let image = try input.gathered(described, cancellation) else {
            throw .unsupported(
              backend: backend, what: "planes on a device here; download them first")
          }
          return image
        }
      }
      let made = try await body(planes, cancellation, recoveries)
      try cancellation.check()
      try await callers.run { () throws(BackendError) in
        for (output, image) in zip(io.outputs, made) { try output.deliver(image, cancellation) }
      }
    }
    return RunReport(backend: backend, recoveries: recoveries.all)
  }
}

extension YCbCrPlan {
  /// The pixels of the picture that its filtered parts look at, at most; `nil` where nothing is filtered.
  ///
  /// - Throws: `PlanError`, as `Plan.cropped(to:)` does.
  package func looked() throws(PlanError) -> Rect? {
    var all: Rect?
    func add(_ part: Rect?, ofPlane index: Int) {
      guard let pixels = part.map({ self.pixels(of: $0, inPlane: index) }) else { return }
      all = all?.union(pixels) ?? pixels
    }
    for place in 0..<(parts.map(\.count).max() ?? 0) {
      var needed: Rect?
      for (index, step) in toPlanes.enumerated() where place < parts[index].count {
        let part = parts[index][place]
        guard !part.isEmpty else { continue }
        let read = try step.cropped(to: part).part(ofInput: 0)
        add(part, ofPlane: index)
        if isByPlanes {
          add(read, ofPlane: index)
        } else if let read {
          needed = needed?.union(read) ?? read
        }
      }
      for (order, step) in toPicture.enumerated().reversed() {
        guard let part = needed else { break }
        let own = try step.cropped(to: part)
        needed = own.part(ofInput: 0)
        guard order == 0 else { continue }
        for index in inputs.indices { add(own.part(ofInput: index), ofPlane: index) }
      }
    }
    return all
  }

  /// The pixels that samples of a plane serve.
  private func pixels(of part: Rect, inPlane index: Int) -> Rect {
    guard index > 0 else { return part }
    let repeats = format.arrangement == .interleaved ? 2 : 1
    let columns = format.sampling.columns
    let left = floorDivide(part.columns.lowerBound, repeats) * columns
    let right = -floorDivide(-part.columns.upperBound, repeats) * columns
    return Rect(
      columns: left..<right,
      rows: part.rows.lowerBound * format.sampling.rows..<part.rows.upperBound
        * format.sampling.rows)
  }
}

extension Plan {
  /// Returns the part of an input that is read at most; `nil` where nothing is read.
  package func part(ofInput input: Int) -> Rect? {
    steps.compactMap { step in
      guard case .load(let load) = step.pass, load.input == input, let target = step.target else {
        return nil
      }
      return slots[target].domain.intersection(Rect(inputs[input].size))
    }.reduce(nil) { (all: Rect?, part: Rect) in all?.union(part) ?? part }
  }
}
