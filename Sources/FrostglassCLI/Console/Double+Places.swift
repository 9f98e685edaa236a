extension Double {
  /// The number with so many decimals at most.
  func rounded(places: Int) -> Double {
    let scale = (0..<places).reduce(1.0) { power, _ in power * 10 }
    return (self * scale).rounded() / scale
  }
}
