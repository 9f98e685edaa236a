/// How many bits a code has.
public enum YCbCrBits: Int, Sendable, Hashable, CaseIterable {
  /// In bytes.
  case eight = 8
  /// In the low bits of 16-bit words.
  case ten = 10
  /// In the low bits of 16-bit words.
  case twelve = 12
  /// In 16-bit words. In narrow range also what has its 10 or 12 bits at the top of the words, such
  /// as P010: the codes are the same. What is written has all 16 bits.
  case sixteen = 16

  /// How samples are stored.
  public var depth: Depth { self == .eight ? .uint8 : .uint16 }

  /// The largest code.
  var largest: Double { Double(1 << rawValue - 1) }

  /// The largest code as a fraction of the largest that the words can hold.
  var fill: Double { largest / Double(depth.fullScale) }
}
