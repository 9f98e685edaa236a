extension FilterChain {
  /// Whether a part of a picture becomes what the whole does, but near the part's border: no filter goes by how
  /// large the picture is, by its middle or by a grid that begins at its corner. Noise is the part's own.
  package var worksInWindows: Bool { primitives.allSatisfy(\.worksInWindows) }
}

extension Filter {
  /// The same for one filter; a new one does not until it is known that it does.
  fileprivate var worksInWindows: Bool {
    switch self {
    case is Gaussian, is Box, is TripleBox, is Saturation, is Lift, is LuminanceRange, is Tint,
      is FilmGrain, is CSSBrightness, is CSSContrast, is CSSGrayscale, is CSSHueRotate,
      is CSSInvert, is CSSSaturate, is CSSSepia:
      return !definition.parameters.contains { parameter in
        let value = parameter.read(self)
        return value?.sigma?.unit == .percent || value?.length?.unit == .percent
      }
    default: return false
    }
  }
}
