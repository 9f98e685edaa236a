/// Which standard's weights make brightness of red, green and blue.
public enum YCbCrMatrix: String, Sendable, Hashable, CaseIterable {
  /// ITU-R BT.601: standard definition, and JPEG.
  case bt601
  /// ITU-R BT.709: high definition.
  case bt709
  /// ITU-R BT.2020, non-constant luminance: ultra high definition.
  case bt2020

  /// The weight of red, as the standard gives it.
  public var red: Double {
    switch self {
    case .bt601: 0.299
    case .bt709: 0.2126
    case .bt2020: 0.2627
    }
  }

  /// The weight of blue, as the standard gives it.
  public var blue: Double {
    switch self {
    case .bt601: 0.114
    case .bt709: 0.0722
    case .bt2020: 0.0593
    }
  }

  /// The weight of green: what is left, so that white has brightness 1.
  public var green: Double { 1 - red - blue }
}
