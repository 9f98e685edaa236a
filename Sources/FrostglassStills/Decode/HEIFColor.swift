internal import FrostglassCore

/// What the boxes of a HEIC or AVIF file say about the colors of its picture.
struct HEIFColor {
  /// From the `colr` box of the picture, or of a tile that it is made of.
  private(set) var codePoints: CodePoints?
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
    let owned = associations(table)
    for item in [references.primary, references.firstTile].compactMap({ $0 }) {
      for index in owned[item] ?? [] where boxes.indices.contains(index - 1) {
        let box = boxes[index - 1]
        guard codePoints == nil, box.name == "colr" else { continue }
        codePoints = points(in: box.content)
      }
    }
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
