import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Redacted pixels leave nothing behind.
@Suite struct RedactionTests {
  static let formats: [(PixelFormat, AlphaMode)] = [
    (.rgb8, .straight), (.rgba8, .straight), (.gray8, .straight), (.rgba8, .premultiplied),
    (PixelFormat(.rgb, .uint16), .straight), (PixelFormat(.rgba, .uint16), .straight),
    (PixelFormat(.rgb, .float32), .straight),
  ]

  static let looks = ["", "saturation(1.4) tint(white, 0.1) grain(0.02)", "blur(5px) mix(0.5)"]

  /// Changing covered pixels in any way changes no byte.
  @Test(arguments: Redaction.Fill.allCases)
  func noByteDependsOnCoveredPixels(fill: Redaction.Fill) async throws {
    let backends: [any Backend] = [ReferenceBackend(), FastBackend(threads: 2)]
    for (place, item) in RedactionCases.all(Redaction(fill)).enumerated() {
      for (format, alpha) in [Self.formats[place % 7], Self.formats[(place / 4) % 3]] {
        let (first, second) = RedactionCases.pictures(item, format, alpha: alpha)
        #expect(first.bytes != second.bytes)
        let text = Self.looks[place % 3]
        let chain = text.isEmpty ? [] : try FilterChain(text: text)
        for edge in [EdgeMode.clamp, .wrap, .transparent] {
          let plan = try chain.plan(
            for: Plan.Input(first), options: PlanOptions(edge: edge, mask: item.mask))
          for backend in backends {
            let one = try await backend.execute(plan, [first])
            let two = try await backend.execute(plan, [second])
            #expect(one.bytes == two.bytes, "\(backend.name) \(format) \(edge) \(item)")
          }
        }
      }
    }
  }

  /// A pixel is hidden if any of its mask samples is set, also if the mask is larger than the image.
  @Test func noSampleOfALargeMaskIsLost() async throws {
    let image = TestImages.noise(12, 10)
    for place in 0..<16 {
      var samples = [UInt16](repeating: 0, count: 48 * 40)
      samples[(20 + place / 4) * 48 + 24 + place % 4] = 65535
      let picture = MaskImage(size: Size(width: 48, height: 40), samples: samples)
      let mask = Mask(
        [.picture(picture)], redaction: Redaction(.color, color: Color(red: 1, green: 0, blue: 0)))
      let plan = try FilterChain([]).plan(
        for: Plan.Input(image), options: PlanOptions(mask: mask))
      let result = try await FastBackend(threads: 1).execute(plan, [image])
      #expect(result.sample(x: 6, y: 5, channel: 0) == 1, "\(place)")
      #expect(result.sample(x: 6, y: 5, channel: 1) == 0, "\(place)")
    }
  }

  /// Hidden samples may be NaN.
  @Test func whatIsNoNumberIsHiddenToo() async throws {
    let format = PixelFormat(.rgb, .float32)
    let mask = Mask(
      [.rectangle(x: 20, y: 15, width: 8, height: 6)], grow: 2, redaction: Redaction())
    let (width, height) = (50, 40)
    let image = TestImages.make(width, height, format) { x, y, _ in
      (20..<28).contains(x) && (15..<21).contains(y) ? (x % 2 == 0 ? .nan : .infinity) : 0.5
    }
    for linear in [false, true] {
      let plan = try FilterChain([]).plan(
        for: Plan.Input(image), options: PlanOptions(linearLight: linear, mask: mask))
      for backend in [ReferenceBackend(), FastBackend(threads: 2)] as [any Backend] {
        let result = try await backend.execute(plan, [image])
        for y in 0..<height {
          for x in 0..<width {
            let value = result.sample(x: x, y: y, channel: 1)
            #expect(abs(value - 0.5) < 0.02, "\(backend.name) \(x), \(y): \(value)")
          }
        }
      }
    }
  }

