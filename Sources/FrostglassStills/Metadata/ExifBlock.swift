internal import FrostglassCore

/// An EXIF block taken apart: a TIFF structure of directories, of which only what is harmless
/// beside a changed picture is kept.
///
/// Dropped are the thumbnail with the whole of IFD1 that describes it, the maker's note (it may
/// hold a preview), embedded Photoshop, XMP, IPTC and ICC data, which have their own place in a
/// file, tags that point at picture data, and private tags.
struct ExifBlock {
  private(set) var main: [ExifEntry] = []
  private(set) var detail: [ExifEntry] = []
  private(set) var position: [ExifEntry] = []
  private(set) var exchange: [ExifEntry] = []
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
