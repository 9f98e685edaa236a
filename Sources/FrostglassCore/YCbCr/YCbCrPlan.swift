/// Plans for an image in planes, run one after another.
///
/// Where filters work on each plane separately, each plane has one plan, which takes the plane and returns the new one;
/// it can be run like any other. Otherwise every plane is made from the filtered image in red, green and blue, 16 bits
/// each. `FilterChain.plan(for:size:)` makes it, and a `Backend` runs it.
public struct YCbCrPlan: Sendable, Hashable {
  /// Width and height of the image in pixels.
  public let size: Size
  /// The layout of the planes, of input and result alike.
  public let format: YCbCrFormat
  /// From the planes to the filtered image: the first takes the planes, each other one what the
  /// one before it gives. One or, in linear light, two; none where each plane is made of itself.
  public let toImage: [Plan]
  /// From the filtered image, or from the plane itself, to each plane. Where parts of the image
  /// alone are filtered, the plane that came in is a second input, of which the rest is made.
  public let toPlanes: [Plan]
  /// The parts of each plane that can differ from the input plane, in rectangles that do not overlap; all planes have
  /// the same number of parts, which correspond in their order.
  package let parts: [[Rect]]

  /// - Parameter changed: pixels outside of which the filtered image is as it was, in rectangles; `nil`
  ///   where it may differ anywhere.
  init(size: Size, format: YCbCrFormat, toImage: [Plan], changed: [Rect]? = nil) {
    self.size = size
    self.format = format
    self.toImage = toImage
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
    toImage = []
    self.toPlanes = toPlanes
    self.parts = parts
  }

  /// The descriptions of the input planes, in order.
  public var inputs: [Plan.Input] { format.planes(of: size) }
  /// The descriptions of the result planes, in order.
  public var results: [Plan.Result] { toPlanes.map(\.result) }
  /// True if each plane is made from that plane alone.
  public var isByPlanes: Bool { toImage.isEmpty }
  /// The plan that runs first.
  package var first: Plan { toImage.first ?? toPlanes[0] }

  /// Returns the inputs from which a plane is made.
  ///
  /// - Parameters:
  ///   - pictures: the filtered image, where there is one.
  ///   - planes: the input planes.
  package func inputs<ImageEntry>(
    ofPlane index: Int, _ pictures: [ImageEntry], _ planes: [ImageEntry]
  ) -> [ImageEntry] {
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
    for plan in toImage + toPlanes { try plan.validate(for: limits) }
  }

  /// Checks that an image is one that the plans were made for.
  ///
  /// - Throws: `BackendError.failed`, which names both.
  public func check(_ picture: YCbCrImage) throws(BackendError) {
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
      ["to the picture", "in the picture"].prefix(toImage.count) + names,
      toImage + toPlanes
    ).map { "\($0):\n\($1)" }.joined(separator: "\n\n")
  }
}

