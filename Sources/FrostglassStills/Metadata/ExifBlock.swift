internal import FrostglassCore

/// An EXIF block taken apart: a TIFF structure of directories, of which only what is harmless
/// beside a changed picture is kept.
///
/// Dropped are the thumbnail with the whole of IFD1 that describes it, the maker's note (it may
/// hold a preview), embedded Photoshop, XMP, IPTC and ICC data, which have their own place in a
/// file, tags that point at picture data, and private tags.
struct ExifBlock {
  private var main: [ExifEntry] = []
  private var detail: [ExifEntry] = []
  private var position: [ExifEntry] = []
  private var exchange: [ExifEntry] = []
  private let order: ByteOrder

  /// Reads a block, with or without `Exif` and two zeros in front; `nil` where it is none.
  ///
  /// Entries that reach out of the block are left out.
  init?(_ bytes: [UInt8]) {
    let lead = Array("Exif\0\0".utf8)
    let block = bytes.starts(with: lead) ? Array(bytes.dropFirst(lead.count)) : bytes
    guard let order = ByteOrder(mark: block), order.number(block, at: 2, bytes: 2) == 42,
      let first = order.number(block, at: 4, bytes: 4)
    else { return nil }
    self.order = order
    let all = ExifEntry.directory(of: block, at: first, order)
    main = all.filter { Self.keepsMain($0.tag) }
    let details = pointed(ExifTag.detail, in: all, of: block)
    detail = details.filter { Self.keepsDetail($0.tag) }
    position = pointed(ExifTag.position, in: all, of: block)
    exchange = pointed(ExifTag.exchange, in: details, of: block)
  }

  /// Says that the picture is upright and how large it is.
  mutating func describe(_ size: Size) {
    Self.set(ExifTag.orientation, .short(1), in: &main, order)
    guard !detail.isEmpty else { return }
    Self.set(ExifTag.width, .long(size.width), in: &detail, order)
    Self.set(ExifTag.height, .long(size.height), in: &detail, order)
  }

  /// Says that the samples are sRGB, where something else was said.
  mutating func describeSRGB() {
    if detail.contains(where: { $0.tag == ExifTag.colorSpace }) {
      Self.set(ExifTag.colorSpace, .short(1), in: &detail, order)
    }
    if exchange.contains(where: { $0.tag == ExifTag.exchangeIndex }) {
      Self.set(ExifTag.exchangeIndex, .text("R98"), in: &exchange, order)
    }
  }

  /// The block again, beginning with `Exif` and two zeros as the savers of libvips want it.
  var bytes: [UInt8] {
    var block = order.mark + order.bytes(42, 2) + order.bytes(8, 4)
    let pointers = [(ExifTag.detail, detail), (ExifTag.position, position)]
      .filter { !$0.1.isEmpty }
    var slots: [Int: Int] = [:]
    append(main, pointers.map(\.0), to: &block, &slots)
    for (tag, entries) in pointers {
      link(slots[tag], to: &block)
      let more = tag == ExifTag.detail && !exchange.isEmpty ? [ExifTag.exchange] : []
      append(entries, more, to: &block, &slots)
    }
    if let slot = slots[ExifTag.exchange] {
      link(slot, to: &block)
      append(exchange, [], to: &block, &slots)
    }
    return Array("Exif\0\0".utf8) + block
  }

  /// Appends a directory and then its long values; `slots` tells where to write what pointers mean.
  private func append(
    _ entries: [ExifEntry], _ pointers: [Int], to block: inout [UInt8], _ slots: inout [Int: Int]
  ) {
    let all =
      (entries + pointers.map { ExifEntry($0, .long(0), order) }).sorted { $0.tag < $1.tag }
    var values = block.count + 2 + 12 * all.count + 4
    var tail: [UInt8] = []
    block += order.bytes(all.count, 2)
    for entry in all {
      block += order.bytes(entry.tag, 2) + order.bytes(entry.type, 2) + order.bytes(entry.count, 4)
      if pointers.contains(entry.tag) { slots[entry.tag] = block.count }
      if entry.data.count <= 4 {
        block += entry.data + [UInt8](repeating: 0, count: 4 - entry.data.count)
      } else {
        block += order.bytes(values, 4)
        let padded = entry.data + (entry.data.count % 2 == 1 ? [0] : [])
        tail += padded
        values += padded.count
      }
    }
    // No directory follows: IFD1 is the thumbnail's.
    block += [0, 0, 0, 0] + tail
  }

  private func link(_ slot: Int?, to block: inout [UInt8]) {
    guard let slot else { return }
    block.replaceSubrange(slot..<slot + 4, with: order.bytes(block.count, 4))
  }

