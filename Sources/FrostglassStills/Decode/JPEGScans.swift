internal import CVips
internal import FrostglassCore

/// The scans of a JPEG, which hold its picture's data, and the frame that they are of.
struct JPEGScans {
  /// A component's coefficients, as one scan after another makes them exact.
  private struct Component {
    let id: UInt8
    /// For each coefficient the bits that are still missing; `nil` before its first scan.
    var missing = [Int?](repeating: nil, count: 64)
  }

  private var components: [Component] = []

  /// The file with the marker that ends it, where that alone is missing; `nil` for all others.
  ///
  /// Each coefficient has then come with all its bits, and what follows the data changes no pixel.
  static func ended(_ file: UnsafeRawBufferPointer) -> [UInt8]? {
    var reader = JPEGSegments(file)
    var scans = JPEGScans()
    while let segment = reader.next() { scans.take(segment, file) }
    guard let first = reader.scan, !hasEnd(file, behind: first) else { return nil }
    var next: Int? = first
    while let start = next {
      guard let length = ByteOrder.big.number(file, at: start + 2, bytes: 2), length >= 2,
        start + 2 + length <= file.count
      else { return nil }
      scans.refine(file[start + 4..<start + 2 + length])
      next = scans.nextScan(file, behind: start + 2 + length)
    }
    guard scans.isWhole else { return nil }
    // The first half of a marker may be there.
    let data = Array(file[..<((file.lastIndex { $0 != 0xFF } ?? 0) + 1)])
    let ended = data + [0xFF, 0xD9]
    return areAlike(ended, data + more + [0xFF, 0xD9]) == true ? ended : nil
  }

  /// Bytes that mean something as codes.
  private static let more = [UInt8](repeating: 0x5A, count: 4096)

  /// Returns whether more data before the end would change pixels: there are fewer than the picture needs.
  static func endsEarly(_ file: UnsafeRawBufferPointer) -> Bool {
    guard
      let end = file.indices.dropLast().last(where: { file[$0] == 0xFF && file[$0 + 1] == 0xD9 })
    else { return false }
    return areAlike(Array(file), file[..<end] + more + file[end...]) == false
  }

  /// The kind of a JPEG that is not read, in words; `nil` for others.
  static func unknownKind(_ file: UnsafeRawBufferPointer) -> String? {
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

  /// Pixels of a picture that is decoded for the comparison.
  private static let mostPixels = 100_000_000

  /// Returns whether two files have the same pixels, comparing some rows at a time; `nil` for large ones.
  ///
  /// Where data run out, libjpeg takes gray for the rest and tells libvips too late.
  private static func areAlike(_ one: [UInt8], _ other: [UInt8]) -> Bool? {
    guard let first = try? ByteSource(.bytes(one)).load(),
      let second = try? ByteSource(.bytes(other)).load(),
      first.size == second.size, first.bands == second.bands
    else { return false }
    guard first.size.area <= mostPixels, first.size.area / 512 <= one.count else { return nil }
    let rows = (VipsRows(of: first), VipsRows(of: second))
    let count = first.size.width * first.bands
    for top in stride(from: 0, to: first.size.height, by: 16) {
      let next = top..<min(top + 16, first.size.height)
      var (left, right) = (
        [UInt8](repeating: 0, count: 16 * count), [UInt8](repeating: 0, count: 16 * count)
      )
      let isRead: Bool = left.withUnsafeMutableBytes { left in
        right.withUnsafeMutableBytes { right in
          guard let left = left.baseAddress, let right = right.baseAddress else { return false }
          do {
            try rows.0.read(next, into: left)
            try rows.1.read(next, into: right)
            return true
          } catch { return false }
        }
      }
      guard isRead, left == right else { return false }
    }
    return true
  }

  private static func hasEnd(_ file: UnsafeRawBufferPointer, behind start: Int) -> Bool {
    var place = file.count - 2
    while place >= start {
      if file[place] == 0xFF, file[place + 1] == 0xD9 { return true }
      place -= 1
    }
    return false
  }

  /// Takes what a frame's header says.
  private mutating func take(
    _ segment: JPEGSegments<UnsafeRawBufferPointer>.Segment, _ file: UnsafeRawBufferPointer
  ) {
    let content = file[segment.content]
    guard (0xC0...0xC2).contains(segment.marker), content.count >= 6 else { return }
    let rows = content.dropFirst(6)
    components = stride(from: rows.startIndex, to: rows.endIndex, by: 3).map {
      Component(id: rows[$0])
    }
  }

  /// Takes what a scan's header says: its components, its coefficients, and the bits that it leaves.
  private mutating func refine(_ header: Slice<UnsafeRawBufferPointer>) {
    let bytes = Array(header)
    guard let count = bytes.first.map({ Int($0) }), bytes.count >= 4 + 2 * count else { return }
    let (first, last) = (Int(bytes[1 + 2 * count]), Int(bytes[2 + 2 * count]))
    let low = Int(bytes[3 + 2 * count] & 15)
    guard first <= last, last < 64 else { return }
    for part in 0..<count {
      for index in components.indices where components[index].id == bytes[1 + 2 * part] {
        for coefficient in first...last { components[index].missing[coefficient] = low }
      }
    }
  }

  private var isWhole: Bool {
    !components.isEmpty
      && components.allSatisfy { $0.missing.allSatisfy { $0 == 0 } }
  }

  /// The place of the next scan's marker behind the data of one; `nil` at the end.
  private func nextScan(_ file: UnsafeRawBufferPointer, behind start: Int) -> Int? {
    var place = start
    while place + 4 <= file.count {
      guard file[place] == 0xFF else {
        place += 1
        continue
      }
      switch file[place + 1] {
      case 0xDA: return place
      // Data, a restart, or a byte to fill up.
      case 0x00, 0x01, 0xD0...0xD7: place += 2
      case 0xFF: place += 1
      default: place += 2 + (ByteOrder.big.number(file, at: place + 2, bytes: 2) ?? 0)
      }
    }
    return nil
  }
}
