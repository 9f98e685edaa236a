import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// Images that get another size as they are read or written.
@Suite struct ResizeTests {
  // MARK: sizes

  private static let sizes: [(resize: Resize, size: Size)] = [
    // Nothing is enlarged unless asked for.
    (Resize(width: 50), Size(width: 50, height: 30)),
    (Resize(height: 30), Size(width: 50, height: 30)),
    (Resize(width: 50, height: 50), Size(width: 50, height: 30)),
    (Resize(width: 50, height: 20), Size(width: 33, height: 20)),
    (Resize(width: 400), Size(width: 101, height: 61)),
    (Resize(width: 202, enlarges: true), Size(width: 202, height: 122)),
    (Resize(width: 25, dpr: 2), Size(width: 50, height: 30)),
    (Resize(width: 1, height: 1), Size(width: 1, height: 1)),
    (Resize(width: 2, height: 1), Size(width: 2, height: 1)),
    (Resize(width: 50, height: 50, fit: .contain), Size(width: 50, height: 50)),
    (Resize(width: 400, height: 300, fit: .contain), Size(width: 400, height: 300)),
    (Resize(width: 50, fit: .contain), Size(width: 50, height: 30)),
    (Resize(width: 50, height: 50, fit: .cover), Size(width: 50, height: 50)),
    (Resize(width: 33, height: 7, fit: .cover, dpr: 1.5), Size(width: 50, height: 11)),
    (Resize(width: 50, fit: .cover), Size(width: 50, height: 30)),
    // The largest part of that shape.
    (Resize(width: 200, height: 200, fit: .cover), Size(width: 61, height: 61)),
    (Resize(width: 400, height: 100, fit: .cover), Size(width: 101, height: 25)),
    (
      Resize(width: 200, height: 200, fit: .cover, enlarges: true),
      Size(width: 200, height: 200)
    ),
    (Resize(width: 50, height: 50, fit: .fill), Size(width: 50, height: 50)),
    (Resize(width: 50, fit: .fill), Size(width: 50, height: 61)),
    (Resize(width: 202, height: 61, fit: .fill), Size(width: 101, height: 31)),
    (
      Resize(width: 202, height: 61, fit: .fill, enlarges: true), Size(width: 202, height: 61)
    ),
  ]

  @Test(arguments: sizes.indices) func theSizeFollowsFromFitAndBox(_ index: Int) throws {
    let (resize, expected) = Self.sizes[index]
    let own = Size(width: 101, height: 61)
    #expect(resize.size(of: own) == expected)
    let file = try StillEncoder().encode(TestImage.ramp(.rgb8, width: 101, height: 61), as: .png)
    let decoder = StillDecoder(DecodeOptions(resize: resize))
    let header = try decoder.header(of: .bytes(file))
    #expect(header.size == expected && header.fileSize == own)
    #expect(try decoder.decode(.bytes(file)).image.size == expected)
    // The same when it is written.
    let encoder = StillEncoder(EncodeOptions(resize: resize))
    let written = try encoder.encode(StillDecoder().decode(.bytes(file)).image, as: .png)
    #expect(try StillDecoder().decode(.bytes(written)).image.size == expected)
  }

