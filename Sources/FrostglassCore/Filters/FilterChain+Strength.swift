extension FilterChain {
  /// The chain with weaker effects: the intensities of styles and the standard deviations of blurs are
  /// multiplied; filters with neither stay as they are.
  ///
  /// - Parameter strength: 0…1; 1 changes nothing.
  public func weakened(to strength: Double) -> FilterChain {
    guard strength < 1 else { return self }
    return FilterChain(filters.map { $0.weakened(to: max(strength, 0)) as any Filter })
  }
}

extension Filter {
  fileprivate func weakened(to strength: Double) -> Self {
    var filter = self
    let parameters = Self.definition.parameters
    let intensities = parameters.filter { $0.name == "intensity" }
    for parameter in intensities.isEmpty ? parameters : intensities {
      switch parameter.read(self) {
      case .sigma(var sigma):
        sigma.value *= strength
        parameter.write(&filter, .sigma(sigma))
      case .number(let number) where !intensities.isEmpty:
        parameter.write(&filter, .number(number * strength))
      default: break
      }
    }
    return filter
  }
}
