import Frostglass
import FrostglassCore
import FrostglassStills
import Glibc
import TestSupport
import Testing

/// An image on a canvas of another shape.
@Suite struct LetterboxTests {
  private func geometry(
    _ letterbox: Letterbox, _ width: Int, _ height: Int
  ) throws -> Letterbox.Geometry {
    try Letterbox.Geometry(letterbox, picture: Size(width: width, height: height))
  }

  private static let story = Letterbox(.size(Size(width: 1080, height: 1920)))

  @Test func theImageIsFitted() throws {
    let found = try geometry(Self.story, 4000, 3000)
    #expect(found.canvas == Size(width: 1080, height: 1920))
    #expect(found.foreground == Rect(x: 0, y: 555, width: 1080, height: 810))
    // 810 rows of the canvas's shape are 455.6 columns.
    #expect(found.cover == Rect(x: 312, y: 0, width: 456, height: 810))
  }

  @Test(
    arguments: [
      (Letterbox.Alignment.top, 0, 0), (.bottom, 0, 1110), (.left, 0, 555), (.right, 0, 555),
      (.center, 0, 555),
    ]) func itIsAlignedWhereThereIsRoom(
      _ alignment: Letterbox.Alignment, _ x: Int, _ y: Int
    ) throws
  {
    var letterbox = Self.story
    letterbox.alignment = alignment
    let found = try geometry(letterbox, 4000, 3000).foreground
    #expect((found.x, found.y) == (x, y))
  }

  @Test func aMarginStaysFree() throws {
    var letterbox = Self.story
    letterbox.margin = Length(5, .percent)
    letterbox.alignment = .bottom
    let found = try geometry(letterbox, 4000, 3000)
    // 5 % of 1080 is 54; 972 columns are 729 rows.
    #expect(found.foreground == Rect(x: 54, y: 1920 - 54 - 729, width: 972, height: 729))
  }

  @Test(
    arguments: [
      (600, 400, 1.0, 1.0, 600, 600), (600, 400, 9, 16, 600, 1067), (400, 600, 16, 9, 1067, 600),
      (600, 400, 3, 2, 600, 400), (1, 1, 2, 1, 2, 1), (7, 1000, 1, 1, 1000, 1000),
    ]) func anAspectAddsAndNeverScales(
      _ width: Int, _ height: Int, _ across: Double, _ down: Double, _ canvasWidth: Int,
      _ canvasHeight: Int
    ) throws
  {
    let found = try geometry(Letterbox(.aspect(width: across, height: down)), width, height)
    #expect(found.canvas == Size(width: canvasWidth, height: canvasHeight))
    #expect(found.foreground.size == Size(width: width, height: height))
    #expect(Rect(found.canvas).contains(found.foreground))
  }

  @Test func everyShapeFits() throws {
    for (width, height) in [(1, 1), (1, 500), (500, 1), (37, 41), (10000, 3)] {
      for canvas in [(1, 1), (1, 50), (50, 1), (33, 20), (20, 33)] {
        let size = Size(width: canvas.0, height: canvas.1)
        let found = try geometry(Letterbox(.size(size), radius: 8), width, height)
        #expect(Rect(size).contains(found.foreground) && !found.foreground.isEmpty)
        let whole = Rect(found.foreground.size)
        #expect(whole.contains(found.cover) && !found.cover.isEmpty)
      }
    }
  }