  @Test(arguments: 1...8, Resize.Fit.allCases)
  func theSizeIsThatOfTheUprightImage(_ orientation: Int, _ fit: Resize.Fit) throws {
    let file = try OrientationTests.photo(orientation)
    for (width, height) in [(13, 9), (9, 13), (15, 15), (1, 31)] {
      let resize = Resize(width: width, height: height, fit: fit, enlarges: true)
      let decoder = StillDecoder(DecodeOptions(resize: resize))
      let upright = try StillDecoder().header(of: .bytes(file)).size
      let image = try decoder.decode(.bytes(file)).image
      #expect(image.size == resize.size(of: upright))
      if fit != .inside { #expect(image.size == Size(width: width, height: height)) }
      // Row by row there is the same.
      let reader = try decoder.reader(of: .bytes(file))
      #expect(try Self.rows(of: reader) == image.bytes)
      if fit == .fill, width > 1 {
        #expect(OrientationTests.quarters(of: image) == OrientationTests.seen[orientation - 1])
      }
    }
  }

  private static func rows(of reader: StillReader) throws -> [UInt8] {
    let row = reader.header.size.width * reader.header.pixelFormat.bytesPerPixel
    return try [UInt8](unsafeUninitializedCapacity: row * reader.header.size.height) {
      bytes, count in
      for y in 0..<reader.header.size.height {
        try reader.read(y..<y + 1, into: #require(bytes.baseAddress) + y * row)
      }
      count = row * reader.header.size.height
    }
  }

  // MARK: places

  /// A white disk on black.
  private static func disk(_ width: Int, _ height: Int, x: Double, y: Double) -> Image {
    TestImages.make(width, height, .rgb8) { column, row, _ in
      let (dx, dy) = (Double(column) + 0.5 - x, Double(row) + 0.5 - y)
      return Float(min(max(24.5 - (dx * dx + dy * dy).squareRoot(), 0), 1))
    }
  }

  /// The middle of what is white.
  private static func middle(of image: Image) -> (x: Double, y: Double) {
    var (sum, x, y) = (0.0, 0.0, 0.0)
    for row in 0..<image.size.height {
      for column in 0..<image.size.width {
        let weight = Double(image.sample(x: column, y: row, channel: 0))
        sum += weight
        x += weight * (Double(column) + 0.5)
        y += weight * (Double(row) + 0.5)
      }
    }
    return (x / sum, y / sum)
  }

  /// 401×301 with the disk at 150, 100: the box, and where the disk is then.
  private static let places: [(resize: Resize, x: Double, y: Double)] = [
    (Resize(width: 133), 49.75, 33.22),
    (Resize(width: 100, height: 100, fit: .fill), 37.41, 33.22),
    // 133×100, of which 16 are cut off on the left.
    (Resize(width: 100, height: 100, fit: .cover), 33.75, 33.22),
    (Resize(width: 100, height: 100, fit: .cover, gravity: .topLeft), 49.75, 33.22),
    (Resize(width: 100, height: 100, fit: .cover, gravity: .right), 16.75, 33.22),
    // 120×90, in the middle of 120 rows, or at their end.
    (Resize(width: 120, height: 120, fit: .contain), 44.89, 44.9),
    (Resize(width: 120, height: 120, fit: .contain, gravity: .bottom), 44.89, 59.9),
  ]

  @Test(arguments: places.indices, [StillFormat.png, .jpeg])
  func whatIsInTheImageIsWhereItBelongs(_ index: Int, _ format: StillFormat) throws {
    let expected = Self.places[index]
    var resize = expected.resize
    resize.background = .black
    let file = try StillEncoder().encode(Self.disk(401, 301, x: 150, y: 100), as: format)
    let image = try StillDecoder(DecodeOptions(resize: resize)).decode(.bytes(file)).image
    let found = Self.middle(of: image)
    #expect(abs(found.x - expected.x) < 0.5 && abs(found.y - expected.y) < 0.5, "\(found)")
  }

  /// The only thing to be seen is near the end of a long image.
  @Test func attentionKeepsWhatThereIsToSee() throws {
    let file = try StillEncoder().encode(Self.disk(600, 100, x: 520, y: 50), as: .png)
    func brightness(_ gravity: Resize.Gravity) throws -> Int {
      let resize = Resize(width: 100, height: 100, fit: .cover, gravity: gravity)
      let image = try StillDecoder(DecodeOptions(resize: resize)).decode(.bytes(file)).image
      #expect(image.size == Size(width: 100, height: 100))
      return image.bytes.count { $0 > 128 } / 3
    }
    #expect(try brightness(.attention) > 1700)
    #expect(try brightness(.center) == 0)
  }

  // MARK: colors

  @Test(
    arguments: [
      PixelFormat.gray8, .rgb8, .rgba8, PixelFormat(.rgb, .uint16), PixelFormat(.rgba, .uint16),
      PixelFormat(.rgb, .float32), PixelFormat(.rgba, .float32),
    ], Resize.Fit.allCases)
  func aConstantStaysOne(_ format: PixelFormat, _ fit: Resize.Fit) throws {
    let image = TestImage.constant(0.6, format, width: 97, height: 55)
    let file = try StillEncoder().encode(image, as: format.depth == .float32 ? .tiff : .png)
    for (width, height) in [(31, 31), (200, 10), (130, 200)] {
      let resize = Resize(
        width: width, height: height, fit: fit, enlarges: true,
        background: Color(white: 0.6))
      let result = try StillDecoder(DecodeOptions(resize: resize)).decode(.bytes(file)).image
      let tolerance: Float = format.depth == .uint8 ? 0.001 : 2 / 65535
      var farthest: Float = 0
      for y in 0..<result.size.height {
        for x in 0..<result.size.width {
          for channel in 0..<format.layout.channels {
            let value = result.sample(x: x, y: y, channel: channel)
            // Around an image with alpha nothing is seen.
            let isAround = fit == .contain && format.layout.hasAlpha && value == 0
            farthest = isAround ? farthest : max(farthest, abs(value - 0.6))
          }
        }
      }
      #expect(farthest <= tolerance, "\(width)×\(height)")
    }
  }

  @Test func whatCannotBeSeenHasNoColor() throws {
    // Opaque green beside red that is transparent.
    let image = TestImages.make(64, 64, .rgba8) { x, _, channel in
      channel == 3 ? (x < 32 ? 1 : 0) : channel == (x < 32 ? 1 : 0) ? 1 : 0
    }
    let file = try StillEncoder().encode(image, as: .png)
    let resize = Resize(width: 21, height: 40, fit: .contain)
    let result = try StillDecoder(DecodeOptions(resize: resize)).decode(.bytes(file)).image
    #expect(result.size == Size(width: 21, height: 40))
    for y in 0..<40 {
      for x in 0..<21 where result.sample(x: x, y: y, channel: 3) > 0 {
        #expect(result.sample(x: x, y: y, channel: 0) == 0)
        #expect(result.sample(x: x, y: y, channel: 1) == 1)
      }
    }
    #expect(result.sample(x: 3, y: 2, channel: 3) == 0)
    #expect(result.sample(x: 3, y: 20, channel: 3) == 1)
  }

  @Test func theBackgroundIsAroundWhatIsContained() throws {
    let file = try StillEncoder().encode(
      TestImage.constant(0, .rgb8, width: 40, height: 20), as: .png)
    let resize = Resize(
      width: 20, height: 20, fit: .contain, background: Color(red: 1, green: 0.4, blue: 0))
    let image = try StillDecoder(DecodeOptions(resize: resize)).decode(.bytes(file)).image
    #expect((0..<3).map { image.sample(x: 0, y: 0, channel: $0) } == [1, 0.4, 0])
    #expect((0..<3).map { image.sample(x: 10, y: 10, channel: $0) } == [0, 0, 0])
  }

  // MARK: limits

  @Test func bothSizesCountForTheLimit() throws {
    let file = try StillEncoder().encode(TestImage.ramp(.rgb8, width: 100, height: 50), as: .png)
    func error(_ most: Int, _ resize: Resize) -> DecodeError? {
      do throws(DecodeError) {
        _ = try StillDecoder(DecodeOptions(maxPixels: most, resize: resize)).header(
          of: .bytes(file))
        return nil
      } catch { return error }
    }
    let small = Resize(width: 10)
    #expect(error(5000, small) == nil)
    guard case .tooManyPixels(_, Size(width: 100, height: 50), 4999) = error(4999, small) else {
      Issue.record("\(String(describing: error(4999, small)))")
      return
    }
    let large = Resize(width: 200, enlarges: true)
    #expect(error(20_000, large) == nil)
    guard case .tooManyPixels(_, Size(width: 200, height: 100), 19_999) = error(19_999, large)
    else {
      Issue.record("\(String(describing: error(19_999, large)))")
      return
    }
    // What is cut off is made before.
    let thin = Resize(width: 1_000_000, height: 1, fit: .cover, dpr: 10, enlarges: true)
    #expect(error(50_000_000, thin) != nil)
  }

  /// An image with more pixels along a side than libvips can hold is neither taken for a damaged file nor made
  /// smaller.
  @Test func aSideThatIsTooLongIsRefused() throws {
    let thin = TestImage.ramp(.rgb8, width: 1, height: 40)
    let file = try StillEncoder().encode(thin, as: .png)
    let resize = Resize(width: 1, height: 10_000_001, fit: .fill, enlarges: true)
    let error = #expect(throws: DecodeError.self) {
      try StillDecoder(DecodeOptions(resize: resize)).header(of: .bytes(file))
    }
    guard case .tooManyPixels(_, Size(width: 1, height: 10_000_001), 10_000_000) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    for resize in [resize, Resize(width: 4000, enlarges: true)] {
      let error = #expect(throws: EncodeError.self) {
        try StillEncoder(EncodeOptions(resize: resize)).encode(thin, as: .png)
      }
      guard case .unsupportedImage(.png, let found, _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(found.hasPrefix("a resize to"))
    }
  }

  /// Colors that go through a profile are decoded as a whole before.
  @Test func anImageWithAProfileCountsWhole() throws {
    let large = Image(zeros: Size(width: 2000, height: 1500), format: .rgb8)
    let file = try StillEncoder().encode(
      large, metadata: StillMetadata(iccProfile: ICCProfile.displayP3), as: .png)
    var options = DecodeOptions(maxMemory: 6_000_000, resize: Resize(width: 200))
    let error = #expect(throws: DecodeError.self) {
      try StillDecoder(options).decode(.bytes(file))
    }
    guard case .tooMuchMemory = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    options.profile = .keep
    #expect(try StillDecoder(options).decode(.bytes(file)).image.size.width == 200)
  }

