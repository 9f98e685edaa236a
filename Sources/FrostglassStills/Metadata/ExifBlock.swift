internal import FrostglassCore

/// A parsed EXIF block: a TIFF structure of directories. Only entries that are harmless
/// next to a changed image are kept.
///
/// Dropped are the thumbnail with the whole of IFD1 that describes it, the maker's note (it may
/// hold a preview), embedded Photoshop, XMP, IPTC and ICC data, which have their own place in a
/// file, tags that point at image data, and private tags.
///
/// libexif does not take its place: it reads and writes blocks on their own, and not the directories of TIFF and
/// BigTIFF files, which are read and written here by the same code.
struct ExifBlock {
  private var main: [ExifEntry] = []
  private var detail: [ExifEntry] = []
  private var position: [ExifEntry] = []
  private var exchange: [ExifEntry] = []
  /// The orientation as it is stored, 1…8; `nil` where the block has none.
  private(set) var orientation: Int?
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
    self.init(block, at: first, order, DirectoryLayout())
  }

  /// Reads the tags of a directory of a TIFF file, classic or big; `nil` where there are none to keep.
  ///
  /// Its resolution is the image's own.
  init?(tiff file: some BlockOfBytes, at place: Int) {
    guard let order = ByteOrder(mark: Array(file.prefix(2))),
      let version = order.number(file, at: 2, bytes: 2), version == 42 || version == 43
    else { return nil }
    let layout = version == 43 ? DirectoryLayout.big : DirectoryLayout()
    self.init(file, at: place, order, layout)
    main.removeAll { ExifTag.resolution.contains($0.tag) }
    guard !main.isEmpty || !detail.isEmpty || !position.isEmpty else { return nil }
  }

  /// A block in which nothing is said yet.
  init() { order = .little }

  private init(
    _ block: some BlockOfBytes, at first: Int, _ order: ByteOrder, _ layout: DirectoryLayout
  ) {
    self.order = order
    func pointed(_ tag: Int, in entries: [ExifEntry]) -> [ExifEntry] {
      guard let pointer = entries.first(where: { $0.tag == tag }),
        let offset = order.number(pointer.data, at: 0, bytes: min(pointer.data.count, layout.field))
      else { return [] }
      return ExifEntry.directory(of: block, at: offset, order, layout)
    }
    let all = ExifEntry.directory(of: block, at: first, order, layout)
    let details = pointed(ExifTag.detail, in: all)
    orientation = all.first { $0.tag == ExifTag.orientation }?.numbers(order)?.first
      .flatMap { (1...8).contains($0) ? $0 : nil }
    main = all.filter { Self.keepsMain($0.tag) && $0.isClassic }
    detail = details.filter { Self.keepsDetail($0.tag) && $0.isClassic }
    position = pointed(ExifTag.position, in: all).filter(\.isClassic)
    exchange = pointed(ExifTag.exchange, in: details).filter(\.isClassic)
  }

  /// Says that the image is upright and how large it is.
  mutating func describe(_ size: Size) {
    Self.set(ExifTag.orientation, .short(1), in: &main, order)
    guard !detail.isEmpty else { return }
    Self.set(ExifTag.width, .long(size.width), in: &detail, order)
    Self.set(ExifTag.height, .long(size.height), in: &detail, order)
  }

  /// Has the place of the subject follow an image that is turned upright, or leaves it out where it
  /// lies outside of the image.
  ///
  /// - Parameter size: the stored image's.
  mutating func turn(_ orientation: Orientation, _ size: Size) {
    for (tag, counts) in [(ExifTag.subjectArea, 2...4), (ExifTag.subjectLocation, 2...2)] {
      guard let index = detail.firstIndex(where: { $0.tag == tag }) else { continue }
      let numbers = detail[index].numbers(order) ?? []
      guard counts.contains(numbers.count), numbers[0] < size.width, numbers[1] < size.height else {
        detail.remove(at: index)
        continue
      }
      let center = orientation.pixel(numbers[0], numbers[1], in: size)
      let sides = orientation.isTransposed ? numbers[2...].reversed() : Array(numbers[2...])
      detail[index] = ExifEntry(tag, .shorts([center.x, center.y] + sides), order)
    }
  }

  /// Leaves out the place of the subject.
  mutating func leaveOutSubject() {
    detail.removeAll { [ExifTag.subjectArea, ExifTag.subjectLocation].contains($0.tag) }
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

  /// True if it says more than how the image is stored, which libvips writes with any image.
  var saysMoreThanStorage: Bool {
    !position.isEmpty || (main + detail).contains { !ExifTag.storage.contains($0.tag) }
  }

  /// Takes texts that have a tag of their own, where nothing else stands in it.
  ///
  /// - Parameter withComments: true if comments go into their tag, too.
  /// - Returns: the texts that have none.
  mutating func take(
    _ texts: [StillMetadata.Text], withComments: Bool
  ) -> [StillMetadata.Text] {
    texts.filter { text in
      if let tag = ExifTag.texts[text.keyword] {
        let entry = ExifEntry(tag, .text(text.text), order)
        guard let known = main.first(where: { $0.tag == tag }) else {
          main.append(entry)
          return false
        }
        return known.data != entry.data
      }
      guard withComments, text.keyword == StillMetadata.Text.comment,
        !detail.contains(where: { $0.tag == ExifTag.comment })
      else { return true }
      detail.append(ExifEntry(ExifTag.comment, .comment(text.text), order))
      return false
    }
  }

  /// Leaves out the longest entries until the block has at most `most` bytes.
  ///
  /// - Returns: true if something was left out.
  mutating func shorten(to most: Int) -> Bool {
    var left = byteCount
    guard left > most else { return false }
    let lengths = (main + detail + position + exchange).map(\.data.count).sorted(by: >)
    // All of one length go together, so that it does not matter which comes first.
    var shortest = Int.max
    for length in lengths where left > most || length == shortest {
      left -= ExifEntry.bytes(ofData: length)
      shortest = length
    }
    for path in [\ExifBlock.main, \.detail, \.position, \.exchange] {
      self[keyPath: path].removeAll { $0.data.count >= shortest }
    }
    return true
  }

  /// A directory of a TIFF file with entries that it has already, and with those of this block that it
  /// does not have; behind it all to which it points anew.
  ///
  /// - Parameters:
  ///   - stored: its entries, 12 bytes each.
  ///   - order: the file's.
  ///   - base: the directory's position in the file; an even number.
  func directory(with stored: [UInt8], _ order: ByteOrder, at base: Int) -> [UInt8] {
    let rows = stride(from: 0, to: stored.count, by: 12).map { Array(stored[$0..<$0 + 12]) }
    let tags = Set(rows.compactMap { order.number($0, at: 0, bytes: 2) })
    var block = self
    block.main = main.filter { !tags.contains($0.tag) && $0.tag != ExifTag.orientation }
    return block.inOrder(order).serialized([], at: base, beside: rows)
  }

  private func inOrder(_ other: ByteOrder) -> ExifBlock {
    guard other != order else { return self }
    var block = ExifBlock(order: other)
    block.main = main.map(\.inOtherOrder)
    block.detail = detail.map(\.inOtherOrder)
    block.position = position.map(\.inOtherOrder)
    block.exchange = exchange.map(\.inOtherOrder)
    return block
  }

  private init(order: ByteOrder) { self.order = order }

  /// The length of `bytes`.
  private var byteCount: Int {
    let others = [detail, position, exchange]
    // A directory says how many entries it has and where the next one is; an entry points to each of the others.
    let heads = 14 + 6 + 18 * others.count { !$0.isEmpty }
    return (others + [main]).joined().reduce(heads) { $0 + ExifEntry.bytes(ofData: $1.data.count) }
  }

  /// The block again, beginning with `Exif` and two zeros as the savers of libvips want it.
  var bytes: [UInt8] {
    Array("Exif\0\0".utf8)
      + serialized(order.mark + order.bytes(42, 2) + order.bytes(8, 4), at: 0, beside: [])
  }

  /// All directories, one after another.
  ///
  /// - Parameters:
  ///   - head: the bytes before them.
  ///   - base: the position of the head in the file, from which offsets count.
  ///   - stored: rows of the first directory as they are.
  private func serialized(_ head: [UInt8], at base: Int, beside stored: [[UInt8]]) -> [UInt8] {
    var block = head
    let pointers = [(ExifTag.detail, detail), (ExifTag.position, position)]
      .filter { !$0.1.isEmpty }
    var slots: [Int: Int] = [:]
    append(main, pointers.map(\.0), to: &block, &slots, base, beside: stored)
    for (tag, entries) in pointers {
      link(slots[tag], to: &block, base)
      let more = tag == ExifTag.detail && !exchange.isEmpty ? [ExifTag.exchange] : []
      append(entries, more, to: &block, &slots, base)
    }
    if let slot = slots[ExifTag.exchange] {
      link(slot, to: &block, base)
      append(exchange, [], to: &block, &slots, base)
    }
    return block
  }

  /// Appends a directory and then its long values; `slots` tells where to write what pointers mean.
  private func append(
    _ entries: [ExifEntry], _ pointers: [Int], to block: inout [UInt8], _ slots: inout [Int: Int],
    _ base: Int, beside stored: [[UInt8]] = []
  ) {
    let made = entries + pointers.map { ExifEntry($0, .long(0), order) }
    let rows: [(tag: Int, entry: ExifEntry?, stored: [UInt8])] =
      made.map { ($0.tag, $0, []) }
      + stored.map { (order.number($0, at: 0, bytes: 2) ?? 0, nil, $0) }
    var values = base + block.count + 2 + 12 * rows.count + 4
    var tail: [UInt8] = []
    block += order.bytes(rows.count, 2)
    for row in rows.sorted(by: { $0.tag < $1.tag }) {
      guard let entry = row.entry else {
        block += row.stored
        continue
      }
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

  private func link(_ slot: Int?, to block: inout [UInt8], _ base: Int) {
    guard let slot else { return }
    block.replaceSubrange(slot..<slot + 4, with: order.bytes(base + block.count, 4))
  }

  private static func set(
    _ tag: Int, _ value: ExifEntry.Value, in entries: inout [ExifEntry], _ order: ByteOrder
  ) {
    entries.removeAll { $0.tag == tag }
    entries.append(ExifEntry(tag, value, order))
  }

  /// Name, description, maker, model, resolution, software, dates, artist, rating, copyright and Windows'
  /// titles: the tags of IFD0 that describe more than the storage of the old samples.
  private static func keepsMain(_ tag: Int) -> Bool {
    switch tag {
    case 0x010D...0x0110, 0x011A...0x011B, 0x011D, 0x0128, 0x0131...0x0132, 0x013B...0x013C: true
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

/// A tag of an EXIF directory, with its value in the byte order of its block.
struct ExifEntry {
  /// Values that are written anew.
  enum Value {
    case short(Int)
    case shorts([Int])
    case long(Int)
    case text(String)
    /// A text with its alphabet in front.
    case comment(String)
  }

  let tag: Int
  /// The type of `data`, 1…12 as TIFF numbers its types.
  let type: Int
  let count: Int
  let data: [UInt8]

  init(_ tag: Int, _ value: Value, _ order: ByteOrder) {
    self.tag = tag
    switch value {
    case .short(let number): (type, count, data) = (3, 1, order.bytes(number, 2))
    case .shorts(let numbers):
      (type, count, data) = (3, numbers.count, numbers.flatMap { order.bytes($0, 2) })
    case .long(let number): (type, count, data) = (4, 1, order.bytes(number, 4))
    case .text(let text): (type, count, data) = (2, text.utf8.count + 1, Array(text.utf8) + [0])
    case .comment(let text):
      let isASCII = text.utf8.allSatisfy { $0 < 128 }
      let alphabet = Array("ASCII".utf8) + [0, 0, 0]
      let bytes = (isASCII ? alphabet : [UInt8](repeating: 0, count: 8)) + Array(text.utf8)
      (type, count, data) = (7, bytes.count, bytes)
    }
  }

  private init(tag: Int, type: Int, count: Int, data: [UInt8]) {
    (self.tag, self.type, self.count, self.data) = (tag, type, count, data)
  }

  /// Returns the bytes that an entry takes. Data longer than 4 bytes are stored after the directory.
  static func bytes(ofData count: Int) -> Int { 12 + (count > 4 ? (count + 1) / 2 * 2 : 0) }

  /// Its values, where those are shorts or longs.
  func numbers(_ order: ByteOrder) -> [Int]? {
    guard type == 3 || type == 4 else { return nil }
    let unit = type == 3 ? 2 : 4
    return (0..<min(count, 16)).compactMap { order.number(data, at: $0 * unit, bytes: unit) }
  }

  /// True if its type exists in EXIF and classic TIFF.
  var isClassic: Bool { type <= 12 }

  /// The same with the bytes of its numbers turned.
  var inOtherOrder: ExifEntry {
    let unit = [3: 2, 4: 4, 5: 4, 8: 2, 9: 4, 10: 4, 11: 4, 12: 8][type] ?? 1
    let turned = stride(from: 0, to: data.count - unit + 1, by: unit).flatMap {
      data[$0..<$0 + unit].reversed()
    }
    return ExifEntry(tag: tag, type: type, count: count, data: turned)
  }

  /// Bytes of a directory's values together, in a file that is no EXIF block.
  private static let mostBytes = 16 << 20

  /// Reads the entry at an offset; `nil` where it is broken or reaches out of the block.
  private init?(
    _ block: some BlockOfBytes, at offset: Int, _ order: ByteOrder, _ layout: DirectoryLayout
  ) {
    guard let tag = order.number(block, at: offset, bytes: 2),
      let type = order.number(block, at: offset + 2, bytes: 2),
      let count = order.number(block, at: offset + 4, bytes: layout.field),
      let unit = Self.bytesPerValue[type], count >= 1, count <= block.count
    else { return nil }
    let length = count * unit
    let own = offset + 4 + layout.field
    let place = length <= layout.field ? own : order.number(block, at: own, bytes: layout.field)
    guard let place, place >= 0, place <= block.count - length, length <= Self.mostBytes else {
      return nil
    }
    self.init(tag: tag, type: type, count: count, data: Array(block[place..<place + length]))
  }

  /// All sound entries of the directory at an offset, each tag once.
  static func directory(
    of block: some BlockOfBytes, at offset: Int, _ order: ByteOrder, _ layout: DirectoryLayout
  ) -> [ExifEntry] {
    guard let count = order.number(block, at: offset, bytes: layout.count),
      (0...0xFFFF).contains(count)
    else { return [] }
    var seen: Set<Int> = []
    var entries: [ExifEntry] = []
    // Values may overlap in a hostile block; valid ones together are no longer than the block.
    var room = min(block.count, mostBytes)
    for index in 0..<count {
      let place = offset + layout.count + layout.entry * index
      guard let entry = ExifEntry(block, at: place, order, layout),
        entry.data.count <= room, seen.insert(entry.tag).inserted
      else { continue }
      room -= entry.data.count
      entries.append(entry)
    }
    return entries
  }

  /// By TIFF's type numbers: byte, text, short, long, rational, and their signed kin; pointers, and
  /// longs of 64 bits.
  private static let bytesPerValue = [
    1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 18: 8,
  ]
}

/// The number of bytes of each number in a directory.
struct DirectoryLayout {
  /// The number of entries.
  var count = 2
  var entry = 12
  /// A count of values, and a value or an offset.
  var field = 4

  /// The layout of big TIFF.
  static let big = DirectoryLayout(count: 8, entry: 20, field: 8)
}

/// The numbers of the EXIF tags that are looked at one by one.
enum ExifTag {
  static let orientation = 0x0112
  /// Points at the directory of how the image was taken.
  static let detail = 0x8769
  /// Points at the GPS directory.
  static let position = 0x8825
  /// Points at the directory that says how to exchange files, inside that of `detail`.
  static let exchange = 0xA005
  static let exchangeIndex = 0x0001
  static let colorSpace = 0xA001
  static let width = 0xA002
  static let height = 0xA003
  /// Center of the subject in pixels, with its diameter or its width and height.
  static let subjectArea = 0x9214
  /// Center of the subject in pixels.
  static let subjectLocation = 0xA214
  /// Both resolutions, and their unit.
  static let resolution = [0x011A, 0x011B, 0x0128]
  /// The tag for a comment, inside the directory of `detail`.
  static let comment = 0x9286
  /// Orientation, resolution, places of colors and of components, sizes, and versions of formats.
  static let storage: Set<Int> = [
    orientation, 0x011A, 0x011B, 0x0128, 0x0213, 0x9000, 0x9101, 0xA000, colorSpace, width, height,
  ]
  /// Tags for what a PNG has under these keywords.
  static let texts = [
    "Description": 0x010E, "Software": 0x0131, "Author": 0x013B, "Copyright": 0x8298,
  ]
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
  func number(_ block: some BlockOfBytes, at offset: Int, bytes count: Int) -> Int? {
    guard offset >= 0, offset <= block.count - count else { return nil }
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

/// Bytes from 0 on: an array, or a file that is mapped into memory.
protocol BlockOfBytes: RandomAccessCollection<UInt8> where Index == Int {}
extension Array: BlockOfBytes where Element == UInt8 {}
extension UnsafeRawBufferPointer: BlockOfBytes {}
