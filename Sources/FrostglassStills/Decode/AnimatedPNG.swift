/// What an animated PNG holds beside the picture that every reader of PNG shows, and which alone is read
/// here.
enum AnimatedPNG {
  /// Bytes in which the announcement of an animation is looked for; what stands before it is a color
  /// profile at most.
  static let mostBefore = 1 << 18

  /// How many frames there are that are not that picture; 0 for a still.
  ///
  /// - Parameter start: what the file begins with. The announcement stands before the picture's data.
  static func framesBesideStill(_ start: [UInt8]) -> Int {
    var place = 8
    var frames = 0
    var isStillAFrame = false
    while place + 12 <= start.count,
      let length = ByteOrder.big.number(start, at: place, bytes: 4)
    {
      switch String(decoding: start[place + 4..<place + 8], as: UTF8.self) {
      case "acTL": frames = ByteOrder.big.number(start, at: place + 8, bytes: 4) ?? 0
      case "fcTL": isStillAFrame = true
      case "IDAT", "IEND": return isStillAFrame ? max(frames - 1, 0) : frames
      default: break
      }
      place += 12 + length
    }
    return 0
  }
}
