internal import CVips
internal import FrostglassCore

/// The color description in the chunks of a PNG, by precedence: cICP, iCCP, sRGB, gAMA and cHRM.
struct PNGColor {
  /// True if there is an ICC profile, whole or not.
  private(set) var hasProfile = false
  /// The ICC profile; libpng gives none that stands behind an sRGB chunk, or is for colors where pixels
  /// are gray.
  private(set) var profile: [UInt8]?
  private(set) var codePoints: CodePoints?
  /// The encoding that gAMA and cHRM give, unless there is an sRGB chunk.
  private(set) var encoding: ColorEncoding?
  /// True if they make no sense.
  private(set) var isEncodingBroken = false
  /// A kind of cICP that is not read, in words.
  private(set) var unsupported: String?

  /// Bytes of the largest profile that is read.
  private static let longestProfile = 4 << 20

  /// 1/2.2 in 100,000ths, as rounded by various programs.
  private static let gammaOfSRGB = 45_450...45_460

  /// - Parameter file: all of it, or its beginning.
  init(_ file: some BlockOfBytes) {
    var isSRGB = false
    var gamma: Int?
    var places: [Double]?
    PNGChunk.each(file) { chunk in
      let content = Array(file[chunk.content].prefix(chunk.kind == "iCCP" ? .max : 32))
      switch chunk.kind {
      // Of RGB samples at full range, as a PNG has them; narrow range is for video.
      case "cICP" where content.count >= 4 && codePoints == nil:
        guard content[2] == 0 else { break }
        if content[3] == 0 { unsupported = "a PNG with samples of limited range" }
        let found = CodePoints(primaries: Int(content[0]), transfer: Int(content[1]))
        if found != CodePoints(primaries: 2, transfer: 2) { codePoints = found }
      case "iCCP" where !hasProfile:
        hasProfile = true
        profile = content.firstIndex(of: 0).flatMap {
          PNGChunk.inflated(content[$0...].dropFirst(2), atMost: Self.longestProfile)
        }
      case "sRGB": isSRGB = true
      case "gAMA": gamma = ByteOrder.big.number(content, at: 0, bytes: 4)
      case "cHRM" where content.count >= 32:
        places = (0..<8).map {
          let number = ByteOrder.big.number(content, at: 4 * $0, bytes: 4) ?? 0
          return Double(Int32(truncatingIfNeeded: number)) / 100_000
        }
      default: break
      }
      return chunk.kind != "IDAT"
    }
    guard !isSRGB else { return }
    encoding = encoding(gamma, places)
  }

  private mutating func encoding(_ gamma: Int?, _ places: [Double]?) -> ColorEncoding? {
    var encoding = ColorEncoding()
    if let gamma {
      // An exponent of 1/10 to 10.
      guard (10_000...1_000_000).contains(gamma) else {
        isEncodingBroken = true
        return nil
      }
      encoding.curve = .power(100_000 / Double(gamma))
    }
    if let places {
      let found = (0..<4).map { Array(places[2 * $0..<2 * $0 + 2]) }
      encoding.primaries = ColorEncoding.Primaries(
        red: found[1], green: found[2], blue: found[3], white: found[0])
      if encoding.primaries.isNear(.sRGB) { encoding.primaries = .sRGB }
    }
    // PNG has this number stand for the curve of sRGB, as ImageMagick and others write it.
    if let gamma, Self.gammaOfSRGB.contains(gamma), encoding.primaries == .sRGB {
      encoding.curve = .sRGB
    }
    return gamma == nil && places == nil ? nil : encoding
  }
}
