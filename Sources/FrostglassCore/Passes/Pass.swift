/// Something a machine does to pixels. Backends know passes, and nothing of filters.
package enum Pass: Sendable, Hashable {
  case load(Load)
  case resample(Resample)
  case convolve(Convolve)
  case colorMatrix(ColorMatrix)
  case lumaCurve(LumaCurve)
  case displace(Displace)
  case blend(Blend)
  case packChannels(PackChannels)
  case generate(Generate)
  case stencil(Stencil)
  case gather(Gather)
  case highlightWeight(HighlightWeight)
  case bilateral(Bilateral)
  case median(Median)
  case cellMeans(CellMeans)
  case cellFill(CellFill)
  case grain(Grain)
  case store(Store)

  /// Every pass, for tests that look for the files.
  static let kinds: [any PassKind.Type] = [
    Load.self, Resample.self, Convolve.self, ColorMatrix.self, LumaCurve.self, Displace.self,
    Blend.self, PackChannels.self, Generate.self,
    Stencil.self, Gather.self, HighlightWeight.self, Bilateral.self, Median.self, CellMeans.self,
    CellFill.self, Grain.self, Store.self,
  ]

  /// Every pass name.
  package static let names = kinds.map { "\($0)" }

  /// The pass's own numbers.
  package var kind: any PassKind {
    switch self {
    case .load(let pass): pass
    case .resample(let pass): pass
    case .convolve(let pass): pass
    case .colorMatrix(let pass): pass
    case .lumaCurve(let pass): pass
    case .displace(let pass): pass
    case .blend(let pass): pass
    case .packChannels(let pass): pass
    case .generate(let pass): pass
    case .stencil(let pass): pass
    case .gather(let pass): pass
    case .highlightWeight(let pass): pass
    case .bilateral(let pass): pass
    case .median(let pass): pass
    case .cellMeans(let pass): pass
    case .cellFill(let pass): pass
    case .grain(let pass): pass
    case .store(let pass): pass
    }
  }

  /// The pass's name, also that of its files: `Passes/<Name>.swift`, `<Name>+Reference.swift`, ….
  package var name: String { "\(type(of: kind))" }

  /// Multiply-adds per target sample and channel, for the plan's account of its cost.
  package var multiplyAdds: Int { kind.multiplyAdds }

  /// The samples of one of the sources that `target` is computed from, before edges.
  package func sourceRect(for target: Rect, of source: Int) -> Rect {
    kind.sourceRect(for: target, of: source)
  }

  /// Whether the channels of a source can become those of the target. Most passes make every channel of
  /// the same channel of the source, and some repeat gray.
  func makes(_ target: PixelFormat.Layout, of source: PixelFormat.Layout) -> Bool {
    switch self {
    case .resample, .convolve, .stencil, .gather, .bilateral, .median, .cellMeans, .cellFill:
      source == target
    case .grain, .lumaCurve: source <= target
    case .load, .colorMatrix, .displace, .blend, .packChannels, .generate, .highlightWeight, .store:
      true
    }
  }

  /// Whether any sample of one of the sources goes into some rows of the target. Where not, the
  /// source need not be there.
  package func reads(_ source: Int, for rows: Range<Int>) -> Bool {
    kind.reads(source, for: rows)
  }
}

extension Pass: CustomStringConvertible {
  /// Name and numbers.
  package var description: String { kind.summary.isEmpty ? name : "\(name) \(kind.summary)" }
}

/// What every pass tells about itself, beside its numbers.
package protocol PassKind: Sendable, Hashable {
  /// How many slots it reads.
  var sourceCount: Int { get }
  /// Multiply-adds per target sample and channel, for the plan's account of its cost.
  var multiplyAdds: Int { get }
  /// The longest run of samples that go into one.
  var tapCount: Int { get }
  /// Target samples along each axis after which the arithmetic begins anew.
  var period: (x: Int, y: Int) { get }
  /// The numbers, for people.
  var summary: String { get }

  /// The samples of a source that `target` is computed from, before edges, if it is read at all.
  func sourceRect(for target: Rect) -> Rect
  /// The samples of one of the sources that `target` is computed from, before edges.
  func sourceRect(for target: Rect, of source: Int) -> Rect
  /// Whether any sample of a source goes into some rows of the target.
  func reads(_ source: Int, for rows: Range<Int>) -> Bool
  /// What a part of the target is computed from, wherever in `domain` it lies.
  func reach(of target: Rect, in domain: Rect) -> Rect
  /// Along which axes a source is read beyond its edges, if a plan asks for what lies there.
  ///
  /// Along the others the pass reads in place: target sample i is made of source sample i alone. Kernels
  /// then take samples as they lie in memory, and a plan asks for none outside the source's edges;
  /// see `Plan.resolveEdges`.
  func readsBeyondEdges(of source: Int) -> (x: Bool, y: Bool)
}

extension PassKind {
  package var sourceCount: Int { 1 }
  package var multiplyAdds: Int { 1 }
  package var tapCount: Int { 1 }
  package var period: (x: Int, y: Int) { (1, 1) }
  package func sourceRect(for target: Rect) -> Rect { target }
  package func sourceRect(for target: Rect, of source: Int) -> Rect { sourceRect(for: target) }
  package func reads(_ source: Int, for rows: Range<Int>) -> Bool { true }
  package func reach(of target: Rect, in domain: Rect) -> Rect { sourceRect(for: target) }
  package func readsBeyondEdges(of source: Int) -> (x: Bool, y: Bool) { (false, false) }
}
