/// The blocks that a GIF consists of: a header, extensions and images, and a byte that ends it.
///
/// libnsgif takes what there is of a file that is cut off, and says nothing of missing frames.
enum GIFBlocks {
  /// Whether a file ends where a block does, behind an image or more.
  ///
  /// The byte that ends a GIF may be missing, as programs leave it out. What is no block is the
  /// decoder's to judge, and what follows the end is nobody's.
  ///
  /// - Parameter file: all of it.
  static func areWhole(_ file: UnsafeRawBufferPointer) -> Bool {
    guard file.count > 13 else { return false }
    var place = 13 + colorBytes(file[10])
    var hasImage = false
    while place < file.count {
      switch file[place] {
      case 0x21: place += 2
      case 0x2C:
        guard place + 9 < file.count else { return false }
        place += 11 + colorBytes(file[place + 9])
        hasImage = true
      default: return true
      }
      guard let end = endOfParts(file, from: place) else { return false }
      place = end
    }
    return place == file.count && hasImage
  }

  /// Bytes of the color table that such flags announce.
  static func colorBytes(_ flags: UInt8) -> Int {
    flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
  }

  /// Where the parts of a block end, the last of which is empty; `nil` where the file ends before.
  private static func endOfParts(_ file: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var place = start
    while place < file.count {
      let length = Int(file[place])
      place += 1 + length
      if length == 0 { return place }
    }
    return nil
  }
}