extension Backend {
  /// Runs the plans for an image in planes.
  ///
  /// - Parameters:
  ///   - picture: an image of the size and format that the plans were made for.
  ///   - recovered: told of failures of the device that did not stop it, before this returns or throws.
  /// - Returns: an image of the same size and format.
  public func execute(
    _ plan: YCbCrPlan, _ picture: YCbCrImage, recovered: (@Sendable (Recovery) -> Void)? = nil
  ) async throws(BackendError) -> YCbCrImage {
    try plan.check(picture)
    let outputs = plan.results.map { _ in ImageOutput() }
    var io = PixelIO(picture.planes.map { .image($0) }, to: outputs.map { .image($0) })
    io.recovered = recovered
    _ = try await prepare(plan).run(io)
    do {
      return try YCbCrImage(
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
    for step in plan.toImage {
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

/// The plans for images in planes, run by something that works on whole images.
package struct PlanesOnImages: PreparedPlan {
  /// Makes an image's planes of others until it is to stop, and tells what was survived.
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
  /// The pixels of the image that its filtered parts look at, at most; `nil` where nothing is filtered.
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
      for (order, step) in toImage.enumerated().reversed() {
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

/// One plane of an image, for filters that work on it alone: where its samples lie among the
/// image's pixels, and what they stand for.
package struct SampledPlane: Sendable, Hashable {
  /// Samples along one axis.
  package struct Axis: Sendable, Hashable {
    /// Pixels from one sample to the next: 1, or 2 and 4 where there are fewer samples.
    package var pitch: Int
    /// The position of samples among the pixels they serve.
    package var place: YCbCrFormat.Siting.Place
    /// Pixels of the image.
    fileprivate let pixels: Int

    /// Those of pixels themselves.
    static func pixels(_ size: Size) -> (x: Axis, y: Axis) {
      (
        Axis(pitch: 1, place: .cosited, pixels: size.width),
        Axis(pitch: 1, place: .cosited, pixels: size.height)
      )
    }

    /// The first of the pixels that a sample is made of, counted from the first that it serves, and
    /// the shares of these, which sum to 1.
    fileprivate var shares: (first: Int, weights: [Float]) {
      guard place == .cosited, pitch > 1 else {
        return (0, [Float](repeating: 1 / Float(pitch), count: pitch))
      }
      // What interpolation between the samples takes of this one.
      let distances = 1 - pitch..<pitch
      return (
        1 - pitch, distances.map { Float(pitch - abs($0)) / Float(pitch * pitch) }
      )
    }

    /// A pixel, or the one at the border that goes on beyond it.
    @inline(__always)
    fileprivate func inside(_ pixel: Int) -> Int { min(max(pixel, 0), pixels - 1) }

    /// The samples that have a share of any of these pixels, at most.
    fileprivate func samples(of pixels: Range<Int>) -> Range<Int> {
      guard pitch > 1 else { return pixels }
      let last = pixels.upperBound - 1 + (place == .cosited ? pitch - 1 : 0)
      return pixels.lowerBound / pitch..<last / pitch + 1
    }
  }

  /// The size of the image, which lengths are given for.
  package let picture: Size
  /// Samples of a row.
  package let x: Axis
  /// Samples of a column.
  package let y: Axis
  /// The number of bits of a sample, where it is less than the word's; `nil` otherwise.
  let bits: Int?
  /// The conversion of a color to a sample: weights of red, green and blue, and an offset; all as fractions of full
  /// scale.
  let weights: SIMD4<Double>

  /// - Parameter component: brightness, blue or red difference, from 0.
  init(_ component: Int, of format: YCbCrFormat, _ picture: Size) {
    let isChroma = component > 0
    self.picture = picture
    x = Axis(
      pitch: isChroma ? format.sampling.columns : 1, place: format.siting.x,
      pixels: picture.width)
    y = Axis(
      pitch: isChroma ? format.sampling.rows : 1, place: format.siting.y,
      pixels: picture.height)
    bits = format.bits.inWords
    weights = format.fromColors[component]
  }

  /// All of its samples.
  var whole: Rect {
    Rect(
      Size(
        width: (picture.width + x.pitch - 1) / x.pitch,
        height: (picture.height + y.pitch - 1) / y.pitch))
  }

  /// Returns the sample for a color.
  func sample(_ color: SIMD3<Double>) -> Double {
    (weights * SIMD4(color, 1)).sum()
  }
}

// Masks are made for pixels; planes with fewer samples combine the pixels of each sample.
extension SampledPlane {
  /// The rule that turns the coverage of pixels into that of the sample they share.
  package enum Sharing: Sendable, Hashable {
    /// By their shares.
    case mean
    /// The largest, so that what is covered anywhere is covered wholly.
    case largest
    /// The smallest.
    case smallest

    /// Combines samples' values, by their share, with the sums so far.
    @inline(__always)
    fileprivate func add(
      _ share: Float, _ values: UnsafePointer<Float>, every step: Int,
      to sums: UnsafeMutablePointer<Float>, _ count: Int
    ) {
      switch self {
      case .mean: for i in 0..<count { sums[i] += share * values[step * i] }
      case .largest:
        for i in 0..<count where values[step * i] > sums[i] { sums[i] = values[step * i] }
      case .smallest:
        for i in 0..<count where values[step * i] < sums[i] { sums[i] = values[step * i] }
      }
    }

    /// The value that changes nothing when it is combined with another.
    fileprivate var neutral: Float { self == .smallest ? 1 : 0 }
  }

  /// Computes some samples of a row from an image's pixels.
  ///
  /// - Parameter row: computes some columns of a row of pixels.
  func gather(
    _ y: Int, _ columns: Range<Int>, into target: UnsafeMutableBufferPointer<Float>,
    _ sharing: Sharing, row: (Int, Range<Int>, UnsafeMutableBufferPointer<Float>) -> Void
  ) {
    // Without subsampling, the mask's own values.
    if x.pitch == 1, self.y.pitch == 1, (0..<picture.height).contains(y),
      columns.lowerBound >= 0, columns.upperBound <= picture.width
    {
      return row(y, columns, target)
    }
    guard let result = target.baseAddress else { return }
    let (across, down) = (x.shares, self.y.shares)
    let start = x.pitch * columns.lowerBound + across.first
    let count = x.pitch * (columns.count - 1) + across.weights.count
    let wanted = x.inside(start)..<x.inside(start + count - 1) + 1
    let low = min(start, wanted.lowerBound)
    let end = max(start + count, wanted.upperBound)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: wanted.count + end - low) { memory in
      let line = UnsafeMutableBufferPointer(rebasing: memory[..<wanted.count])
      let sums = UnsafeMutableBufferPointer(rebasing: memory[wanted.count...])
      line.initialize(repeating: 0)
      sums.initialize(repeating: sharing.neutral)
      guard let from = line.baseAddress, let all = sums.baseAddress else { return }
      // Pixels of the image; those outside repeat its border.
      let inner = all + (wanted.lowerBound - low)
      for (place, weight) in down.weights.enumerated() {
        row(self.y.inside(self.y.pitch * y + down.first + place), wanted, line)
        sharing.add(weight, from, every: 1, to: inner, wanted.count)
      }
      all.update(repeating: inner[0], count: wanted.lowerBound - low)
      (inner + wanted.count).update(
        repeating: inner[wanted.count - 1], count: end - wanted.upperBound)
      result.update(repeating: sharing.neutral, count: columns.count)
      for (place, weight) in across.weights.enumerated() {
        sharing.add(
          weight, all + (start - low) + place, every: x.pitch, to: result, columns.count)
      }
    }
  }

  /// The samples that have a share of any pixel of a part of the image.
  func samples(of part: Rect, in plane: Rect) -> Rect? {
    let samples = Rect(columns: x.samples(of: part.columns), rows: y.samples(of: part.rows))
      .intersection(plane)
    return samples.isEmpty ? nil : samples
  }
}

extension YCbCrFormat.Bits {
  /// The number of bits of a sample, where it is less than the word's; `nil` otherwise.
  var inWords: Int? { fill < 1 ? rawValue : nil }
}

/// Kernels that take the color differences of an image to all of its pixels and back, along one
/// axis.
///
/// Growing is linear between the samples, wherever the siting puts them. Shrinking is its exact
/// inverse with the fewest taps: what was grown and not changed comes back as it was, but for a last
/// sample that lies between a last pixel and none. It sums to 1 and takes nothing of what changes
/// from pixel to pixel, at half the rate of samples.
enum ChromaKernel {
  /// One sample for every two pixels becomes two.
  static func growing(_ place: YCbCrFormat.Siting.Place) -> Polyphase {
    let phases: [Polyphase.Phase] =
      switch place {
      // On a sample, and halfway to the next. The weight of 0 keeps both phases of one length.
      case .cosited: [.init(first: 0, taps: [1, 0]), .init(first: 0, taps: [0.5, 0.5])]
      // A quarter of the way to the neighbors.
      case .centered: [.init(first: -1, taps: [0.25, 0.75]), .init(first: 0, taps: [0.75, 0.25])]
      }
    return Polyphase(stride: 1, phases: phases)
  }

  /// Two pixels become one sample.
  ///
  /// With samples s, the pixels around s₀ are, cosited, `s₋₁, (s₋₁ + s₀)/2, s₀, (s₀ + s₁)/2, s₁`,
  /// of which `(−1 2 6 2 −1)/8` leaves s₀ alone (it is the 5/3 wavelet's low pass); centered, they
  /// are `(3s₋₁ + s₀)/4, (s₋₁ + 3s₀)/4, (3s₀ + s₁)/4, (s₀ + 3s₁)/4`, where `(−1 3 3 −1)/4` does.
  static func shrinking(_ place: YCbCrFormat.Siting.Place) -> Polyphase {
    let phase: Polyphase.Phase =
      switch place {
      case .cosited: .init(first: -2, taps: [-0.125, 0.25, 0.75, 0.25, -0.125])
      case .centered: .init(first: -1, taps: [-0.25, 0.75, 0.75, -0.25])
      }
    return Polyphase(stride: 2, phases: [phase])
  }

  /// Takes every second sample, from the one at `first` on.
  static func picking(_ first: Int) -> Polyphase {
    Polyphase(stride: 2, phases: [Polyphase.Phase(first: first, taps: [1])])
  }

  /// Puts zeros between samples, which come to even places, or to odd ones.
  static func spreading(odd: Bool) -> Polyphase {
    Polyphase(
      stride: 1,
      phases: [
        Polyphase.Phase(first: 0, taps: [odd ? 0 : 1]),
        Polyphase.Phase(first: 0, taps: [odd ? 1 : 0]),
      ])
  }
}
