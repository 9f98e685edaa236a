/// The color description in a Windows bitmap's header of 108 or 124 bytes.
struct BitmapColor {
  /// An embedded profile.
  private(set) var profile: [UInt8]?
  /// Colors by three endpoints and gammas; `nil` for sRGB.
  private(set) var encoding: ColorEncoding?
  /// The reason why colors are not used, as a predicate.
  private(set) var note: String?

  /// - Parameter headerLength: of the header behind the first 14 bytes.
  init(_ file: UnsafeRawBufferPointer, headerLength: Int) {
    guard headerLength >= 108 else { return }
    func number(_ place: Int) -> Int {
      ByteOrder.little.number(file, at: place, bytes: 4) ?? 0
    }
    switch number(70) {
    // LCS_CALIBRATED_RGB
    case 0:
      // X, Y and Z of red, green and blue, in 30 bits behind the point, and three gammas in 16.
      let places: [Double] = (0..<9).map {
        Double(Int32(truncatingIfNeeded: number(74 + 4 * $0))) / 0x1p30
      }
      read(places, gammas: (0..<3).map { Double(number(110 + 4 * $0)) / 65536 })
    // PROFILE_EMBEDDED
    case 0x4D42_4544 where headerLength == 124:
      let (start, count) = (14 + number(126), number(130))
      guard count >= 128, count <= 16 << 20, start <= file.count - count else {
        note = Self.unused("has a color profile that is damaged or incomplete")
        return
      }
      profile = Array(file[start..<start + count])
    // PROFILE_LINKED
    case 0x4C49_4E4B: note = Self.unused("names a file with its color profile, which is not read")
    // LCS_sRGB, and the colors of Windows
    default: break
    }
  }

  private mutating func read(_ places: [Double], gammas: [Double]) {
    // Most programs leave them empty.
    guard places.contains(where: { $0 != 0 }) || gammas.contains(where: { $0 != 0 }) else { return }
    let colors = (0..<3).map { Array(places[3 * $0..<3 * $0 + 3]) }
    let sums = colors.map { $0.reduce(0, +) }
    guard gammas.allSatisfy({ $0 > 0.1 && $0 < 10 }), sums.allSatisfy({ $0 > 0 }) else {
      note = Self.unused("has calibrated colors that are not supported")
      return
    }
    let flat = zip(colors, sums).map { color, sum in [color[0] / sum, color[1] / sum] }
    var primaries = ColorEncoding.Primaries(
      red: flat[0], green: flat[1], blue: flat[2], white: ColorEncoding.Primaries.sRGB.white)
    // Each is of a sum of 1 where programs write chromaticities, which do not say what white is.
    if sums.contains(where: { abs($0 - 1) > 0.01 }) {
      let white = (0..<3).map { index in colors.reduce(0) { $0 + $1[index] } }
      let sum = white.reduce(0, +)
      primaries.white = [white[0] / sum, white[1] / sum]
    }
    // Some programs write the inverse.
    let powers = gammas.map { $0 < 1 ? 1 / $0 : $0 }
    if powers.contains(where: { abs($0 - powers[0]) > 0.001 }) {
      encoding = ColorEncoding(primaries: primaries, colorCurves: powers.map { .power($0) })
      return
    }
    let isSRGB = primaries.isNear(.sRGB) && abs(powers[0] - 2.2) < 0.05
    encoding = isSRGB ? nil : ColorEncoding(primaries: primaries, curve: .power(powers[0]))
  }

  private static func unused(_ words: String) -> String { words + "; its colors are taken as sRGB" }
}
