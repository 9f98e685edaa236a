internal import FrostglassCore

/// The blocks that a GIF consists of behind its header, in order: extensions and images, up to what is neither.
struct GIFBlocks<File: BlockOfBytes>: Sequence, IteratorProtocol {
  /// A block of the file.
  struct Block {
    let content: Content
    /// The range of the whole block.
    let whole: Range<Int>
    /// Its parts, each behind a byte that says how long it is; the last one is empty unless the file ends before.
    let parts: Range<Int>
  }

  enum Content: Hashable {
    /// By its label.
    case `extension`(UInt8)
    case image(Size)
  }

  private let file: File
  /// The position of the next block.
  private(set) var place: Int
  /// True if the file ends within the last block.
  private(set) var isCutOff = false

  /// - Parameter file: all of it; `nil` where there is not even a header.
  init?(_ file: File) {
    guard file.count > 13 else { return nil }
    self.file = file
    place = 13 + GIF.colorBytes(file[10])
  }

  mutating func next() -> Block? {
    let first = place
    guard place < file.count, let content = readHead() else { return nil }
    let start = Swift.min(place, file.count)
    while place < file.count {
      let length = Int(file[place])
      place += 1 + length
      if length == 0 {
        return Block(content: content, whole: first..<place, parts: start..<place)
      }
    }
    isCutOff = true
    return Block(content: content, whole: first..<file.count, parts: start..<file.count)
  }

  private mutating func readHead() -> Content? {
    let length = file[place] == 0x21 ? 2 : 10
    guard file[place] == 0x21 || file[place] == 0x2C else { return nil }
    guard place + length <= file.count else {
      isCutOff = true
      return nil
    }
    if length == 2 {
      defer { place += length }
      return .extension(file[place + 1])
    }
    let sides = [5, 7].map { ByteOrder.little.number(file, at: place + $0, bytes: 2) ?? 0 }
    // The size of the first code stands before the parts.
    place += length + GIF.colorBytes(file[place + 9]) + 1
    return .image(Size(width: sides[0], height: sides[1]))
  }
}

/// Constants and checks of GIF files, by their specification of 1989.
enum GIF {
  /// The label of comments.
  static let comment: UInt8 = 0xFE
  /// The label of what is said of the image that follows: how long it is shown, and what comes after it.
  static let control: UInt8 = 0xF9

  /// Returns true if a file ends at the end of a block, after at least one image. libnsgif accepts truncated files,
  /// and does not report missing frames.
  ///
  /// The byte that ends a GIF may be missing, as some programs omit it. Invalid blocks are left to the decoder, and
  /// data after the end are ignored.
  ///
  /// - Parameter file: all of it.
  static func isWhole(_ file: some BlockOfBytes) -> Bool {
    guard var blocks = GIFBlocks(file) else { return false }
    var hasImage = false
    while let block = blocks.next() {
      if case .image = block.content { hasImage = true }
    }
    guard !blocks.isCutOff, blocks.place <= file.count else { return false }
    return blocks.place < file.count || hasImage
  }

  /// Returns true if a byte follows the last block.
  static func hasEnd(_ file: some BlockOfBytes) -> Bool {
    guard var blocks = GIFBlocks(file) else { return false }
    while blocks.next() != nil {}
    return blocks.place < file.count
  }

  /// Returns the texts of the comments in a file.
  static func comments(_ file: some BlockOfBytes) -> [[UInt8]] {
    guard let blocks = GIFBlocks(file) else { return [] }
    return blocks.filter { $0.content == .extension(comment) }.map { block in
      var text: [UInt8] = []
      var place = block.parts.lowerBound
      while place < block.parts.upperBound {
        let next = place + 1 + Int(file[place])
        text += file[place + 1..<min(next, file.count)]
        place = next
      }
      return text
    }
  }

  /// The colors that frames of a file may have: with each frame those that no frame before it had, as
  /// 0xRRGGBB.
  static func colors(_ file: some BlockOfBytes) -> [[UInt32]] {
    guard let blocks = GIFBlocks(file) else { return [] }
    func table(_ start: Int, _ flags: UInt8) -> [UInt32] {
      stride(from: start, to: Swift.min(start + colorBytes(flags), file.count - 2), by: 3).map {
        UInt32(file[$0]) << 16 | UInt32(file[$0 + 1]) << 8 | UInt32(file[$0 + 2])
      }
    }
    var known = Set<UInt32>()
    var found: [[UInt32]] = []
    for block in blocks {
      guard case .image = block.content else { continue }
      let start = block.whole.lowerBound
      let own = table(start + 10, file[start + 9])
      found.append((own.isEmpty ? table(13, file[10]) : own).filter { known.insert($0).inserted })
    }
    return found
  }

  /// Bytes of the color table that such flags announce.
  static func colorBytes(_ flags: UInt8) -> Int {
    flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
  }
}
