internal import FrostglassCore

/// The segments that stand before the data of a JPEG's image, in order.
struct JPEGSegments<File: BlockOfBytes>: Sequence, IteratorProtocol {
  /// A segment of the file.
  struct Segment {
    let marker: UInt8
    /// The range after the marker and the length.
    let content: Range<Int>

    /// True if it is a part of an XMP packet's extension.
    func isExtendedXMP(in file: some BlockOfBytes) -> Bool {
      file[content].starts(with: ExtendedXMP.name)
    }
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
      // The image's data, or the end.
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

extension JPEGSegments {
  /// The kind of a JPEG that is not read, in words; `nil` for others.
  static func unknownKind(_ file: File) -> String? {
    for segment in JPEGSegments(file) {
      switch segment.marker {
      // Tables, and what is kept for extensions.
      case 0xC4, 0xC8, 0xCC: continue
      case 0xC3, 0xC7, 0xCB, 0xCF: return "a lossless JPEG"
      case 0xC5, 0xC6, 0xCD, 0xCE: return "a hierarchical JPEG"
      case 0xC0...0xCF:
        guard let bits = segment.content.first.map({ file[$0] }), bits > 8, bits <= 16 else {
          return nil
        }
        return "a JPEG with \(bits)-bit samples"
      default: continue
      }
    }
    return nil
  }
}

/// The part of an XMP packet that does not fit into one segment of a JPEG, in further segments.
enum ExtendedXMP {
  /// The first bytes of segments with a packet.
  static let standard = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
  /// The first bytes of segments with a part of its extension.
  static let name = Array("http://ns.adobe.com/xmp/extension/\0".utf8)
  /// Bytes of an extension that is read.
  private static let longest = 4 << 20

  /// The extension that the packet names; `nil` where it is not whole, or too long.
  static func joined(_ file: some BlockOfBytes) -> [UInt8]? {
    let order = ByteOrder.big
    var (whole, covered) = ([UInt8](), 0)
    let segments = JPEGSegments(file).filter { $0.marker == 0xE1 }
    guard let packet = segments.first(where: { file[$0.content].starts(with: standard) }) else {
      return nil
    }
    let said = Array(file[packet.content])
    guard let word = XMP.find("HasExtendedXMP", in: said, from: 0) else { return nil }
    let named = said[word...].prefix(48).drop { !Character(Unicode.Scalar($0)).isHexDigit }
    for segment in segments where segment.isExtendedXMP(in: file) {
      // Its name's digits, its length, and where this part belongs.
      let start = segment.content.lowerBound + name.count
      guard let length = order.number(file, at: start + 32, bytes: 4), length <= longest,
        let place = order.number(file, at: start + 36, bytes: 4),
        start + 40 <= segment.content.upperBound
      else { return nil }
      let part = file[start + 40..<segment.content.upperBound]
      guard named.starts(with: file[start..<start + 32]) else { continue }
      if whole.isEmpty { whole = [UInt8](repeating: 0, count: length) }
      guard length == whole.count, place <= length - part.count else { return nil }
      whole.replaceSubrange(place..<place + part.count, with: part)
      covered += part.count
    }
    return covered == whole.count && covered > 0 ? whole : nil
  }
}
