internal import CVips
internal import FrostglassCore

/// The rows of a PNG file, as far as they can be told before they are decoded.
struct PNGRows {
  /// Bytes of a row before it is compressed, with the one that names its filter.
  let bytes: Int
  let areInterlaced: Bool
  /// The positions in the file where their data begin, and where the last of them end.
  let dataStart: Int
  let dataEnd: Int
  private let data: [Range<Int>]
  private let width: Int
  private let height: Int
  private let bitsPerPixel: Int

  /// - Parameter file: all of it, or as much as there is.
  /// - Returns: `nil` for what has no such header, or no data.
  init?(_ file: UnsafeRawBufferPointer) {
    guard let width = ByteOrder.big.number(file, at: 16, bytes: 4),
      let height = ByteOrder.big.number(file, at: 20, bytes: 4), file.count > 28,
      let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][Int(file[25])]
    else { return nil }
    self.width = width
    self.height = height
    bitsPerPixel = Int(file[24]) * channels
    bytes = Self.bytes(width, bitsPerPixel)
    areInterlaced = file[28] != 0
    var data: [Range<Int>] = []
    var place = PNGChunk.signature.count
    while place + 8 <= file.count, let length = ByteOrder.big.number(file, at: place, bytes: 4) {
      let content = place + 8..<min(place + 8 + length, file.count)
      if file[place + 4..<place + 8].elementsEqual("IDAT".utf8) {
        data.append(content)
      } else if !data.isEmpty {
        break
      }
      place += 12 + length
    }
    guard let first = data.first, let last = data.last else { return nil }
    self.data = data
    dataStart = first.lowerBound
    dataEnd = last.upperBound
  }

  private static func bytes(_ width: Int, _ bits: Int) -> Int { (width * bits + 7) / 8 + 1 }

  /// Returns true if it is interlaced, and its data expand to more than its rows take. All rows are decoded at once
  /// then.
  func isTooMuchInterlaced(in file: UnsafeRawBufferPointer) -> Bool {
    guard areInterlaced else { return false }
    // The seven passes of Adam7: the first column and row of each, and the steps from there.
    let passes = [
      (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
      (0, 1, 1, 2),
    ]
    let most = passes.reduce(0.0) { sum, pass in
      let columns = max(width - pass.0 + pass.2 - 1, 0) / pass.2
      let rows = max(height - pass.1 + pass.3 - 1, 0) / pass.3
      return columns == 0 ? sum : sum + Double(rows) * Double(Self.bytes(columns, bitsPerPixel))
    }
    // What is claimed is more than the file could have: that is refused elsewhere.
    guard most < Double(file.count) * 1032 else { return false }
    // As libpng, which passes over what is too much.
    let limit = Int(most) + (1 << 16)
    let whole = data.reduce(into: [UInt8]()) { $0 += file[$1] }
    return whole.withUnsafeBytes { fg_inflated_size($0.baseAddress, $0.count, limit) } > limit
  }
}
