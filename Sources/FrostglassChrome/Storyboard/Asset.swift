public import FrostglassCore

/// A picture that a scene needs and that somebody must load or make.
public enum Asset: Sendable, Hashable {
  /// A picture file.
  case picture(path: String, PictureSize)
  /// A picture file as a mask: gray, its alpha times its brightness.
  case mask(path: String, PictureSize)
  /// A text's coverage: gray.
  ///
  /// - Parameters: the size and the width at which lines are broken are pixels.
  case text(String, font: String, size: Double, TextDocument.Alignment, wrapWidth: Int?)
  /// The content that scrolls, which `ContentSheet` says how to make.
  case content

  /// How large a picture is to be, in pixels.
  public enum PictureSize: Sendable, Hashable {
    /// For a frame of this size.
    case frame(Size, PictureFit)
    /// As wide as this, keeping its shape.
    case width(Int)
  }
}

/// The assets of a scene, each once.
struct AssetList {
  private(set) var assets: [Asset] = []
  private var numbers: [Asset: Int] = [:]

  /// The number of an asset, which is also that of its picture.
  mutating func number(of asset: Asset) -> Int {
    if let number = numbers[asset] { return number }
    numbers[asset] = assets.count
    assets.append(asset)
    return assets.count - 1
  }
}
