/// How one sample is stored.
public enum Depth: Sendable, Hashable, CaseIterable {
  /// 0…255.
  case uint8
  /// 0…65535, in the machine's byte order.
  case uint16
  /// 32-bit float in the machine's byte order; 0…1 is black to white, values outside are kept.
  case float32

  /// Bytes per sample: 1, 2 or 4.
  public var bytes: Int {
    switch self {
    case .uint8: 1
    case .uint16: 2
    case .float32: 4
    }
  }

  /// The sample value that means full scale: 255, 65535 or 1.
  public var fullScale: Float {
    switch self {
    case .uint8: 255
    case .uint16: 65535
    case .float32: 1
    }
  }
}
