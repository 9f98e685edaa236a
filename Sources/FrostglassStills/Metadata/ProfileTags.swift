internal import FrostglassCore

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
