/// At most 256 colors for a frame, and the pixels as their numbers.
///
/// Colors that are to be kept have theirs as long as there is room, those of most pixels first. Others share what
/// is left: their range is cut again and again where it is widest. Only such pixels are dithered, among each
/// other, so that all others stay as they are.
struct GIFPalette {
  /// As 0xRRGGBB; transparent pixels have one of them.
  private(set) var colors: [UInt32] = []
  /// The color of each pixel.
  private(set) var indices: [UInt8] = []
  /// The number of what is transparent; `nil` where nothing is.
  private(set) var transparent: UInt8?
  /// True where colors that were to be kept had no room.
  private(set) var losesKept = false

  private static let most = 256

  /// Chooses colors.
  ///
  /// - Parameters:
  ///   - pixels: colors as GIF have them, from the left and the top.
  ///   - width: of a row.
  ///   - kept: the colors to keep, where they occur in the pixels. The others are not written to the file, as they
  ///     may come from what was hidden.
  init(_ pixels: [UInt32], width: Int, keeping kept: Set<UInt32>) {
    var counts: [UInt32: Int] = [:]
    var (last, run) = (pixels.first ?? 0, 0)
    for color in pixels {
      if color == last {
        run += 1
        continue
      }
      counts[last, default: 0] += run
      (last, run) = (color, 1)
    }
    if run > 0 { counts[last, default: 0] += run }
    let hasTransparent = counts.removeValue(forKey: transparentGIFColor) != nil
    let room = Self.most - (hasTransparent ? 1 : 0)
    if counts.count <= room {
      colors = counts.keys.sorted()
    } else {
      let staying = counts.filter { kept.contains($0.key) }
        .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      losesKept = staying.count > room
      colors = staying.prefix(room).map(\.key)
      let known = Set(colors)
      let others = counts.filter { !known.contains($0.key) }
      colors += Self.chosen(others, most: room - colors.count).filter { !known.contains($0) }
    }
    if hasTransparent {
      transparent = UInt8(colors.count)
      colors.append(0)
    }
    assign(pixels, width)
  }

  /// Means of parts of a set of colors, which are cut in two at the mean of the channel that differs most.
  private static func chosen(_ counts: [UInt32: Int], most: Int) -> [UInt32] {
    guard most > 0, !counts.isEmpty else { return [] }
    var parts = [Part(counts.map { ($0.key, Double($0.value)) }.sorted { $0.0 < $1.0 })]
    while parts.count < most {
      guard
        let worst = parts.indices.max(by: { parts[$0].spread < parts[$1].spread }),
        let (one, other) = parts[worst].halves
      else { break }
      parts[worst] = one
      parts.append(other)
    }
    return Array(Set(parts.map(\.mean))).sorted()
  }

  /// Some colors with their numbers of pixels.
  private struct Part {
    let colors: [(UInt32, Double)]
    /// The mean of each channel.
    private let means: [Double]
    private let spreads: [Double]

    init(_ colors: [(UInt32, Double)]) {
      self.colors = colors
      let weight = colors.reduce(0) { $0 + $1.1 }
      let means = (0..<3).map { channel in
        colors.reduce(0) { $0 + $1.0.channel(channel) * $1.1 } / weight
      }
      self.means = means
      spreads = (0..<3).map { channel in
        colors.reduce(0) { sum, color in
          let distance = color.0.channel(channel) - means[channel]
          return sum + distance * distance * color.1
        }
      }
    }

    /// The sum of squared distances from the mean, along the channel where it is largest.
    var spread: Double { spreads.max() ?? 0 }

    var mean: UInt32 {
      means.reduce(0) { $0 << 8 | UInt32(min(max($1.rounded(), 0), 255)) }
    }

    /// Both sides of the mean; `nil` for a single color.
    var halves: (Part, Part)? {
      guard spread > 0, let channel = spreads.firstIndex(of: spread) else { return nil }
      let below = colors.filter { $0.0.channel(channel) < means[channel] }
      let above = colors.filter { $0.0.channel(channel) >= means[channel] }
      return below.isEmpty || above.isEmpty ? nil : (Part(below), Part(above))
    }
  }

  /// Gives each pixel its color's number; others than those that are there are dithered as by Floyd and Steinberg.
  private mutating func assign(_ pixels: [UInt32], _ width: Int) {
    var numbers: [UInt32: UInt8] = [:]
    for (index, color) in colors.enumerated() where transparent.map({ Int($0) }) != index {
      numbers[color] = UInt8(index)
    }
    if let transparent { numbers[transparentGIFColor] = transparent }
    indices = [UInt8](repeating: 0, count: pixels.count)
    // Of the row at work and the one below, with a pixel more on both sides.
    var errors = [Double](repeating: 0, count: 3 * (width + 2))
    var below = errors
    var isClear = true
    for (place, color) in pixels.enumerated() {
      let x = place % width
      if x == 0, place > 0, !isClear {
        swap(&errors, &below)
        for index in below.indices { below[index] = 0 }
      }
      if let number = numbers[color] {
        indices[place] = number
        continue
      }
      isClear = false
      let wanted = (0..<3).map {
        min(max(color.channel($0) + errors[3 * (x + 1) + $0], 0), 255)
      }
      let nearest = nearest(wanted[0], wanted[1], wanted[2])
      indices[place] = nearest
      for channel in 0..<3 {
        let error = (wanted[channel] - colors[Int(nearest)].channel(channel)) / 16
        errors[3 * (x + 2) + channel] += 7 * error
        below[3 * x + channel] += 3 * error
        below[3 * (x + 1) + channel] += 5 * error
        below[3 * (x + 2) + channel] += error
      }
    }
  }

  private func nearest(_ red: Double, _ green: Double, _ blue: Double) -> UInt8 {
    var (best, least) = (UInt8(0), Double.infinity)
    for (index, color) in colors.enumerated() where transparent.map({ Int($0) }) != index {
      let (r, g, b) = (
        color.channel(0) - red, color.channel(1) - green, color.channel(2) - blue
      )
      let distance = r * r + g * g + b * b
      if distance < least { (best, least) = (UInt8(index), distance) }
    }
    return best
  }
}

extension UInt32 {
  /// Red, green or blue of 0xRRGGBB: 0, 1 or 2.
  fileprivate func channel(_ index: Int) -> Double {
    Double(self >> UInt32(16 - 8 * index) & 0xFF)
  }
}
