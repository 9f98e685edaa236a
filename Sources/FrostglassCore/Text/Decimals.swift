extension Double {
  /// Returns the number with so many decimals at most.
  package func rounded(places: Int) -> Double {
    let scale = (0..<places).reduce(1.0) { power, _ in power * 10 }
    return (self * scale).rounded() / scale
  }

  /// Returns the number as text with so many decimals, zeros too.
  package func text(places: Int) -> String {
    let text = "\(rounded(places: places))"
    let decimals = text.split(separator: ".").last?.count ?? 0
    return text + String(repeating: "0", count: max(0, places - decimals))
  }
}
