internal import FrostglassCore

/// The color description in the boxes of a HEIC or AVIF file.
struct HEIFColor {
  /// From the `colr` box of the image, or of a tile that it is made of, or else from its stream.
  private(set) var codePoints: CodePoints?
  /// True if its boxes turn or mirror the image.
  private(set) var isTurned = false
  /// True if its colors are stored multiplied by alpha.
  private(set) var isPremultiplied = false

  private let reader: BoxReader<UnsafeRawBufferPointer>

  /// - Parameter file: all of it.
  init(_ file: UnsafeRawBufferPointer) {
    reader = BoxReader(file: file)
    let references = ItemReferences(file)
    isPremultiplied = references.isPremultiplied
    guard let meta = reader.last("meta", in: 0..<file.count) else { return }
    let inside = min(meta.lowerBound + 4, meta.upperBound)..<meta.upperBound
    guard let properties = reader.first("iprp", in: inside),
      let container = reader.first("ipco", in: properties),
      let table = reader.first("ipma", in: properties)
    else { return }
    let boxes = reader.boxes(in: container)
    let associated = associations(table)
    let items = [references.primary, references.firstTile].compactMap { $0 }
    let owned = items.flatMap { item in
      (associated[item] ?? []).filter { boxes.indices.contains($0 - 1) }.map {
        (item, boxes[$0 - 1])
      }
    }
    isTurned = owned.contains { $0.0 == items[0] && ["irot", "imir"].contains($0.1.name) }
    for (_, box) in owned where box.name == "colr" && codePoints == nil {
      codePoints = points(in: box.content)
    }
    for (item, box) in owned where codePoints == nil {
      codePoints = streamPoints(in: box.name, box.content, item, inside)
    }
  }

  /// Code points in the header of an item's stream, by the box that configures its decoder.
  private func streamPoints(
    in name: String, _ box: Range<Int>, _ item: Int, _ meta: Range<Int>
  ) -> CodePoints? {
    switch name {
    case "av1C":
      let found = StreamColor.av1(Array(reader.file[box].dropFirst(4)))
      return found ?? start(of: item, meta).flatMap { StreamColor.av1($0) }
    case "hvcC":
      var place = box.lowerBound + 23
      for _ in 0..<(reader.number(place - 1, 1) ?? 0) {
        guard let kind = reader.number(place, 1), let count = reader.number(place + 1, 2) else {
          break
        }
        place += 3
        for _ in 0..<count {
          guard let length = reader.number(place, 2), place + 2 + length <= box.upperBound else {
            return nil
          }
          let unit = place + 2..<place + 2 + length
          if kind & 63 == 33 { return StreamColor.hevc(Array(reader.file[unit])) }
          place = unit.upperBound
        }
      }
      return nil
    default: return nil
    }
  }

  /// The first unit of an item's data, whole if its header is in it, by its place in the file.
  private func start(of item: Int, _ meta: Range<Int>) -> [UInt8]? {
    guard let box = reader.first("iloc", in: meta), let version = reader.number(box.lowerBound, 1),
      let sizes = reader.number(box.lowerBound + 4, 2)
    else { return nil }
    let (offset, length) = (sizes >> 12 & 15, sizes >> 8 & 15)
    let (base, index) = (sizes >> 4 & 15, version == 0 ? 0 : sizes & 15)
    guard [offset, length, base, index].allSatisfy({ [0, 4, 8].contains($0) }) else { return nil }
    let wide = version < 2 ? 2 : 4
    var place = box.lowerBound + 6 + wide
    for _ in 0..<(reader.number(box.lowerBound + 6, wide) ?? 0) {
      guard place < box.upperBound, let found = reader.number(place, wide) else { return nil }
      place += wide
      let method = version == 0 ? 0 : reader.number(place, 2) ?? 0
      place += version == 0 ? 2 : 4
      let start = reader.number(place, base) ?? 0
      guard let extents = reader.number(place + base, 2) else { return nil }
      place += base + 2
      if found == item {
        guard method & 15 == 0, extents > 0, let more = reader.number(place + index, offset),
          let count = reader.number(place + index + offset, length), start <= Int(UInt32.max),
          more <= Int(UInt32.max)
        else { return nil }
        return Array(
          reader.file.dropFirst(start + more).prefix(count == 0 ? 4096 : min(count, 4096)))
      }
      place += extents * (index + offset + length)
    }
    return nil
  }

  private func points(in box: Range<Int>) -> CodePoints? {
    guard reader.number(box.lowerBound, 4) == 0x6E63_6C78,
      let primaries = reader.number(box.lowerBound + 4, 2),
      let transfer = reader.number(box.lowerBound + 6, 2)
    else { return nil }
    return CodePoints(primaries: primaries, transfer: transfer)
  }

  /// The properties of each item, counted from 1.
  private func associations(_ table: Range<Int>) -> [Int: [Int]] {
    guard let version = reader.number(table.lowerBound, 1),
      let flags = reader.number(table.lowerBound + 1, 3),
      let count = reader.number(table.lowerBound + 4, 4)
    else { return [:] }
    let width = flags & 1 == 0 ? 1 : 2
    var found: [Int: [Int]] = [:]
    var place = table.lowerBound + 8
    for _ in 0..<count {
      let bytes = version == 0 ? 2 : 4
      guard place < table.upperBound, let item = reader.number(place, bytes),
        let owned = reader.number(place + bytes, 1)
      else { return found }
      place += bytes + 1
      for _ in 0..<owned {
        // The highest bit says that the property is essential.
        guard let index = reader.number(place, width) else { return found }
        found[item, default: []].append(index & (width == 1 ? 0x7F : 0x7FFF))
        place += width
      }
    }
    return found
  }
}