  @Test func whatCannotBeIsRefused() throws {
    for letterbox in [
      Letterbox(.size(Size(width: 0, height: 5))), Letterbox(.aspect(width: 1, height: 0)),
      Letterbox(.aspect(width: .nan, height: 1)),
      Letterbox(.size(Size(width: 20, height: 20)), radius: -1),
      Letterbox(.size(Size(width: 20, height: 20)), margin: 10),
    ] {
      #expect(throws: PlanError.self, "\(letterbox)") { try geometry(letterbox, 10, 10) }
    }
    let large = Letterbox(.size(Size(width: 1000, height: 1000)))
    #expect(throws: PlanError.self) {
      try Letterbox.Geometry(large, picture: Size(width: 1, height: 1), mostPixels: 999_999)
    }
  }

  private func filled(_ image: Image, _ letterbox: Letterbox) async throws -> Image {
    let path = "\(Files.root)/.build/letterbox-\(UInt64.random(in: 0 ... .max)).png"
    defer { remove(path) }
    let job = FillJob(
      source: .bytes(try StillEncoder().encode(image, as: .png)), letterbox: letterbox,
      sink: .file(path, overwrite: false))
    try await Pipeline(backend: .fast).fill(job)
    return try StillDecoder().decode(.file(path)).image
  }

  @Test(arguments: [PixelFormat.rgb8, .gray8, PixelFormat(.rgb, .uint16), .rgba8])
  func theImageStaysAndAConstantStaysConstant(_ format: PixelFormat) async throws {
    let color: [Float] = [0.8, 0.4, 0.2, 1]
    let image = TestImages.flat(30, 20, format, color)
    let result = try await filled(image, Letterbox(.aspect(width: 1, height: 2), dim: 0.5))
    #expect(result.size == Size(width: 30, height: 60) && result.format == format)
    for y in 0..<60 {
      for x in 0..<30 {
        for channel in 0..<format.layout.channels {
          let isImage = (20..<40).contains(y)
          let value = color[channel] * (isImage || channel == 3 ? 1 : 0.5)
          #expect(abs(result.sample(x: x, y: y, channel: channel) - value) <= 1 / 255)
        }
      }
    }
  }

  @Test func theImageIsSharpToTheLastBit() async throws {
    let image = TestImages.noise(31, 17)
    let result = try await filled(image, Letterbox(.aspect(width: 1, height: 1)))
    for y in 0..<17 {
      let start = (7 + y) * result.bytesPerRow
      #expect(
        result.bytes[start..<start + 31 * 3].elementsEqual(
          image.bytes[y * image.bytesPerRow..<y * image.bytesPerRow + 31 * 3]))
    }
  }

  /// White with corners of radius 10 on its own black backdrop: the coverage is there to be seen.
  @Test func cornersAreTheAreaOfACircle() async throws {
    let image = TestImages.flat(40, 30, .gray8, [1])
    let result = try await filled(
      image, Letterbox(.size(Size(width: 40, height: 30)), dim: 1, radius: 10))
    func sum(_ columns: Range<Int>, _ rows: Range<Int>) -> Double {
      rows.reduce(0) { sum, y in
        columns.reduce(sum) { $0 + Double(result.sample(x: $1, y: y, channel: 0)) }
      }
    }
    // A quarter of a circle; each of 100 pixels is rounded by at most half a level.
    for (columns, rows) in [
      (0..<10, 0..<10), (30..<40, 0..<10), (0..<10, 20..<30), (30..<40, 20..<30),
    ] {
      #expect(abs(sum(columns, rows) - 25 * Double.pi) < 0.1)
    }
    #expect(sum(10..<30, 0..<30) == 600 && sum(0..<40, 10..<20) == 400)
  }

  @Test func aShadowDarkensAroundAndNotUnder() async throws {
    let image = TestImages.flat(100, 100, .rgb8, [1, 1, 1])
    let letterbox = Letterbox(
      .size(Size(width: 200, height: 200)), dim: 0, shadow: 0.5, margin: 50)
    let result = try await filled(image, letterbox)
    func level(_ x: Int, _ y: Int) -> Float { result.sample(x: x, y: y, channel: 0) }
    #expect(level(100, 100) == 1 && level(50, 50) == 1 && level(149, 149) == 1)
    #expect(level(100, 151) < 0.75 && level(100, 151) > 0.45)
    #expect(level(0, 0) == 1)
    // Light comes from above.
    #expect(level(100, 152) < level(100, 47))
  }

  /// The backdrop of a half transparent image is half transparent, and JPEG shows the background.
  @Test func transparencyIsComposedOnce() async throws {
    let image = TestImages.flat(20, 20, .rgba8, [1, 0, 0, 0.5])
    let result = try await filled(image, Letterbox(.aspect(width: 1, height: 2), dim: 0))
    #expect(abs(result.sample(x: 10, y: 2, channel: 3) - 0.5) < 1.5 / 255)
    #expect(abs(result.sample(x: 10, y: 20, channel: 3) - 0.75) < 1.5 / 255)
    #expect(result.sample(x: 10, y: 20, channel: 0) == 1)
  }
}
