package import FrostglassCore

/// Pictures of many sizes and formats with filters of all kinds, the same for the same seed.
package struct JobMix: Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  /// A picture of up to half a megapixel and what to do with it.
  package mutating func next() throws(PlanError) -> (Image, Plan) {
    let format = PixelFormat.all[below(PixelFormat.all.count)]
    // Mostly small, some large, so that large textures come and go.
    let longest = [160, 160, 160, 700][below(4)]
    let size = Size(width: 8 + below(longest), height: 8 + below(longest))
    let image = Image.textured(size, format, alpha: format.layout.hasAlpha ? .straight : .opaque)
    let filters = Catalog.filters
    let chain: FilterChain =
      below(2) == 0
      ? [.gaussian(sigma: Sigma(Double(1 + below(60)))), .saturation(1.8)]
      : FilterChain([filters[below(filters.count)].init()])
    let options = PlanOptions(
      edge: EdgeMode.allCases[below(EdgeMode.allCases.count)], linearLight: below(3) == 0)
    return (image, try chain.plan(for: Plan.Input(image), options: options))
  }

  private mutating func below(_ bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state >> 33) % bound
  }
}