  @Test func aLargeJPEGTakesLittleMemory() throws {
    let large = Image(zeros: Size(width: 4000, height: 3000), format: .rgb8)
    let file = try StillEncoder().encode(large, as: .jpeg)
    let limits = DecodeOptions(maxMemory: 12_000_000)
    let error = #expect(throws: DecodeError.self) {
      try StillDecoder(limits).decode(.bytes(file))
    }
    guard case .tooMuchMemory = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    var small = limits
    small.resize = Resize(width: 300, height: 300)
    let image = try StillDecoder(small).decode(.bytes(file)).image
    #expect(image.size == Size(width: 300, height: 225))
  }

  // MARK: animations

  @Test(arguments: [StillFormat.gif, .webp, .apng], Resize.Fit.allCases)
  func everyFrameIsResized(_ format: StillFormat, _ fit: Resize.Fit) throws {
    let resize = Resize(width: 15, height: 15, fit: fit)
    let decoder = StillDecoder(DecodeOptions(resize: resize))
    let reader = try decoder.allFrames(
      of: decoder.reader(of: .bytes(AnimationTests.video(format))))
    let size = resize.size(of: Size(width: 40, height: 20))
    #expect(reader.header.size == size && reader.header.frames == 3)
    for index in 0..<3 {
      let frame = try reader.frame(index)
      #expect(frame.size == size)
      for channel in 0..<3 {
        let value = frame.sample(x: size.width / 2, y: size.height / 2, channel: channel)
        #expect(abs(value - (channel == index ? 1 : 0)) < 0.1, "\(index)")
      }
    }
  }

  /// Movement in the image does not make it jump.
  @Test func attentionIsThatOfTheFirstFrame() throws {
    var video = Image(zeros: Size(width: 300, height: 150), format: .rgb8)
    for (frame, x) in [(0, 40), (1, 60), (2, 250)] {
      for row in 10..<40 {
        for column in x..<x + 30 {
          video.setSample(1, x: column, y: 50 * frame + row, channel: frame)
        }
      }
    }
    let animation = StillMetadata.Animation(delays: [50, 50, 50])
    let file = try StillEncoder().encode(
      video, metadata: StillMetadata(animation: animation), as: .apng)
    let resize = Resize(width: 100, height: 50, fit: .cover, gravity: .attention)
    let decoder = StillDecoder(DecodeOptions(resize: resize))
    let reader = try decoder.allFrames(of: decoder.reader(of: .bytes(file)))
    let frames = try (0..<3).map { try reader.frame($0) }
    func seen(_ index: Int) -> Int { frames[index].bytes.count { $0 > 128 } }
    #expect(seen(0) == 900 && seen(1) == 900 && seen(2) == 0)
  }
}
