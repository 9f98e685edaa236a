internal import FrostglassCore

/// The segments that stand before the data of a JPEG's picture, in order.
struct JPEGSegments<File: BlockOfBytes>: Sequence, IteratorProtocol {
  /// One of them.
  struct Segment {
    let marker: UInt8
    /// Behind the marker and the length.
    let content: Range<Int>
  }

  private let file: File
  private var place = 2

  /// - Parameter file: all of it, or its beginning.
  init(_ file: File) { self.file = file }

  mutating func next() -> Segment? {
    while place + 4 <= file.count, file[place] == 0xFF {
      let marker = file[place + 1]
      switch marker {
      // A byte to fill up.
      case 0xFF: place += 1
      // Markers without a segment.
      case 0x01, 0xD0...0xD8: place += 2
      // The picture's data, or the end.
      case 0xD9, 0xDA: return nil
      default:
        guard let length = ByteOrder.big.number(file, at: place + 2, bytes: 2), length >= 2,
          place + 2 + length <= file.count
        else { return nil }
        defer { place += 2 + length }
        return Segment(marker: marker, content: place + 4..<place + 2 + length)
      }
    }
    return nil
  }
}
