import FrostglassScenes
import FrostglassCore
import Testing

@Suite struct SymbolTests {
  private func gray(
    _ name: String, _ side: Int = 48, _ weight: Symbol.Weight = .regular, level: Double = 1
  ) throws -> Image {
    try #require(SymbolTable.symbol(named: name))
      .picture(in: Size(width: side, height: side), weight: weight, level: level)
  }

  /// Returns the covered share of an image, 0…1.
  private func ink(_ image: Image) -> Double {
    Double(image.bytes.reduce(0) { $0 + Int($1) }) / Double(255 * image.bytes.count)
  }

  @Test func everyRowOfTheTableIsASymbol() {
    #expect(SymbolTable.all.count == SymbolTable.rowCount)
    let names = SymbolTable.all.map(\.name)
    #expect(names == Set(names).sorted() && names.count >= 60)
  }

  @Test func everySymbolFillsItsBoxWithoutTouchingItsBorder() throws {
    for symbol in SymbolTable.all {
      for weight in [Symbol.Weight.thin, .bold] {
        let image = symbol.picture(in: Size(width: 60, height: 60), weight: weight, level: 1)
        let (width, height) = (image.size.width, image.size.height)
        #expect(max(width, height) == 60, "\(symbol.name)")
        #expect((0.02...0.7).contains(ink(image)), "\(symbol.name): \(ink(image))")
        // What is drawn is in the box: nothing of it is cut off.
        let border = (0..<height).flatMap { y in
          (0..<width).filter { x in x == 0 || y == 0 || x == width - 1 || y == height - 1 }
            .map { x in image.bytes[y * width + x] }
        }
        #expect(border.allSatisfy { $0 < 128 }, "\(symbol.name) \(weight)")
      }
    }
  }

  @Test func linesAreAsThickAsTheWeightSays() throws {
    let thin = try gray("minus", 240, .thin)
    let bold = try gray("minus", 240, .bold)
    func thickness(_ image: Image) -> Double {
      (0..<240).reduce(0) { $0 + Double(image.bytes[$1 * 240 + 120]) / 255 }
    }
    // 1.1 and 2.9 of 24 units.
    #expect(abs(thickness(thin) - 11) < 0.1 && abs(thickness(bold) - 29) < 0.1)
    var last = 0.0
    for weight in Symbol.Weight.allCases {
      let covered = try ink(gray("wifi", 48, weight))
      #expect(covered > last, "\(weight)")
      last = covered
    }
  }

  @Test func levelsShow() throws {
    for name in ["battery", "cellular", "speaker", "wifi"] {
      var last = 0.0
      for level in [0.0, 0.5, 1] {
        let covered = try ink(gray(name, 60, .regular, level: level))
        #expect(covered > last, "\(name) at \(level)")
        last = covered
      }
    }
    let half = try gray("battery", 280, .regular, level: 0.5)
    // The gauge goes from 2.9 to 22.1 of 28 units, 10 pixels each, in the row of the middle.
    let row = (0..<280).map { half.bytes[70 * 280 + $0] }
    #expect(row[120] == 255 && row[130] == 0)
  }

  @Test func whatGoesForwardIsTheMirrorOfWhatGoesBack() throws {
    for (one, other) in [("next", "previous"), ("forward", "back")] {
      let (first, second) = (try gray(one), try gray(other))
      let mirrored = (0..<48).flatMap { y in (0..<48).map { first.bytes[y * 48 + 47 - $0] } }
      let worst = zip(mirrored, second.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 255
      #expect(worst <= 1, "\(one)")
    }
  }

  @Test func aFrameOfAnotherShapeKeepsTheSymbols() throws {
    let battery = try #require(SymbolTable.symbol(named: "battery"))
    for frame in [Size(width: 100, height: 20), Size(width: 40, height: 200)] {
      let size = battery.picture(in: frame, weight: .regular, level: 1).size
      #expect(size.width <= frame.width && size.height <= frame.height)
      #expect(size.width == frame.width || size.height == frame.height)
      #expect(abs(Double(size.width) / Double(size.height) - 2) < 0.06)
    }
  }
}
