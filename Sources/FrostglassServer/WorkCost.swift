internal import Frostglass
internal import FrostglassCore
internal import FrostglassFind
internal import FrostglassOptions

/// The time that a piece of work would take a core, told before it is begun.
///
/// The numbers are nanoseconds of one core of an EPYC of 2024 with AVX-512, measured with images of 1 and 4
/// megapixels; other cores differ by a factor of two or three. That is enough to tell what takes milliseconds
/// from what could never be done in time.
struct WorkCost: Sendable {
  /// The core seconds of decoding and filtering.
  var filters: Double
  /// The core seconds of encoding the result.
  var encoding: Double
  /// The core seconds of finding faces.
  var finding: Double
  /// The format that is written.
  var format: StillFormat
  /// Pixels of the result, all frames together.
  var pixels: Int

  /// Seconds of a core.
  var seconds: Double { filters + encoding + finding }

  /// - Parameters:
  ///   - plan: the computation for each frame; `nil` if it is small, or a GPU's.
  ///   - decoded: the number of pixels decoded.
  ///   - scaled: the number of pixels after a resize, before cropping.
  ///   - pixels: the number of pixels in all frames of the result.
  ///   - finding: the core seconds of a search, see `finding(_:in:frames:)`.
  init(
    plan: Plan?, frames: Int, decoded: Int, scaled: Int = 0, pixels: Int, as format: StillFormat,
    effort: Int?, finding: Double = 0
  ) {
    let light = 10e-9 * Double(pixels)
    filters =
      (plan.map { $0.seconds * Double(frames) } ?? light) + Self.secondsDecoding * Double(decoded)
      + 15e-9 * Double(scaled)
    encoding = format.encodingNanoseconds(effort: effort) * 1e-9 * Double(pixels)
    self.finding = finding
    self.format = format
    self.pixels = pixels
  }

  /// Refuses what takes more than it may, and puts off what is not for all workers at once.
  ///
  /// - Throws: `Problem` with 422, or with `putOff`.
  func check(_ limits: WorkLimits) throws(Problem) {
    if let most = limits.maxWork, seconds > most {
      // Looks take as long for any large image.
      let rest = seconds - finding
      let fitting = rest > 0 ? Double(pixels) * max(most - finding, 0) / rest : 0
      let advice =
        fitting > 0
        ? "a result of \(Self.rounded(fitting / 1e6)) megapixels would fit"
        : "find-effort=quick or fewer frames take less"
      let parts = [
        ("filters", filters), ("writing \(format.name)", encoding), ("finding faces", finding),
      ].filter { $0.1 > 0 }.sorted { $0.1 > $1.1 }.map { "\($0.0) \(Self.rounded($0.1))" }
      throw Problem(
        422, "too-much-work",
        "this would take a core about \(Self.rounded(seconds)) seconds "
          + "(\(parts.joined(separator: ", "))), more than the \(Self.rounded(most)) that a request may "
          + "take; \(advice)")
    }
    try Self.putOff(seconds, limits)
  }

  /// The core seconds of decoding, per pixel.
  private static let secondsDecoding = 25e-9

  /// Returns the core seconds of finding faces: the image is decoded, and each frame is searched.
  static func finding(_ search: FindOptions?, in size: Size, frames: Int) -> Double {
    guard let search else { return 0 }
    let looks = search.effort.looks(at: size).reduce(0) { $0 + $1.seconds }
    return Double(frames) * (looks + secondsDecoding * Double(size.area))
  }

  /// The core seconds of parsing text, per byte.
  static let secondsPerByte = 0.5e-6

  /// Puts off what is not for all workers at once.
  ///
  /// - Throws: `Problem` with `putOff`.
  static func putOff(_ seconds: Double, _ limits: WorkLimits) throws(Problem) {
    guard let light = limits.lightWork, seconds > light else { return }
    var problem = Problem(503, "put-off", "this is heavy work, and waits for its turn")
    problem.putOff = seconds
    throw problem
  }

  /// Two digits that count, rounded down, so that what is said to fit does.
  private static func rounded(_ value: Double) -> String {
    let places = value >= 10 ? 0 : value >= 1 ? 1 : value >= 0.1 ? 2 : 3
    let scale = (0..<places).reduce(1.0) { product, _ in product * 10 }
    return decimal((value * scale).rounded(.down) / scale, places: places)
  }
}

extension Plan {
  /// The core seconds for one image.
  fileprivate var seconds: Double {
    steps.reduce(0) { sum, step in
      let area = step.target.map { slots[$0].domain.area } ?? result.rect.area
      return sum + Double(area) * step.pass.nanoseconds * 1e-9
    }
  }
}

extension Look {
  /// The core seconds of the search. A network's time per pixel does not depend on the image's content.
  fileprivate var seconds: Double {
    let nanoseconds = detector == .yunet ? 45.0 : 215.0
    return Double(size.area) * nanoseconds * 1e-9
  }
}

extension Pass {
  /// The core time per pixel written.
  fileprivate var nanoseconds: Double {
    let sums = Double(multiplyAdds)
    return switch self {
    case .bilateral: 0.06 * sums
    // Each view is read from another place of memory.
    case .gather: 0.3 * sums
    // A box is a running sum however wide it is, and a median a histogram that moves.
    case .convolve: 2 + 0.05 * min(sums, 100)
    case .median(let pass): 5 + 0.7 * Double(pass.side)
    case .cellMeans, .cellFill: 4
    default: 2 + 0.05 * sums
    }
  }
}

extension StillFormat {
  /// Returns the core time of encoding, per pixel written.
  ///
  /// - Parameter effort: 0 to 9; `nil` for the default.
  fileprivate func encodingNanoseconds(effort: Int?) -> Double {
    let byEffort: [Double]
    switch self {
    case .jpeg: return 10
    case .png, .apng: byEffort = [40, 43, 47, 60, 74, 120, 176, 320, 490, 780]
    case .webp: byEffort = [16, 18, 20, 24, 30, 46, 64, 67, 70, 120]
    case .avif: byEffort = [46, 124, 190, 600, 1000, 1900, 2800, 3800, 4900, 8900]
    case .jxl: byEffort = [46, 46, 46, 108, 108, 180, 240, 600, 1070, 1750]
    case .gif: byEffort = [240, 330, 420, 430, 600, 800, 1000, 1030, 1060, 1340]
    case .heic: return 700
    case .tiff: return 120
    case .bmp, .ppm, .pfm: return 5
    }
    return byEffort[min(max(effort ?? usualEffort, 0), 9)]
  }

  private var usualEffort: Int {
    switch self {
    case .avif: 1
    case .jxl, .gif: 3
    case .png, .apng: 5
    default: 6
    }
  }
}
