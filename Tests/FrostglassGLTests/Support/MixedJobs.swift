import FrostglassCore

/// Jobs of all kinds, the same for the same seed.
struct MixedJobs {
  var seed: UInt64

  func jobs(_ count: Int) throws -> [(image: Image, plan: Plan)] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func next(_ bound: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state >> 33) % bound
    }
    let filters = Catalog.filters
    return try (0..<count).map { index in
      let format = PixelFormat.all[next(PixelFormat.all.count)]
      let image = Image.noise(8 + next(150), 8 + next(150), format, seed: UInt64(index + 1))
      let chain: FilterChain =
        next(2) == 0
        ? [.gaussian(sigma: Sigma(Double(1 + next(40)))), .saturation(1.8)]
        : FilterChain([filters[next(filters.count)].init()])
      let options = PlanOptions(
        edge: EdgeMode.allCases[next(EdgeMode.allCases.count)], linearLight: next(3) == 0)
      return (image, try chain.plan(for: Plan.Input(image), options: options))
    }
  }
}
