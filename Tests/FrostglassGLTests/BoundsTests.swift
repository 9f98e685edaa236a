import FrostglassBench
import FrostglassBackends
import FrostglassCore
import FrostglassGL
import TestSupport
import Testing

/// Limits are kept, and results do not depend on them.
@Suite struct BoundsTests {
  /// Every path of the catalog, with defaults, in tiles of many sizes.
  @Test(arguments: [64, 257]) func theCatalogIsTheSameInTiles(_ side: Int) async throws {
    let whole = try await GLBackend.shared(GLOptions(stage: .fragment))
    let tiled = try await GLBackend.start(GLOptions(stage: .fragment, longestSide: side))
    var ran = 0
    for filter in Catalog.codePaths {
      let format = PixelFormat.all[ran % PixelFormat.all.count]
      // A few tiles in both directions, or a few wide ones.
      let image = side < 257 ? Image.noise(141, 107, format) : Image.noise(291, 63, format)
      // Looks reach less far at a smaller scale.
      let plan = try FilterChain(filter).plan(
        for: Plan.Input(image), options: PlanOptions(scale: side < 257 ? 0.25 : 1))
      do throws(BackendError) {
        let report = try await tiled.tiling(of: plan)
        #expect(report.tiles > 1, "\(filter.name)")
        // Each of a few pixels, where little more than what is reached fits: a matter of patience.
        guard report.tiles < 120 else { continue }
        let result = try await tiled.execute(plan, [image])
        let expected = try await whole.execute(plan, [image])
        #expect(result.bytes == expected.bytes, "\(filter.name) \(format)")
        ran += 1
      } catch {
        // What reaches farther than a texture is long cannot be cut small enough.
        guard case .unsupported = error else { throw error }
        #expect(2 * max(plan.reach.x, plan.reach.y) >= side - 2, "\(filter.name)")
      }
    }
    #expect(ran >= (side < 100 ? 20 : 35), "\(ran) of \(Catalog.codePaths.count)")
  }

  /// Masks of every use, over tiles that they cover wholly, in part and not at all.
  @Test(arguments: [64, 100, 257], [Mask.Use.show, .confine, .scale])
  func masksAreTheSameInTiles(_ side: Int, _ use: Mask.Use) async throws {
    let whole = try await GLBackend.shared(GLOptions(stage: .compute))
    let tiled = try await GLBackend.start(GLOptions(stage: .compute, longestSide: side))
    // A few tiles in both directions, of which the ellipse covers one.
    let (image, ellipse) =
      side < 257
      ? (Image.noise(165, 131), "ellipse(110,75,50,50)")
      : (Image.noise(291, 263), "ellipse(200,150,80,100)")
    for isInverted in [false, true] {
      for shape in ["10,20,30,40", ellipse, "0,0,\(image.size.width),10"] {
        let options = PlanOptions(
          mask: Mask(try MaskShape.list(text: shape), feather: 5, isInverted: isInverted, use: use))
        let plan = try FilterChain([.gaussian(sigma: 4)]).plan(
          for: Plan.Input(image), options: options)
        let result = try await tiled.execute(plan, [image])
        let expected = try await whole.execute(plan, [image])
        #expect(result.bytes == expected.bytes, "\(shape) \(isInverted)")
      }
    }
  }

  @Test(arguments: [400_000, 3_000_000])
  func bytesStayUnderTheCeiling(_ ceiling: Int) async throws {
    let whole = try await GLBackend.shared()
    let bounded = try await GLBackend.start(GLOptions(textureBytes: ceiling))
    var ran = 0
    // Half of the paths under each, those between the others.
    let filters = Catalog.codePaths.enumerated().filter {
      $0.offset % 2 == (ceiling < 3_000_000 ? 0 : 1)
    }.map(\.element)
    for filter in filters {
      let image = Image.noise(240, 200)
      let plan = try FilterChain(filter).plan(for: Plan.Input(image))
      do throws(BackendError) {
        // Parts of a few pixels, each with all that it reads: a matter of patience.
        guard try await bounded.tiling(of: plan).tiles < 24 else { continue }
        ran += 1
        let told = Told()
        let result = try await bounded.execute(plan, [image]) { told.add($0) }
        // The tiles are planned to fit, not found by failing.
        #expect(told.recoveries.isEmpty, "\(filter.name) \(told.recoveries)")
        let expected = try await whole.execute(plan, [image])
        #expect(result.bytes == expected.bytes, "\(filter.name)")
      } catch {
        guard case .unsupported = error, ceiling < 3_000_000 else { throw error }
      }
    }
    #expect(ran >= (ceiling < 3_000_000 ? 10 : filters.count), "\(ran)")
    let statistics = await bounded.textureStatistics
    #expect(statistics.peakBytes <= ceiling && statistics.peakBytes > 0)
    #expect(statistics.ceilingBytes == ceiling && statistics.lentBytes == 0)
  }

  /// A large image in little memory: few tiles, which do little twice.
  @Test(arguments: [(10.0, 1.2), (30, 1.5), (100, 2.5)])
  func tilesWasteLittle(_ sigma: Double, _ most: Double) async throws {
    let input = Plan.Input(
      size: Size(width: 4000, height: 3000), format: .rgba8, alpha: .straight, transfer: .encoded)
    let plan = try FilterChain([.gaussian(sigma: Sigma(sigma))]).plan(for: input)
    let backend = try await GLBackend.start(GLOptions(textureBytes: 32 << 20))
    let report = try await backend.tiling(of: plan)
    #expect(report.tiles > 1 && report.excess < most, "\(report)")
  }

  /// A region at one end of an image is none of a tile's business at the other.
  @Test func tilesFarFromARegionLoadWhatIsNear() async throws {
    let input = Plan.Input(
      size: Size(width: 6000, height: 200), format: .rgba8, alpha: .straight, transfer: .encoded)
    let options = PlanOptions(mask: Mask(try MaskShape.list(text: "10,20,100,50")))
    let plan = try FilterChain([.gaussian(sigma: 20)]).plan(for: input, options: options)
    let backend = try await GLBackend.start(GLOptions(longestSide: 1024))
    let report = try await backend.tiling(of: plan)
    #expect(report.tiles <= 8 && report.excess < 1.5, "\(report)")
  }

  @Test func mixedJobsDoNotGrow() async throws {
    let ceiling = 8 << 20
    let backend = try await GLBackend.start(GLOptions(textureBytes: ceiling))
    var mix = JobMix(seed: 7)
    for _ in 0..<50 {
      let (image, plan) = try mix.next()
      _ = try await backend.execute(plan, [image])
      let statistics = await backend.textureStatistics
      #expect(statistics.lentBytes == 0 && statistics.peakBytes <= ceiling)
    }
    await backend.trim()
    #expect(await backend.textureStatistics.heldBytes == 0)
  }
}
