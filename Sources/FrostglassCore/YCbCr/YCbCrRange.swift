/// Which codes stand for black and white, given here for 8 bits; more bits have them shifted left.
public enum YCbCrRange: String, Sendable, Hashable, CaseIterable {
  /// Black is 16 and white 235; color differences go from 16 to 240 around 128. Of video.
  case narrow
  /// Black is 0 and white the largest code; color differences have the same span around 128. Of
  /// JPEG files.
  case full
}
