/// A GIF put together by hand.
enum GIFFile {
  /// 2×2: all red, then all blue.
  static var twoFrames: [UInt8] {
    let screen: [UInt8] = [2, 0, 2, 0, 0xF1, 0, 0]
    let colors: [UInt8] = [255, 0, 0, 0, 0, 255, 0, 255, 0, 0, 0, 0]
    return Array("GIF89a".utf8) + screen + colors + frame(0) + frame(1) + [0x3B]
  }

  private static func frame(_ color: Int) -> [UInt8] {
    let control: [UInt8] = [0x21, 0xF9, 4, 0, 10, 0, 0, 0]
    let place: [UInt8] = [0x2C, 0, 0, 0, 0, 2, 0, 2, 0, 0]
    // Codes of three bits: clearing (4) after every two pixels keeps them from growing.
    let codes = [4, color, color, 4, color, color, 5]
    let bits = codes.enumerated().reduce(0) { $0 | $1.element << (3 * $1.offset) }
    return control + place + [2, 3] + TIFFFile.little(bits, 3) + [0]
  }
}