  /// The test above can fail: a blur shows what it covers, and a mix would bring back the original
  /// if it could.
  @Test func whatIsOnlyBlurredDepends() async throws {
    var item = RedactionCases.all(Redaction())[0]
    item.mask.redaction = nil
    let (first, second) = RedactionCases.pictures(item, .rgb8)
    let plan = try FilterChain([.gaussian(sigma: 30)]).plan(
      for: Plan.Input(first), options: PlanOptions(mask: item.mask))
    let backend = FastBackend(threads: 1)
    #expect(
      try await backend.execute(plan, [first]).bytes != backend.execute(plan, [second]).bytes)
  }

  /// Farther than margin and feather nothing changes.
  @Test func theRestStaysAsItIs() async throws {
    let image = TestImages.noise(80, 60)
    let mask = Mask(
      [.rectangle(x: 30, y: 20, width: 20, height: 10)], feather: 3, grow: 4,
      redaction: Redaction())
    let plan = try FilterChain([.tint(.white, alpha: 0.5)]).plan(
      for: Plan.Input(image), options: PlanOptions(mask: mask))
    let result = try await FastBackend(threads: 2).execute(plan, [image])
    var kept = 0
    for y in 0..<60 {
      for x in 0..<80 where !((23..<57).contains(x) && (13..<37).contains(y)) {
        kept += 1
        for channel in 0..<3 {
          let (a, b) = (
            result.sample(x: x, y: y, channel: channel), image.sample(x: x, y: y, channel: channel)
          )
          #expect(a == b)
        }
      }
    }
    #expect(kept == 80 * 60 - 34 * 24)
  }

  private static let orange: [Float] = [1, 0.2, 0, 1]

  @Test func aSolidFillIsTheColorWithSharpSides() async throws {
    for format in [PixelFormat.rgb8, .rgba8] {
      let image = TestImages.noise(40, 30, format)
      let redaction = Redaction(.color, color: Color(red: 1, green: 0.2, blue: 0))
      let mask = Mask([.rectangle(x: 10, y: 8, width: 12, height: 9)], redaction: redaction)
      let plan = try FilterChain([]).plan(
        for: Plan.Input(image), options: PlanOptions(mask: mask))
      let result = try await FastBackend(threads: 1).execute(plan, [image])
      let expected = TestImages.make(40, 30, format) { x, y, channel in
        (10..<22).contains(x) && (8..<17).contains(y)
          ? Self.orange[channel] : image.sample(x: x, y: y, channel: channel)
      }
      // Straight colors of nearly transparent pixels are rounded on the way.
      try expectClose(result, expected, within: format == .rgb8 ? 0 : 1, "solid \(format)")
    }
  }

  /// An image of one color stays one: the fill is neither darker nor tinted, also deep inside, at
  /// borders, and where alpha is less than full.
  @Test func surroundingsOfOneColorAreThatColor() async throws {
    for format in [PixelFormat.rgb8, .rgba8, .gray8] {
      let color: [Float] = format.layout == .gray ? [0.8] : [0.8, 0.4, 0.2, 0.6]
      let image = TestImages.flat(200, 160, format, color)
      for text in ["60,50,80,60", "0,0,200,100", "-9,40,120,80", "ellipse(1,1,198,158)"] {
        let mask = Mask(try MaskShape.list(text: text), grow: 4, redaction: Redaction())
        let plan = try FilterChain([]).plan(
          for: Plan.Input(image), options: PlanOptions(mask: mask))
        let result = try await FastBackend(threads: 2).execute(plan, [image])
        // The color that stands in where nothing is around counts 1/1024 beside full weight.
        try expectClose(result, image, within: 2, "\(text) \(format)")
      }
    }
  }

  /// The fill color is used if there are no surroundings.
  @Test func withoutSurroundingsTheColorIsShown() async throws {
    let image = TestImages.noise(30, 20)
    let redaction = Redaction(.surroundings, color: Color(red: 0.2, green: 0.4, blue: 0.6))
    let mask = Mask([.rectangle(x: 0, y: 0, width: 30, height: 20)], redaction: redaction)
    let plan = try FilterChain([]).plan(for: Plan.Input(image), options: PlanOptions(mask: mask))
    let result = try await FastBackend(threads: 1).execute(plan, [image])
    let expected = TestImages.flat(30, 20, .rgb8, [0.2, 0.4, 0.6])
    try expectClose(result, expected, within: 3, "no surroundings")
  }

  @Test(arguments: [
    (Mask([.rectangle(x: 1, y: 1, width: 5, height: 5)], grow: -1), "grow is -1px"),
    (
      Mask([.gradient(from: .init(x: 0, y: 0), to: .init(x: 9, y: 0))]), "region is a gradient"
    ),
    (Mask([.rectangle(x: 1, y: 1, width: 5, height: 5)], use: .confine), "mask use is confine"),
    (Mask([.rectangle(x: 99, y: 1, width: 5, height: 5)]), "covers a part of the image"),
  ])
  func whatCannotHideIsRefused(mask: Mask, words: String) throws {
    var mask = mask
    mask.redaction = Redaction()
    let input = Plan.Input(TestImages.noise(30, 20))
    let error = try #require(throws: PlanError.self) {
      try FilterChain([]).plan(for: input, options: PlanOptions(mask: mask))
    }
    #expect(error.description.contains(words), "\(error)")
  }

  /// Parts of a redacted image are the whole's, and plans are valid.
  @Test func croppedBytesAreThoseOfTheWhole() async throws {
    for item in RedactionCases.all(Redaction()) {
      let (image, _) = RedactionCases.pictures(item, .rgba8)
      let plan = try FilterChain([.tint(.white, alpha: 0.2)]).plan(
        for: Plan.Input(image), options: PlanOptions(mask: item.mask))
      try plan.validate(for: .none)
      for backend in [ReferenceBackend(), FastBackend(threads: 2)] as [any Backend] {
        let whole = try await backend.execute(plan, [image])
        for rect in [
          Rect(x: 0, y: 20, width: 61, height: 1), Rect(x: 17, y: 11, width: 9, height: 30),
        ] {
          let part = try await backend.execute(try plan.cropped(to: rect), [image])
          #expect(part.bytes == whole.part(rect), "\(backend.name) \(item) \(rect)")
        }
      }
    }
  }
}

extension Image {
  /// The bytes of a part, without gaps.
  func part(_ rect: Rect) -> [UInt8] {
    rect.rows.flatMap { y in
      let start = y * bytesPerRow + rect.x * format.bytesPerPixel
      return bytes[start..<start + rect.width * format.bytesPerPixel]
    }
  }
}