  private func pointed(_ tag: Int, in entries: [ExifEntry], of block: [UInt8]) -> [ExifEntry] {
    guard let pointer = entries.first(where: { $0.tag == tag }),
      let offset = order.number(pointer.data, at: 0, bytes: 4)
    else { return [] }
    return ExifEntry.directory(of: block, at: offset, order)
  }

  private static func set(
    _ tag: Int, _ value: ExifEntry.Value, in entries: inout [ExifEntry], _ order: ByteOrder
  ) {
    entries.removeAll { $0.tag == tag }
    entries.append(ExifEntry(tag, value, order))
  }

  /// Description, maker, model, resolution, software, dates, artist, rating, copyright and Windows'
  /// titles: the tags of IFD0 that describe more than the storage of the old samples.
  private static func keepsMain(_ tag: Int) -> Bool {
    switch tag {
    case 0x010E...0x0110, 0x011A...0x011B, 0x0128, 0x0131...0x0132, 0x013B...0x013C: true
    case 0x0213, 0x4746, 0x4749, 0x8298, 0x9C9B...0x9C9F: true
    default: false
    }
  }

  /// The range of tags that the EXIF standard defines, without the maker's note and pointers.
  private static func keepsDetail(_ tag: Int) -> Bool {
    switch tag {
    case 0x83BB, 0x8649, ExifTag.detail, 0x8773, ExifTag.position, 0x927C, ExifTag.exchange: false
    case 0x829A...0xA4FF: true
    default: false
    }
  }
}

/// One tag of an EXIF directory with its value in the byte order of its block.
private struct ExifEntry {
  /// Values that are written anew.
  enum Value {
    case short(Int)
    case long(Int)
    case text(String)
  }

  let tag: Int
  /// What `data` consists of, 1…12 as TIFF numbers its types.
  let type: Int
  let count: Int
  let data: [UInt8]

  init(_ tag: Int, _ value: Value, _ order: ByteOrder) {
    self.tag = tag
    switch value {
    case .short(let number): (type, count, data) = (3, 1, order.bytes(number, 2))
    case .long(let number): (type, count, data) = (4, 1, order.bytes(number, 4))
    case .text(let text): (type, count, data) = (2, text.utf8.count + 1, Array(text.utf8) + [0])
    }
  }

  /// Reads the entry at an offset; `nil` where it is broken or reaches out of the block.
  private init?(_ block: [UInt8], at offset: Int, _ order: ByteOrder) {
    guard let tag = order.number(block, at: offset, bytes: 2),
      let type = order.number(block, at: offset + 2, bytes: 2),
      let count = order.number(block, at: offset + 4, bytes: 4),
      let unit = Self.bytesPerValue[type], count >= 1, count <= block.count
    else { return nil }
    let length = count * unit
    let place = length <= 4 ? offset + 8 : order.number(block, at: offset + 8, bytes: 4)
    guard let place, place + length <= block.count else { return nil }
    self.tag = tag
    self.type = type
    self.count = count
    data = Array(block[place..<place + length])
  }

  /// All sound entries of the directory at an offset, each tag once.
  static func directory(of block: [UInt8], at offset: Int, _ order: ByteOrder) -> [ExifEntry] {
    guard let count = order.number(block, at: offset, bytes: 2) else { return [] }
    var seen: Set<Int> = []
    var entries: [ExifEntry] = []
    // Values may overlap in a hostile block; sound ones together are no longer than the block.
    var room = block.count
    for index in 0..<count {
      guard let entry = ExifEntry(block, at: offset + 2 + 12 * index, order),
        entry.data.count <= room, seen.insert(entry.tag).inserted
      else { continue }
      room -= entry.data.count
      entries.append(entry)
    }
    return entries
  }

  /// By TIFF's type numbers: byte, text, short, long, rational, and their signed kin.
  private static let bytesPerValue = [
    1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8,
  ]
}

/// The numbers of the EXIF tags that are looked at one by one.
private enum ExifTag {
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

/// The order of bytes in a TIFF structure.
enum ByteOrder {
  case little
  case big

  /// Reads the mark in the first two bytes: `II` or `MM`.
  init?(mark block: [UInt8]) {
    switch String(decoding: block.prefix(2), as: UTF8.self) {
    case "II": self = .little
    case "MM": self = .big
    default: return nil
    }
  }

  var mark: [UInt8] { Array((self == .little ? "II" : "MM").utf8) }

  /// An unsigned number, or `nil` where it would reach out of the block.
  func number(_ block: [UInt8], at offset: Int, bytes count: Int) -> Int? {
    guard offset >= 0, offset + count <= block.count else { return nil }
    let bytes = block[offset..<offset + count]
    return self == .big
      ? bytes.reduce(0) { $0 << 8 | Int($1) } : bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// The lowest bytes of a number.
  func bytes(_ number: Int, _ count: Int) -> [UInt8] {
    let little = (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    return self == .little ? little : little.reversed()
  }
}
