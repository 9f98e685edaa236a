internal import CVips

/// Where the lines of a text stand in its box.
public enum TextAlignment: String, Sendable, Hashable, CaseIterable {
  case left
  case center
  case right

  var vipsAlign: VipsAlign {
    switch self {
    case .left: VIPS_ALIGN_LOW
    case .center: VIPS_ALIGN_CENTRE
    case .right: VIPS_ALIGN_HIGH
    }
  }
}
