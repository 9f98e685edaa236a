/// How many samples of the color differences there are.
public enum ChromaSampling: String, Sendable, Hashable, CaseIterable {
  /// One for each 2 × 2 pixels.
  case both = "4:2:0"
  /// One for every second pixel of a row.
  case columns = "4:2:2"
  /// One for each pixel.
  case none = "4:4:4"

  /// Whether there are half as many columns.
  public var halvesColumns: Bool { self != .none }
  /// Whether there are half as many rows.
  public var halvesRows: Bool { self == .both }
}
