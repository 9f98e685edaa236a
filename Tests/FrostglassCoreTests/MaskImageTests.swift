import FrostglassCore
import TestSupport
import Testing

/// Images as masks: their borders, and what they take.
@Suite struct MaskImageTests {
  static let sizes = [
    Size(width: 31, height: 23), Size(width: 1, height: 40), Size(width: 40, height: 1),
    Size(width: 7, height: 7),
  ]

  /// Returns a mask with a share of samples inside: in specks, in columns or in rows.
  static func mask(_ size: Size, _ share: Float, _ pattern: Int) -> MaskImage {
    var random = TestImages.Random(seed: UInt64(pattern) + 5)
    let lines = (0..<max(size.width, size.height)).map { _ in random.next() < share }
    let samples = (0..<size.area).map { place -> UInt16 in
      let isInside =
        switch pattern {
        case 0: random.next() < share
        case 1: lines[place % size.width]
        default: lines[place / size.width]
        }
      return isInside ? 32768 + UInt16(random.next() * 32767) : UInt16(random.next() * 32767)
    }
    return MaskImage(size: size, samples: samples)
  }

  /// The nearest pixel on the other side of the border, looked for among all.
  private func moved(
    _ mask: MaskImage, _ grow: Double, _ feather: Double, from least: UInt16
  ) -> [UInt16] {
    let (size, samples) = (mask.size, mask.samples)
    let shape = CoverageShape(.picture(mask), feather: feather, grow: grow)
    return (0..<size.area).map { place in
      let isInside = samples[place] >= least
      var nearest = 1_000_000_000_000
      for other in 0..<size.area where (samples[other] >= least) != isInside {
        let dx = other % size.width - place % size.width
        let dy = other / size.width - place / size.width
        nearest = min(nearest, dx * dx + dy * dy)
      }
      let root = Double(nearest).squareRoot()
      let distance = isInside ? 0.5 - root : root - 0.5
      return UInt16(shape.coverage(at: distance - grow) * 65535 + 0.5)
    }
  }

