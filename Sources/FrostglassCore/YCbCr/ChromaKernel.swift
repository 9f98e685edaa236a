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
