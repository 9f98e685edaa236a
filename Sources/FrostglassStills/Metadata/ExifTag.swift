/// The numbers of the EXIF tags that are looked at one by one.
enum ExifTag {
  static let orientation = 0x0112
  /// Points at the directory of how the picture was taken.
  static let detail = 0x8769
  /// Points at the GPS directory.
  static let position = 0x8825
  /// Points at the directory that says how to exchange files, inside that of `detail`.
  static let exchange = 0xA005
  static let exchangeIndex = 0x0001
  static let colorSpace = 0xA001
  static let width = 0xA002
  static let height = 0xA003
}