  @Test(arguments: sizes, [0, 0.02, 0.5, 0.9, 1] as [Float])
  func bordersAreMovedByTheNearestPixel(size: Size, share: Float) {
    for pattern in 0..<3 {
      let mask = Self.mask(size, share, pattern)
      for (grow, feather) in [(2.6, 4.0), (0, 9), (-1.5, 0), (0.25, 0), (-3, 30)] {
        for least in [MaskImage.half, 1, .max] {
          #expect(
            mask.moved(outward: grow, feather: feather, from: least).samples
              == moved(mask, grow, feather, from: least), "\(pattern) \(grow) \(feather) \(least)")
        }
      }
    }
  }

  /// A low, wide mask for a high, narrow image: means along rows, and between two rows what is between.
  @Test func aWideMaskIsStretchedToAHighImage() {
    var samples: [UInt16] = []
    for place in 0..<80 { samples.append(UInt16(place * 100)) }
    for place in 0..<80 { samples.append(UInt16(8000 + place * 500)) }
    let picture = MaskImage(size: Size(width: 80, height: 2), samples: samples)
    let stretched = picture.stretched(to: Size(width: 5, height: 40))
    func mean(_ start: Int) -> Double {
      var sum = 0
      for place in start..<start + 16 { sum += Int(samples[place]) }
      return Double(sum) / 16
    }
    for x in 0..<5 {
      let (upper, lower) = (mean(16 * x), mean(80 + 16 * x))
      for y in 0..<40 {
        let share: Double = min(max((Double(y) + 0.5) / 20 - 0.5, 0), 1)
        let expected: Double = upper + (lower - upper) * share
        let found = Double(stretched.samples[y * 5 + x])
        #expect(abs(found - expected) < 0.50001, "\(x) \(y)")
      }
    }
  }

  @Test func whatIsNotMovedIsNotCopied() {
    let mask = Self.mask(Size(width: 9, height: 5), 0.5, 0)
    let same = mask.moved(outward: 0, feather: 0)
    #expect(
      same.samples.withUnsafeBufferPointer(\.baseAddress)
        == mask.samples.withUnsafeBufferPointer(\.baseAddress))
  }

  /// A plan keeps as many bytes of images as was said.
  @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7]) func plansKeepWhatWasSaid(_ index: Int) throws {
    let size = Size(width: 60, height: 40)
    let own = index & 1 != 0 ? Size(width: 31, height: 23) : size
    let picture = MaskImage(
      size: own, samples: (0..<own.area).map { $0 % own.width < own.width / 2 ? .max : 0 })
    var mask = Mask(
      [.picture(picture)], feather: index & 2 != 0 ? 5 : 0,
      redaction: index & 4 != 0 ? Redaction() : nil)
    for isInverted in [false, true] {
      mask.isInverted = isInverted
      let plan = try FilterChain([.gaussian(sigma: 2)]).plan(
        for: Plan.Input(TestImages.noise(size.width, size.height)),
        options: PlanOptions(mask: mask))
      let given = MaskImage.bytes(of: picture.size)
      let memory = MaskMemory([mask], for: size)
      #expect(plan.imageBytes(but: picture) == memory.made - given, "\(mask)")
      #expect(memory.making >= memory.made)
      // Several outputs have one image, and make of it what each needs.
      let twice = MaskMemory([mask, mask], for: size)
      #expect(twice.made == 2 * memory.made - given)
    }
  }

  @Test func shapesTakeNothing() {
    let shapes = Mask([.ellipse(x: 1, y: 2, width: 30, height: 20)], feather: 9)
    let memory = MaskMemory([shapes], for: Size(width: 3000, height: 2000))
    #expect(memory.made == 0 && memory.making == 0)
  }

  /// Masks that cover nothing are errors, unless that is intended. For redactions, and for shapes outside the image,
  /// they always are.
  @Test func nothingIsCoveredOnlyWhereThatIsMeant() throws {
    let input = Plan.Input(
      size: Size(width: 40, height: 30), format: .rgb8, alpha: .opaque, transfer: .encoded)
    let empty = MaskShape.picture(
      MaskImage(Image(zeros: Size(width: 40, height: 30), format: .gray8)))
    let outside = MaskShape.rectangle(x: 500, y: 500, width: 9, height: 9)
    func steps(_ shapes: [MaskShape], _ change: (inout Mask) -> Void) throws -> Int {
      var mask = Mask(shapes)
      change(&mask)
      return try FilterChain.gaussian(sigma: 4)
        .plan(for: input, options: PlanOptions(mask: mask)).steps.count
    }
    for shapes in [[], [empty]] {
      #expect(throws: PlanError.self) { try steps(shapes) { _ in } }
      for use in Mask.Use.allCases {
        let count = try steps(shapes) {
          $0.mayCoverNothing = true
          $0.use = use
        }
        // Loaded and stored.
        #expect(count == 2)
      }
      #expect(throws: PlanError.self) {
        try steps(shapes) {
          $0.mayCoverNothing = true
          $0.redaction = Redaction()
        }
      }
    }
    #expect(throws: PlanError.self) { try steps([outside]) { $0.mayCoverNothing = true } }
  }
}

extension Plan {
  /// Bytes of images in coverages, each once, without one that was there before.
  fileprivate func imageBytes(but given: MaskImage) -> Int {
    var bytes: [UnsafePointer<UInt16>?: Int] = [:]
    for step in steps {
      guard case .generate(let made) = step.pass, case .coverage(let coverage) = made.content
      else { continue }
      for shape in coverage.shapes {
        guard case .picture(let picture) = shape.outline else { continue }
        bytes[picture.place] = MaskImage.bytes(of: picture.size)
      }
    }
    bytes[given.place] = nil
    return bytes.values.reduce(0, +)
  }
}

extension MaskImage {
  /// The address of its samples.
  fileprivate var place: UnsafePointer<UInt16>? {
    samples.withUnsafeBufferPointer(\.baseAddress)
  }
}
