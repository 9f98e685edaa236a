import FrostglassCore
import FrostglassGL
import Testing

/// Images that stay on the device.
@Suite struct ResidentImageTests {
  static let sizes = [(1, 1), (1, 7), (5, 1), (19, 7), (64, 33)]

  @Test(arguments: Setup.allCases)
  func comeDownAsTheyWentUp(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    for format in PixelFormat.all {
      for (width, height) in Self.sizes {
        let image = Image.noise(width, height, format, alpha: .premultiplied, transfer: .linear)
        let picture = try await backend.upload(image)
        #expect(picture.input == Plan.Input(image))
        #expect(picture.bytes >= image.bytes.count)
        #expect(try await backend.download(picture).bytes == image.bytes, "\(format)")
        let padded = try await backend.upload(try image.padded(by: 12))
        #expect(try await backend.download(padded).bytes == image.bytes, "\(format)")
      }
    }
  }

  @Test(arguments: Setup.allCases) func keepEveryFloat(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    for layout in PixelFormat.Layout.allCases {
      var image = Image(zeros: Size(width: 3, height: 1), format: PixelFormat(layout, .float32))
      for (x, value) in [-Float.infinity, -2.5, 1e30].enumerated() {
        image.setSample(value, x: x, y: 0, channel: 0)
      }
      let picture = try await backend.upload(image)
      #expect(try await backend.download(picture).bytes == image.bytes, "\(layout)")
    }
  }

  @Test(arguments: Setup.allCases)
  func giveWhatImagesGive(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    for (index, format) in PixelFormat.all.enumerated() where setup.takes(index) {
      let image = Image.noise(61, 47, format)
      let blur = try FilterChain([.gaussian(sigma: 3)]).plan(for: Plan.Input(image))
      let picture = try await backend.execute(blur, [try await backend.upload(image)])
      let expected = try await backend.execute(blur, [image])
      #expect(try await backend.download(picture).bytes == expected.bytes, "\(format)")
      // The result is the next plan's input as it is.
      let color = try FilterChain([.saturation(1.8), .gaussian(sigma: 9)]).plan(
        for: picture.input)
      let second = try await backend.execute(color, [picture])
      let expectedSecond = try await backend.execute(color, [expected])
      #expect(try await backend.download(second).bytes == expectedSecond.bytes, "\(format)")
      #expect(try await backend.download(picture).bytes == expected.bytes, "\(format)")
    }
  }

  @Test(arguments: Setup.allCases) func areCopied(_ setup: Setup) async throws {
    let backend = try await GLBackend.shared(setup.options)
    for format in PixelFormat.all {
      let image = Image.noise(23, 11, format)
      let copy = try await backend.copy(try await backend.upload(image))
      #expect(copy.input == Plan.Input(image))
      await backend.finish()
      #expect(try await backend.download(copy).bytes == image.bytes, "\(format)")
    }
  }

  @Test(arguments: Setup.allCases) func giveTheSameInTiles(_ setup: Setup) async throws {
    let whole = try await GLBackend.shared(setup.options)
    var small = setup.options
    small.textureBytes = 1 << 20
    let tiled = try await GLBackend.start(small)
    for format in [PixelFormat.rgba8, .rgb8, PixelFormat(.gray, .uint16)] {
      let image = Image.noise(201, 157, format)
      let plan = try FilterChain([.gaussian(sigma: 5)]).plan(for: Plan.Input(image))
      let expected = try await whole.execute(plan, [image])
      let picture = try await tiled.execute(plan, [try await tiled.upload(image)])
      #expect(try await tiled.download(picture).bytes == expected.bytes, "\(format)")
      #expect(await tiled.textureStatistics.peakBytes <= 1 << 20)
    }
  }

  // The example in docs/integrate/gl-images.md.
  @Test func blurAPhoto() async throws {
    let photo = Image.noise(120, 80, .rgb8)
    let backend = try await GLBackend.start()
    let picture = try await backend.upload(photo)
    let plan = try FilterChain([.gaussian(sigma: 12)]).plan(for: picture.input)
    let blurred = try await backend.execute(plan, [picture])
    let image = try await backend.download(blurred)
    #expect(image.bytes == (try await backend.execute(plan, [photo])).bytes)
    #expect(Plan.Input(image) == blurred.input)
  }

  @Test func cutRegions() async throws {
    let backend = try await GLBackend.start()
    let image = Image.noise(60, 50)
    let plan = try FilterChain([.gaussian(sigma: 4)]).plan(for: Plan.Input(image))
      .cropped(to: Rect(x: 13, y: 9, width: 31, height: 22))
    let picture = try await backend.execute(plan, [try await backend.upload(image)])
    #expect(picture.size == Size(width: 31, height: 22))
    let expected = try await backend.execute(plan, [image])
    #expect(try await backend.download(picture).bytes == expected.bytes)
  }
}
