internal import CVips
internal import FrostglassCore

/// The table of tags of an ICC profile, as far as littleCMS finds it.
struct ICCTags {
  private let profile: [UInt8]
  private var places: [String: Range<Int>] = [:]

  init(_ profile: [UInt8]) {
    self.profile = profile
    guard let count = ByteOrder.big.number(profile, at: 128, bytes: 4), count <= 100,
      132 + 12 * count <= profile.count
    else { return }
    let end = min(ByteOrder.big.number(profile, at: 0, bytes: 4) ?? 0, profile.count)
    for index in 0..<count {
      let entry = 132 + 12 * index
      guard let start = ByteOrder.big.number(profile, at: entry + 4, bytes: 4),
        let length = ByteOrder.big.number(profile, at: entry + 8, bytes: 4),
        start + length <= end
      else { continue }
      places[name(at: entry)] = start..<start + length
    }
  }

  private func name(at place: Int) -> String {
    String(decoding: profile[place..<place + 4], as: UTF8.self)
  }

  /// False if the profile is shorter than it says, as it is where a part of it is missing.
  var isWhole: Bool {
    (ByteOrder.big.number(profile, at: 0, bytes: 4) ?? .max) <= profile.count
  }

  /// The color space of the samples that the profile is for, such as `RGB `; empty if there is none.
  var space: String { profile.count < 128 ? "" : name(at: 16) }

  /// The first intent that the profile can be used with: of its tables, or of its curves and primaries,
  /// which serve all. Returns `nil` if the profile has neither.
  ///
  /// libvips would replace a profile by a built-in one, without an error, for any other intent.
  var intent: VipsIntent? {
    let tables = [
      ("A2B1", VIPS_INTENT_RELATIVE), ("A2B0", VIPS_INTENT_PERCEPTUAL),
      ("A2B2", VIPS_INTENT_SATURATION),
    ]
    let shape =
      space == "GRAY" ? ["kTRC"] : ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"]
    if shape.allSatisfy({ places[$0] != nil }) { return VIPS_INTENT_RELATIVE }
    return tables.first { places[$0.0] != nil }?.1
  }

  /// The curve of a profile for gray, which is a tag; `nil` where there is none, or tables count.
  var grayCurve: [UInt8]? {
    guard space == "GRAY", !places.keys.contains(where: { $0.hasPrefix("A2B") }) else { return nil }
    return places["kTRC"].map { Array(profile[$0]) }
  }

  /// The code points in its `cicp` tag (ICC.1:2022): primaries and transfer.
  var codePoints: (primaries: Int, transfer: Int)? {
    guard let place = places["cicp"], place.count >= 12, name(at: place.lowerBound) == "cicp"
    else { return nil }
    return (Int(profile[place.lowerBound + 8]), Int(profile[place.lowerBound + 9]))
  }

  /// True if three primaries and curves say sRGB to four digits: the profile of libjxl differs from that of
  /// others in the last one, which near black makes two levels.
  var isSRGB: Bool {
    guard !places.keys.contains(where: { $0.hasPrefix("A2B") }) else { return false }
    let colors = [
      ("rXYZ", [0.43604, 0.22248, 0.01392]), ("gXYZ", [0.38511, 0.71690, 0.09707]),
      ("bXYZ", [0.14305, 0.06061, 0.71391]),
    ]
    let curve = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
    return colors.allSatisfy { fits($0.0, kind: "XYZ ", at: 8, $0.1) }
      && ["rTRC", "gTRC", "bTRC"].allSatisfy { tag in
        // The fourth of the curves that have a formula.
        places[tag].flatMap { ByteOrder.big.number(profile, at: $0.lowerBound + 8, bytes: 2) } == 3
          && fits(tag, kind: "para", at: 12, curve)
      }
  }

  private func fits(_ tag: String, kind: String, at place: Int, _ wanted: [Double]) -> Bool {
    guard let tag = places[tag], place + 4 * wanted.count <= tag.count,
      name(at: tag.lowerBound) == kind
    else { return false }
    return wanted.enumerated().allSatisfy { index, value in
      let bits =
        ByteOrder.big.number(profile, at: tag.lowerBound + place + 4 * index, bytes: 4) ?? 0
      return abs(Double(Int32(truncatingIfNeeded: bits)) / 65536 - value) < 0.0005
    }
  }
}

/// The tags of a color profile that remain when metadata are stripped.
enum ProfileTags {
  /// Tags that name a profile and that conversions go by, of those that the ICC defines. Others may hold
  /// anything: a monitor's serial number, measurements, or texts of programs.
  private static let kept: Set<String> = [
    "desc", "cprt", "wtpt", "bkpt", "chad", "chrm", "lumi", "meas", "view", "gamt", "cicp",
    "rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", "kTRC", "clro", "clrt", "clot", "ncl2",
    "A2B0", "A2B1", "A2B2", "B2A0", "B2A1", "B2A2", "D2B0", "D2B1", "D2B2", "D2B3", "B2D0",
    "B2D1", "B2D2", "B2D3", "rig0", "rig2",
  ]
  /// Tags of a profile.
  private static let most = 256
  private static let header = 128

  /// The profile with those tags alone, each once and nothing between them; `nil` where it is broken.
  static func needed(_ profile: [UInt8]) -> [UInt8]? {
    let order = ByteOrder.big
    guard let count = order.number(profile, at: header, bytes: 4), count <= most,
      header + 4 + 12 * count <= profile.count
    else { return nil }
    var tags: [(name: [UInt8], range: Range<Int>)] = []
    for index in 0..<count {
      let place = header + 4 + 12 * index
      let name = Array(profile[place..<place + 4])
      guard kept.contains(String(decoding: name, as: UTF8.self)),
        let start = order.number(profile, at: place + 4, bytes: 4),
        let length = order.number(profile, at: place + 8, bytes: 4)
      else { continue }
      guard start <= profile.count - length else { return nil }
      tags.append((name, start..<start + length))
    }
    var table = order.bytes(tags.count, 4)
    var data: [UInt8] = []
    // Tags may share their data.
    var places: [Range<Int>: Int] = [:]
    for tag in tags {
      let place = places[tag.range] ?? header + 4 + 12 * tags.count + data.count
      if places.updateValue(place, forKey: tag.range) == nil {
        data += profile[tag.range]
        data += [UInt8](repeating: 0, count: (4 - data.count % 4) % 4)
      }
      table += tag.name + order.bytes(place, 4) + order.bytes(tag.range.count, 4)
    }
    var made = Array(profile[..<header]) + table + data
    made.replaceSubrange(0..<4, with: order.bytes(made.count, 4))
    // Its digest, 0 for none.
    made.replaceSubrange(84..<100, with: [UInt8](repeating: 0, count: 16))
    return made
  }
}
