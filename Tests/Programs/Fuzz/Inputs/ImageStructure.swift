/// Finds what is what in an image file that may be broken.
enum ImageStructure {
  /// Parts that are looked at: a broken file may have any number.
  private static let mostParts = 400

  static func of(_ kind: FuzzKind, _ bytes: [UInt8]) -> FuzzStructure {
    switch kind {
    case .png, .apng: png(bytes)
    case .jpeg: jpeg(bytes)
    case .gif: gif(bytes)
    case .webp: riff(bytes)
    case .tiff: tiff(bytes, at: 0)
    case .exif: tiff(bytes, at: bytes.starts(with: Array("Exif\0\0".utf8)) ? 6 : 0)
    case .avif, .heic: boxes(bytes)
    case .jxl: bytes.starts(with: [0, 0, 0, 12]) ? boxes(bytes) : bare(bytes)
    case .bmp: bitmap(bytes)
    case .iptc: iptc(bytes)
    default: FuzzStructure()
    }
  }

  private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int, big: Bool) -> Int? {
    guard offset >= 0, offset + count <= bytes.count else { return nil }
    return Int(truncatingIfNeeded: FuzzField(offset, count, big: big).value(in: bytes))
  }

  private static func png(_ bytes: [UInt8]) -> FuzzStructure {
    var found = FuzzStructure()
    var place = 8
    while let length = number(bytes, place, 4, big: true), found.parts.count < mostParts {
      found.fields += [FuzzField(place, 4, big: true), FuzzField(place + 4, 4, big: true)]
      if bytes[place + 4..<min(place + 8, bytes.count)].elementsEqual("IHDR".utf8) {
        found.fields += [8, 12].map { FuzzField(place + $0, 4, big: true) }
        found.fields += (16...20).map { FuzzField(place + $0, 1) }
      }
      if bytes[place + 4..<min(place + 8, bytes.count)].elementsEqual("fcTL".utf8) {
        found.fields += [8, 12, 16, 20, 24].map { FuzzField(place + $0, 4, big: true) }
        found.fields += [FuzzField(place + 32, 1), FuzzField(place + 33, 1)]
      }
      found.parts.append(place..<place + 12 + length)
      place += 12 + length
    }
    return found
  }

  private static func jpeg(_ bytes: [UInt8]) -> FuzzStructure {
    var found = FuzzStructure()
    var place = 2
    while place + 4 <= bytes.count, bytes[place] == 0xFF, found.parts.count < mostParts,
      let length = number(bytes, place + 2, 2, big: true)
    {
      found.fields += [FuzzField(place + 1, 1), FuzzField(place + 2, 2, big: true)]
      if (0xC0...0xC2).contains(bytes[place + 1]) {
        found.fields += [FuzzField(place + 4, 1), FuzzField(place + 9, 1)]
        found.fields += [5, 7].map { FuzzField(place + $0, 2, big: true) }
        found.fields += (10..<19).map { FuzzField(place + $0, 1) }
      } else if bytes[place + 1] == 0xDA {
        found.fields += (4..<min(14, 2 + max(length, 2))).map { FuzzField(place + $0, 1) }
      }
      found.parts.append(place..<place + 2 + length)
      place += 2 + length
    }
    return found
  }

  private static func gif(_ bytes: [UInt8]) -> FuzzStructure {
    var found = FuzzStructure(fields: [FuzzField(6, 2), FuzzField(8, 2), FuzzField(10, 1)])
    guard bytes.count > 13 else { return found }
    func table(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }
    var place = 13 + table(bytes[10])
    while place + 10 < bytes.count, found.parts.count < mostParts {
      let start = place
      if bytes[place] == 0x2C {
        found.fields += [1, 3, 5, 7].map { FuzzField(start + $0, 2) } + [FuzzField(place + 9, 1)]
        place += 10 + table(bytes[place + 9])
        found.fields.append(FuzzField(place, 1))
        place += 1
      } else if bytes[place] == 0x21 {
        found.fields.append(FuzzField(place + 1, 1))
        place += 2
      } else {
        break
      }
      while place < bytes.count, bytes[place] != 0 {
        found.fields.append(FuzzField(place, 1))
        place += 1 + Int(bytes[place])
      }
      place += 1
      found.parts.append(start..<place)
    }
    return found
  }

  private static func riff(_ bytes: [UInt8]) -> FuzzStructure {
    var found = FuzzStructure(fields: [FuzzField(4, 4)])
    if bytes.count > 12 { chunks(bytes, 12..<bytes.count, &found, depth: 0) }
    return found
  }

  private static func chunks(
    _ bytes: [UInt8], _ range: Range<Int>, _ found: inout FuzzStructure, depth: Int
  ) {
    var place = range.lowerBound
    while place + 8 <= range.upperBound, found.parts.count < mostParts,
      let length = number(bytes, place + 4, 4, big: false)
    {
      let data = place + 8
      found.fields += [FuzzField(place, 4), FuzzField(place + 4, 4)]
      switch String(decoding: bytes[place..<place + 4], as: UTF8.self) {
      case "VP8X":
        found.fields += [FuzzField(data, 1), FuzzField(data + 4, 3), FuzzField(data + 7, 3)]
      case "VP8 ":
        found.fields += [FuzzField(data, 3), FuzzField(data + 6, 2), FuzzField(data + 8, 2)]
      case "VP8L": found.fields += [FuzzField(data, 1), FuzzField(data + 1, 4)]
      case "ANIM": found.fields.append(FuzzField(data + 4, 2))
      case "ANMF":
        found.fields +=
          [0, 3, 6, 9, 12].map { FuzzField(data + $0, 3) } + [FuzzField(data + 15, 1)]
        let end = min(data + length, range.upperBound)
        if depth == 0, data + 16 <= end { chunks(bytes, data + 16..<end, &found, depth: 1) }
      default: break
      }
      let end = data + length + length % 2
      found.parts.append(place..<end)
      place = end
    }
  }

  private static func tiff(_ bytes: [UInt8], at base: Int) -> FuzzStructure {
    let big = bytes.dropFirst(base).first == 0x4D
    var found = FuzzStructure(
      fields: [FuzzField(base + 2, 2, big: big), FuzzField(base + 4, 4, big: big)])
    var directories = [number(bytes, base + 4, 4, big: big)].compactMap { $0 }
    var visited: Set<Int> = []
    while let offset = directories.popLast(), visited.count < 8 {
      guard visited.insert(offset).inserted, let count = number(bytes, base + offset, 2, big: big)
      else { continue }
      found.fields.append(FuzzField(base + offset, 2, big: big))
      for index in 0..<min(count, 64) {
        let place = base + offset + 2 + 12 * index
        found.fields += [FuzzField(place, 2, big: big), FuzzField(place + 2, 2, big: big)]
        found.fields += [FuzzField(place + 4, 4, big: big), FuzzField(place + 8, 4, big: big)]
        found.fields.append(FuzzField(place + 8, 2, big: big))
        found.parts.append(place..<place + 12)
        let value = number(bytes, place + 8, 4, big: big)
        // Directories below, and numbers that stand elsewhere.
        switch number(bytes, place, 2, big: big) {
        case 0x8769, 0x8825, 0xA005: directories += [value].compactMap { $0 }
        default:
          let isLong = number(bytes, place + 2, 2, big: big) == 4
          let more = number(bytes, place + 4, 4, big: big) ?? 0
          guard let value, more > 1 else { continue }
          let size = isLong ? 4 : 2
          found.fields += (0..<min(more, 8)).map {
            FuzzField(base + value + size * $0, size, big: big)
          }
        }
      }
      let next = offset + 2 + 12 * count
      found.fields.append(FuzzField(base + next, 4, big: big))
      if let other = number(bytes, base + next, 4, big: big), other > 0 {
        directories.append(other)
      }
    }
    return found
  }

  private static func boxes(_ bytes: [UInt8]) -> FuzzStructure {
    var found = FuzzStructure()
    var open = [0..<bytes.count]
    while let range = open.popLast(), found.parts.count < mostParts {
      var place = range.lowerBound
      while place + 8 <= range.upperBound, let length = number(bytes, place, 4, big: true),
        length >= 8, found.parts.count < mostParts
      {
        let end = min(place + length, range.upperBound)
        found.fields += [FuzzField(place, 4, big: true), FuzzField(place + 4, 4, big: true)]
        found.parts.append(place..<end)
        switch String(decoding: bytes[place + 4..<place + 8], as: UTF8.self) {
        case "iprp", "ipco", "moov", "trak", "mdia", "minf", "stbl":
          open.append(place + 8..<end)
        case "meta", "iref": if place + 12 <= end { open.append(place + 12..<end) }
        case "iinf": if place + 14 <= end { open.append(place + 14..<end) }
        case "mdat", "idat": break
        default:
          // Small boxes are all numbers, of 1, 2 or 4 bytes.
          for offset in stride(from: place + 8, to: min(end, place + 80), by: 1) {
            found.fields.append(FuzzField(offset, 1))
            if offset % 2 == 0 { found.fields.append(FuzzField(offset, 2, big: true)) }
            if offset % 4 == 0 { found.fields.append(FuzzField(offset, 4, big: true)) }
          }
        }
        place += length
      }
    }
    return found
  }

  /// The first bytes of a JPEG XL, which are numbers of bits.
  private static func bare(_ bytes: [UInt8]) -> FuzzStructure {
    FuzzStructure(fields: (2..<min(24, bytes.count)).map { FuzzField($0, 1) })
  }

  private static func bitmap(_ bytes: [UInt8]) -> FuzzStructure {
    let longs = stride(from: 2, to: min(138, bytes.count - 3), by: 4).map { FuzzField($0, 4) }
    return FuzzStructure(fields: longs + [FuzzField(26, 2), FuzzField(28, 2)])
  }

  private static func iptc(_ bytes: [UInt8]) -> FuzzStructure {
    var found = FuzzStructure()
    var place = bytes.firstIndex(of: 0x1C) ?? bytes.count
    while place + 5 <= bytes.count, bytes[place] == 0x1C, found.parts.count < mostParts,
      let length = number(bytes, place + 3, 2, big: true)
    {
      found.fields += (0..<3).map { FuzzField(place + $0, 1) }
      found.fields.append(FuzzField(place + 3, 2, big: true))
      found.parts.append(place..<place + 5 + length)
      place += 5 + length
    }
    return found
  }

  /// Sets the checksums of a PNG's chunks right, so that what was changed is looked at.
  static func repairChecksums(_ bytes: inout [UInt8]) {
    var place = 8
    while let length = number(bytes, place, 4, big: true), place + 12 + length <= bytes.count {
      let sum = checksum(bytes[place + 4..<place + 8 + length])
      FuzzField(place + 8 + length, 4, big: true).set(UInt64(sum), in: &bytes)
      place += 12 + length
    }
  }

  private static let remainders: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in
      value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
    }
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in remainders[Int((sum ^ UInt32(byte)) & 255)] ^ sum >> 8
    }
  }
}
