extension Plan: CustomStringConvertible {
  /// The plan for people: inputs, steps, result, what it costs and what it guarantees.
  public var description: String {
    var lines = inputs.enumerated().map { index, input in
      "input \(index)   \(input.size) \(input.format) \(input.alpha), \(input.transfer)"
    }
    for (index, step) in steps.enumerated() { lines.append(line(index, step)) }
    for (index, result) in results.enumerated() {
      let name = results.count > 1 ? "result \(index)" : "result"
      lines.append(
        name.padded(to: 10) + "\(result.rect) \(result.format) \(result.alpha), \(result.transfer)")
    }
    lines.append(
      "cost      \(decimal(multiplyAddsPerPixel, places: 1)) multiply-adds per pixel and channel, "
        + "\(decimal(Double(memory) / 1e6, places: 1)) MB of intermediates, "
        + "reach \(reach.x)×\(reach.y) px")
    for (index, result) in results.enumerated() {
      let name = results.count > 1 ? "error \(index)" : "error"
      lines.append(name.padded(to: 10) + result.certifiedError.words)
    }
    return lines.joined(separator: "\n")
  }

  private func line(_ index: Int, _ step: Step) -> String {
    let number = "step \(index + 1)".padded(to: 9)
    let sources = step.sources.map { source in "#\(source.slot)\(edges(source))" }
    let reads = sources.isEmpty ? "" : sources.joined(separator: " + ") + " "
    guard let target = step.target else {
      guard results.count > 1, case .store(let store) = step.pass else {
        return "\(number) \(reads)→ \(step.pass)"
      }
      return "\(number) \(reads)→ result \(store.result) \(step.pass)"
    }
    let slot = slots[target]
    return "\(number) \(reads)→ #\(target) \(step.pass): \(slot.domain) \(slot.layout) "
      + "\(slot.precision)"
  }

  private func edges(_ source: Source) -> String {
    let axes = [source.x.map { "x \($0)" }, source.y.map { "y \($0)" }].compactMap { $0 }
    return axes.isEmpty ? "" : "(" + axes.joined(separator: ", ") + ")"
  }
}

extension CertifiedError {
  /// The certified error and its parts in words.
  fileprivate var words: String {
    "certified under \(decimal(total + 0.0005, places: 3)) levels of 255 "
      + "(kernels \(decimal(kernel, places: 3)), "
      + (model > 0 ? "approximations \(decimal(model, places: 3)), " : "")
      + "arithmetic \(decimal(arithmetic, places: 3)))"
  }
}

extension AxisEdge: CustomStringConvertible {
  /// The mode and where the picture ends.
  package var description: String {
    "\(mode.rawValue) \(range.lowerBound)…\(range.upperBound - 1)"
  }
}

extension String {
  /// With spaces behind it, up to a width in characters.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - count))
  }
}

/// A number with a fixed number of decimal places.
package func decimal(_ value: Double, places: Int) -> String {
  guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
  let scale = (0..<places).reduce(1) { product, _ in product * 10 }
  let scaled = Int((abs(value) * Double(scale)).rounded())
  let sign = value < 0 && scaled > 0 ? "-" : ""
  let fraction = "\(scaled % scale)"
  let zeros = String(repeating: "0", count: places - fraction.count * (places > 0 ? 1 : 0))
  return places > 0 ? "\(sign)\(scaled / scale).\(zeros)\(fraction)" : "\(sign)\(scaled)"
}
