internal import Frostglass
internal import FrostglassStills
internal import Glibc

/// The end of a video's file, as the lengths in it say it; nothing is decoded.
struct VideoEnd {
  /// The result of comparing a file's length with its container's.
  enum Finding: Equatable {
    /// The file is as long as its container says.
    case whole
    /// The container does not say how long it is.
    case open
    /// The container goes on to this byte at least, and the file does not.
    case cut(Int)
  }

  /// The result.
  let finding: Finding
  /// Bytes of the file.
  private let size: Int

  /// Advice for a video that is cut off.
  static let advice =
    "get all of it, or make a video of what there is, as with ffmpeg's `-i IN -c copy OUT`"

  /// True for a file that can be read at any place.
  static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path.systemPath, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Reads a file's lengths. What is no file, or of no container that says them, is open.
  init(of path: String) {
    let descriptor = VideoEnd.isFile(path) ? open(path.systemPath, O_RDONLY | O_CLOEXEC) : -1
    guard descriptor >= 0 else {
      (finding, size) = (.open, 0)
      return
    }
    defer { close(descriptor) }
    let bytes = FileBytes(descriptor)
    size = bytes.size
    finding =
      bytes.boxes ?? bytes.elements ?? bytes.chunks ?? bytes.packets ?? bytes.tags ?? bytes.pages
      ?? bytes.packs ?? bytes.triplets ?? bytes.objects ?? .open
  }

  /// Refuses a file that is cut off.
  ///
  /// - Throws: `VideoFileError.badFile`.
  func check(_ path: String) throws(VideoFileError) {
    guard case .cut(let end) = finding else { return }
    throw .badFile(
      path: path,
      "it is cut off: by its own lengths it has \(end) bytes or more, and there are \(size); \(Self.advice)"
    )
  }
}

/// A file's bytes, and the lengths that containers have in them. Each gives `nil` for files of another kind.
private struct FileBytes {
  let size: Int
  private let descriptor: Int32

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    var status = stat()
    size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Reads up to so many bytes; fewer are there at the end.
  private func read(_ place: Int, _ count: Int) -> [UInt8] {
    guard place >= 0, place < size else { return [] }
    return [UInt8](unsafeUninitializedCapacity: min(count, size - place)) { room, made in
      made = max(pread(descriptor, room.baseAddress, room.count, off_t(place)), 0)
    }
  }

  private func big(_ bytes: some Collection<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }

  private func little(_ bytes: some BidirectionalCollection<UInt8>) -> Int {
    big(bytes.reversed().drop { $0 == 0 }.prefix(7))
  }

  private func found(_ end: Int) -> VideoEnd.Finding { end > size ? .cut(end) : .whole }

  /// Boxes of MP4 and MOV. One of fragments may have more of them, unless their index is at the end.
  var boxes: VideoEnd.Finding? {
    let known = ["ftyp", "moov", "mdat", "moof", "styp", "free", "skip", "wide", "pnot", "sidx"]
    guard known.contains(String(decoding: read(4, 4), as: UTF8.self)) else { return nil }
    var (place, last, hasFragments) = (0, "", false)
    while place < size {
      let head = read(place, 16)
      guard head.count >= 8 else { return .cut(place + 8) }
      last = String(decoding: head[4..<8], as: UTF8.self)
      hasFragments = hasFragments || last == "moof"
      var length = big(head[..<4])
      if length == 0 { return .open }
      if length == 1, head.count == 16, head[8] < 0x40 { length = big(head[8...]) }
      // After an invalid box nothing is known.
      guard length >= 8, head[4..<8].allSatisfy({ (32..<127).contains($0) || $0 == 0xA9 }) else {
        return .open
      }
      if place + length > size {
        return ["free", "skip"].contains(last) ? .open : .cut(place + length)
      }
      place += length
    }
    if last == "moof" { return .cut(size + 8) }
    return hasFragments && last != "mfra" ? .open : .whole
  }

  /// Elements of Matroska and WebM. Those of a segment or cluster without a length are looked at one by one.
  var elements: VideoEnd.Finding? {
    guard read(0, 4) == [0x1A, 0x45, 0xDF, 0xA3] else { return nil }
    var (place, isOpen) = (0, false)
    while place < size {
      let head = read(place, 12)
      guard let first = head.first, first > 0 else { return .open }
      let width = first.leadingZeroBitCount + 1
      guard width <= 4 else { return .open }
      guard head.count > width else { return .cut(place + width + 1) }
      let more = head[width].leadingZeroBitCount
      guard more < 8 else { return .open }
      guard head.count > width + more else { return .cut(place + width + more + 1) }
      let mask = 0xFF >> (more + 1)
      let length = big([UInt8(Int(head[width]) & mask)] + head[(width + 1)..<(width + more + 1)])
      let body = place + width + more + 1
      let name = big(head[..<width])
      if length == 1 << (7 * (more + 1)) - 1 {
        guard name == 0x1853_8067 || name == 0x1F43_B675 else { return .open }
        (place, isOpen) = (body, true)
        continue
      }
      if body + length > size { return .cut(body + length) }
      place = body + length
    }
    return isOpen ? .open : .whole
  }

