/// One plane of a picture, for filters that work on it alone: where its samples lie among the
/// picture's pixels, and what they stand for.
package struct SampledPlane: Sendable, Hashable {
  /// Samples along one axis.
  package struct Axis: Sendable, Hashable {
    /// Pixels from one sample to the next: 1, or 2 and 4 where there are fewer samples.
    package var pitch: Int
    /// The position of samples among the pixels they serve.
    package var place: YCbCrFormat.Siting.Place
    /// Pixels of the picture.
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

  /// The size of the picture, which lengths are given for.
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

  /// Computes some samples of a row from a picture's pixels.
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

  /// The samples that have a share of any pixel of a part of the picture.
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

/// Kernels that take the color differences of a picture to all of its pixels and back, along one
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
