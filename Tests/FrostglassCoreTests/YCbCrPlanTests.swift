import FrostglassCore
import TestSupport
import Testing

/// Plans for images in planes, and what is refused.
@Suite struct YCbCrPlanTests {
  private let size = Size(width: 7, height: 5)

  @Test func planesAreAsLargeAsTheirSamples() {
    func sizes(_ sampling: YCbCrFormat.Sampling, _ arrangement: YCbCrFormat.Arrangement) -> [String]
    {
      YCbCrFormat(sampling: sampling, arrangement: arrangement).planes(of: size).map {
        "\($0.size)"
      }
    }
    #expect(sizes(.both, .separate) == ["7×5", "4×3", "4×3"])
    #expect(sizes(.columns, .separate) == ["7×5", "4×5", "4×5"])
    #expect(sizes(.none, .separate) == ["7×5", "7×5", "7×5"])
    #expect(sizes(.both, .interleaved) == ["7×5", "8×3"])
    #expect(sizes(.columns, .interleaved) == ["7×5", "8×5"])
    #expect(sizes(.none, .interleaved) == ["7×5", "14×5"])
  }

  @Test func everyPlanIsValidAndCertified() throws {
    for format in TestPlanes.formats {
      for chain: FilterChain in [[], [.gaussian(sigma: 3)], [.gaussian(sigma: 40)]] {
        let plan = try chain.plan(for: format, size: Size(width: 67, height: 45))
        try plan.validate(for: .none)
        for step in plan.toImage + plan.toPlanes {
          #expect(step.certifiedError.total < 1, "\(format)")
        }
        let fast = try chain.plan(
          for: format, size: plan.size, options: PlanOptions(quality: .fast))
        try fast.validate(for: .none)
        for step in fast.toImage { #expect(step.certifiedError.total < 2, "\(format)") }
      }
    }
  }

  @Test func aPlanTellsWhatItDoes() throws {
    let text = try FilterChain([.saturation(2)]).plan(for: YCbCrFormat(), size: size).description
    #expect(text.hasPrefix("to the picture:\ninput 0   7×5 gray8"))
    #expect(text.contains("PackChannels"))
    #expect(text.contains("to plane V:\n"))
    let planes = try FilterChain([.gaussian(sigma: 3)]).plan(
      for: YCbCrFormat(bits: .ten), size: size
    ).description
    #expect(planes.hasPrefix("plane Y:\ninput 0   7×5 gray16"))
    #expect(planes.contains("input 0, 10 bits") && planes.contains("plane V:\n"))
    #expect(
      "\(YCbCrFormat(bits: .ten, arrangement: .interleaved))"
        == "bt709 narrow 4:2:0 cosited/centered, 10 bits, interleaved")
  }

  @Test func wrongPlanesAreNamed() throws {
    let format = YCbCrFormat()
    let planes = format.planes(of: size).map { Image(zeros: $0.size, format: $0.format) }
    func message(_ planes: [Image], _ format: YCbCrFormat) -> String {
      do throws(YCbCrError) {
        _ = try YCbCrImage(size: size, format: format, planes: planes)
        return "accepted"
      } catch { return "\(error)" }
    }
    #expect(message(planes, format) == "accepted")
    #expect(
      message(Array(planes.prefix(2)), format) == "2 planes; this format has 3")
    #expect(
      message([planes[0], planes[0], planes[2]], format)
        == "the plane U is 7×5 gray8, encoded; it must be 4×3 gray8, encoded")
    #expect(
      message(planes, YCbCrFormat(bits: .ten))
        == "the plane Y is 7×5 gray8, encoded; it must be 7×5 gray16, encoded")
    #expect(
      message([planes[0], planes[1]], YCbCrFormat(arrangement: .interleaved))
        == "the plane UV is 4×3 gray8, encoded; it must be 8×3 gray8, encoded")
  }

  @Test func emptyImagesAreRefused() {
    #expect(
      throws: PlanError.badValue(
        filter: "planes", parameter: "size", value: "0×5", accepted: "at least 1×1")
    ) { try FilterChain([]).plan(for: YCbCrFormat(), size: Size(width: 0, height: 5)) }
  }

  @Test func otherImagesAreRefused() throws {
    let plan = try FilterChain([]).plan(for: YCbCrFormat(), size: size)
    let picture = try TestPlanes.flat(7, 5, .jpeg, [0, 128, 128])
    let what =
      "the image is 7×5, bt601 full 4:2:0 centered/centered, 8 bits, separate; the plan "
      + "was made for 7×5, bt709 narrow 4:2:0 cosited/centered, 8 bits, separate"
    let error = #expect(throws: BackendError.failed(backend: "any", what: what)) {
      try plan.check(picture)
    }
    #expect(error?.description == "no backend can run this: \(what)")
  }
}