  /// Chunks of AVI.
  var chunks: VideoEnd.Finding? {
    guard read(0, 4) == Array("RIFF".utf8), read(8, 4) == Array("AVI ".utf8) else { return nil }
    var place = 0
    while read(place, 4) == Array("RIFF".utf8) {
      let length = little(read(place + 4, 4))
      // The writer did not finish.
      guard length > 4, length < 0xFFFF_FFFF else { return .open }
      if place + 8 + length > size { return .cut(place + 8 + length) }
      place += 8 + length + length % 2
    }
    return .whole
  }

  /// Packets of MPEG-TS.
  var packets: VideoEnd.Finding? {
    for (length, offset) in [(188, 0), (192, 4), (204, 0)] {
      let places = (0..<4).map { offset + $0 * length }
      guard places.allSatisfy({ read($0, 1) == [0x47] }) else { continue }
      let rest = size % length
      guard rest > 0, rest <= offset || read(size - rest + offset, 1) == [0x47] else {
        return .open
      }
      return .cut(size - rest + length)
    }
    return nil
  }

  /// Tags of FLV, each of which is followed by its length.
  var tags: VideoEnd.Finding? {
    guard read(0, 3) == Array("FLV".utf8), size > 17 else { return nil }
    let length = big(read(size - 4, 4))
    let tag = read(size - 4 - length, 4)
    return tag.count == 4 && [8, 9, 18].contains(tag[0] & 0x1F) && big(tag[1...]) + 11 == length
      ? .open : .cut(size + 1)
  }

  /// Pages of Ogg, from one near the end on.
  var pages: VideoEnd.Finding? {
    let mark = Array("OggS".utf8)
    guard read(0, 4) == mark else { return nil }
    let from = max(size - 140_000, 0)
    let tail = read(from, 140_000)
    guard let start = tail.indices.first(where: { tail[$0...].starts(with: mark) }) else {
      return .open
    }
    var place = from + start
    while place < size {
      let head = read(place, 27)
      guard head.count == 27 else { return .cut(place + 27) }
      guard head.starts(with: mark) else { return .open }
      let parts = read(place + 27, Int(head[26]))
      let end = place + 27 + Int(head[26]) + parts.reduce(0) { $0 + Int($1) }
      if end > size { return .cut(end) }
      // Each stream's last page says so.
      if end == size { return head[5] & 4 == 0 ? .cut(size + 1) : .whole }
      place = end
    }
    return .open
  }

  /// Packs of MPEG's program stream, from one near the end on.
  var packs: VideoEnd.Finding? {
    guard read(0, 4) == [0, 0, 1, 0xBA] else { return nil }
    let from = max(size - 200_000, 0)
    let tail = read(from, 200_000)
    guard let start = tail.indices.first(where: { tail[$0...].starts(with: [0, 0, 1, 0xBA]) })
    else {
      return .open
    }
    var place = from + start
    while place < size {
      let head = read(place, 14)
      guard head.count >= 6 || head.starts(with: [0, 0, 1, 0xB9]) else { return .cut(place + 6) }
      guard head.starts(with: [0, 0, 1]) else { return .open }
      switch head[3] {
      case 0xB9: return place + 4 == size ? .whole : .open
      case 0xBA where head[4] & 0xC0 == 0x40:
        guard head.count == 14 else { return .cut(place + 14) }
        place += 14 + Int(head[13] & 7)
      case 0xBA: place += 12
      case 0xBB...0xFF: place += 6 + big(head[4..<6])
      default: return .open
      }
    }
    return place > size ? .cut(place) : .open
  }

  /// Keys, lengths and values of MXF.
  var triplets: VideoEnd.Finding? {
    let mark: [UInt8] = [0x06, 0x0E, 0x2B, 0x34]
    guard read(0, 4) == mark else { return nil }
    var place = 0
    while place < size {
      let head = read(place, 25)
      guard head.count > 16 else { return .cut(place + 17) }
      guard head.starts(with: mark) else { return .open }
      let more = head[16] < 0x80 ? 0 : Int(head[16] & 0x7F)
      guard more <= 8 else { return .open }
      guard head.count > 16 + more else { return .cut(place + 17 + more) }
      let length = more == 0 ? Int(head[16]) : big(head[17..<(17 + more)])
      guard length >= 0, length < 1 << 48 else { return .open }
      place += 17 + more + length
    }
    return place > size ? .cut(place) : .open
  }

  /// The head of ASF and WMV, which says how long the file is unless it was sent while it was made.
  var objects: VideoEnd.Finding? {
    guard read(0, 8) == [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11] else { return nil }
    let head = read(0, 65_536)
    let mark: [UInt8] = [0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11]
    guard let start = head.indices.first(where: { head[$0...].starts(with: mark) }),
      head.count >= start + 92, head[start + 88] & 1 == 0
    else { return .open }
    let length = little(head[(start + 40)..<(start + 48)])
    return length > 0 ? found(length) : .open
  }
}
