import FrostglassCore
import FrostglassStills
import Testing

/// TIFF files that hold brightness and color differences as they are: held against the formulas of the
/// TIFF specification, section 21.
@Suite struct YCbCrTIFFTests {
  /// The layout of a stored image.
  struct Layout: Sendable, CustomTestStringConvertible {
    var across = 1
    var down = 1
    /// Red, green and blue of brightness, in 10000ths.
    var coefficients: [Int]?
    /// Black and white of Y, Cb and Cr.
    var range: [Int]?
    var orientation = 1

    var testDescription: String {
      "\(across)×\(down) \(coefficients ?? []) \(range ?? []) \(orientation)"
    }
  }

  private static let size = Size(width: 13, height: 7)

  private static func sample(_ channel: Int, _ x: Int, _ y: Int) -> Int {
    switch channel {
    case 0: 40 + (x * 9 + y * 5) % 170
    case 1: 90 + (x * 7 + y) % 80
    default: 170 - (x + y * 11) % 80
    }
  }

  private static func file(_ layout: Layout) -> [UInt8] {
    var data: [UInt8] = []
    for y in stride(from: 0, to: size.height, by: layout.down) {
      for x in stride(from: 0, to: size.width, by: layout.across) {
        for row in y..<y + layout.down {
          for column in x..<x + layout.across { data.append(UInt8(sample(0, column, row))) }
        }
        for channel in 1...2 {
          data.append(UInt8(sample(channel, x / layout.across, y / layout.down)))
        }
      }
    }
    func fractions(_ tag: Int, _ values: [Int], over below: Int) -> TIFFFile.Entry {
      TIFFFile.Entry(
        tag: tag, type: 5, count: values.count,
        data: values.flatMap { TIFFFile.little($0, 4) + TIFFFile.little(below, 4) })
    }
    return TIFFFile.picture(
      width: size.width, height: size.height, bits: 8, samples: 3, photometric: 6,
      more: [
        .short(530, layout.across, layout.down), .short(274, layout.orientation),
        layout.coefficients.map { fractions(529, $0, over: 10000) },
        layout.range.map { fractions(532, $0, over: 1) },
      ].compactMap { $0 }, data: data)
  }

  /// A pixel's color, 0…255.
  private static func color(_ layout: Layout, _ x: Int, _ y: Int) -> [Double] {
    let range = (layout.range ?? [0, 255, 128, 255, 128, 255]).map { Double($0) }
    let (column, row) = (x / layout.across, y / layout.down)
    let luma = (Double(sample(0, x, y)) - range[0]) * 255 / (range[1] - range[0])
    let blue = (Double(sample(1, column, row)) - range[2]) * 127 / (range[3] - range[2])
    let red = (Double(sample(2, column, row)) - range[4]) * 127 / (range[5] - range[4])
    let weights = (layout.coefficients ?? [2990, 5870, 1140]).map { Double($0) / 10000 }
    let r = red * (2 - 2 * weights[0]) + luma
    let b = blue * (2 - 2 * weights[2]) + luma
    let g = (luma - weights[2] * b - weights[0] * r) / weights[1]
    return [r, g, b].map { min(max($0, 0), 255) }
  }

  @Test(arguments: [
    Layout(), Layout(across: 2, down: 2), Layout(across: 2), Layout(across: 4, down: 2),
    Layout(coefficients: [2126, 7152, 722]),
    Layout(across: 2, down: 2, range: [16, 235, 128, 240, 128, 240]),
    Layout(across: 2, coefficients: [2126, 7152, 722], range: [16, 235, 128, 240, 128, 240]),
  ])
  func colorsAreThoseThatTheFileMeans(_ layout: Layout) throws {
    let image = try StillDecoder().decode(.bytes(Self.file(layout))).image
    #expect(image.size == Self.size && image.format == .rgb8)
    for y in 0..<Self.size.height {
      for x in 0..<Self.size.width {
        for (channel, value) in Self.color(layout, x, y).enumerated() {
          let found = Double(image.sample(x: x, y: y, channel: channel)) * 255
          // libtiff works in whole numbers: brightness, differences and their products lose up to
          // one each.
          #expect(abs(found - value) <= 3, "\(x), \(y), \(channel): \(found), not \(value)")
        }
      }
    }
  }

  @Test func anOrientationTurnsItOnce() throws {
    let upright = try StillDecoder().decode(.bytes(Self.file(Layout(across: 2, down: 2)))).image
    let turned = try StillDecoder().decode(
      .bytes(Self.file(Layout(across: 2, down: 2, orientation: 6)))
    ).image
    #expect(turned.size == Size(width: 7, height: 13))
    for y in 0..<13 {
      for x in 0..<7 {
        #expect(
          turned.sample(x: x, y: y, channel: 0) == upright.sample(x: y, y: 6 - x, channel: 0))
      }
    }
  }

  @Test func aFileThatEndsEarlyIsDamaged() throws {
    let file = Self.file(Layout(across: 2, down: 2))
    // The directory is behind the image's data; its strip points beyond the end of the file.
    var broken = file
    let directory = file[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
    for entry in 0..<Int(file[directory]) {
      let place = directory + 2 + 12 * entry
      if file[place] == 0x11, file[place + 1] == 1 {
        broken.replaceSubrange(place + 8..<place + 12, with: TIFFFile.little(file.count - 9, 4))
      }
    }
    #expect(broken != file)
    #expect(throws: DecodeError.self) { try StillDecoder().decode(.bytes(broken)) }
  }
}
