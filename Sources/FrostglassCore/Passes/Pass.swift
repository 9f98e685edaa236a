/// Something a machine does to pixels. Backends know passes, and nothing of filters.
public enum Pass: Sendable, Hashable {
  case load(Load)
  case resample(Resample)
  case convolve(Convolve)
  case colorMatrix(ColorMatrix)
  case blend(Blend)
  case generate(Generate)
  case bilateral(Bilateral)
  case median(Median)
  case cellMeans(CellMeans)
  case cellFill(CellFill)
  case grain(Grain)
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
    case .bilateral: "Bilateral"
    case .median: "Median"
    case .cellMeans: "CellMeans"
    case .cellFill: "CellFill"
    case .grain: "Grain"
    case .store: "Store"
    }
  }

  /// Every pass name, for tests that look for the files.
  public static let names = [
    "Load", "Resample", "Convolve", "ColorMatrix", "Blend", "Generate", "Bilateral", "Median",
    "CellMeans", "CellFill", "Grain", "Store",
  ]

  /// The samples of a source that `target` is computed from, before edges, if it is read at all.
  package func sourceRect(for target: Rect) -> Rect {
    switch self {
    case .load, .colorMatrix, .blend, .generate, .grain, .store: target
    case .resample(let resample): resample.sourceRect(for: target)
    case .convolve(let convolve): convolve.sourceRect(for: target)
    case .bilateral(let bilateral): bilateral.sourceRect(for: target)
    case .median(let median): median.sourceRect(for: target)
    case .cellMeans(let means): means.sourceRect(for: target)
    case .cellFill(let fill): fill.sourceRect(for: target)
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
    case .load, .store, .blend, .cellFill: 1
    case .generate: 8
    case .colorMatrix: 4
    case .resample(let resample): resample.x.longestPhase * resample.y.longestPhase
    case .convolve(let convolve): 2 * convolve.radius + 1
    // A sample of the window: its difference, its weight, its share of two sums.
    case .bilateral(let bilateral): 4 * bilateral.samples
    // Its samples are gone through about ten times on a GPU.
    case .median(let median): 10 * median.side * median.side
    case .cellMeans(let means): means.tiling.width * means.tiling.height
    case .grain(let grain): 4 + grain.growth.longestPhase * grain.growth.longestPhase
    }
  }
}
