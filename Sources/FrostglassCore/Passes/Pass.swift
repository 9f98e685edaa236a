/// Something a machine does to pixels. Backends know passes, and nothing of filters.
public enum Pass: Sendable, Hashable {
  case load(Load)
  case resample(Resample)
  case convolve(Convolve)
  case colorMatrix(ColorMatrix)
  case blend(Blend)
  case generate(Generate)
  case stencil(Stencil)
  case gather(Gather)
  case weigh(Weigh)
  case store(Store)

  /// The pass's name, also that of its files: `Passes/<Name>.swift`, `<Name>+Reference.swift`, ….
  public var name: String {
    switch self {
    case .load: "Load"
    case .resample: "Resample"
    case .convolve: "Convolve"
    case .colorMatrix: "ColorMatrix"
    case .blend: "Blend"
    case .generate: "Generate"
    case .stencil: "Stencil"
    case .gather: "Gather"
    case .weigh: "Weigh"
    case .store: "Store"
    }
  }

  /// Every pass name, for tests that look for the files.
  public static let names = [
    "Load", "Resample", "Convolve", "ColorMatrix", "Blend", "Generate", "Stencil", "Gather",
    "Weigh", "Store",
  ]

  /// The samples of a source that `target` is computed from, before edges, if it is read at all.
  package func sourceRect(for target: Rect) -> Rect {
    switch self {
    case .load, .colorMatrix, .blend, .generate, .weigh, .store: target
    case .stencil(let stencil): stencil.sourceRect(for: target)
    case .gather(let gather): gather.sourceRect(for: target)
    case .resample(let resample): resample.sourceRect(for: target)
    case .convolve(let convolve): convolve.sourceRect(for: target)
    }
  }

  /// The samples of one of the sources that `target` is computed from, before edges.
  package func sourceRect(for target: Rect, of source: Int) -> Rect {
    let rect = sourceRect(for: target)
    guard case .blend(let blend) = self, let part = blend.part(of: source) else { return rect }
    return rect.limited(to: part)
  }

  /// Multiply-adds per target sample and channel, for the plan's account of its cost.
  public var multiplyAdds: Int {
    switch self {
    case .load, .store, .blend: 1
    case .generate: 8
    case .colorMatrix: 4
    case .stencil(let stencil): stencil.longestPhase
    // Four samples are interpolated and their mean is added.
    case .gather(let gather): 5 * gather.views.count
    case .weigh: 6
    case .resample(let resample): resample.x.longestPhase * resample.y.longestPhase
    case .convolve(let convolve): 2 * convolve.radius + 1
    }
  }
}
