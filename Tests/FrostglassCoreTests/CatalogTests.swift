import FrostglassCore
import Testing

struct CatalogTests {
  @Test func namesAreUniqueAndFound() {
    let names = Catalog.filters.map { $0.name }
    #expect(Set(names).count == names.count)
    for name in names {
      #expect(Catalog.filter(named: name)?.info.name == name)
      #expect(name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
    }
  }

  @Test func everyParameterIsDescribed() {
    for info in Catalog.filters.map({ $0.info }) {
      #expect(info.summary.hasSuffix("."), "\(info.name)")
      for parameter in info.parameters {
        #expect(parameter.help.hasSuffix("."), "\(info.name) \(parameter.name)")
      }
      #expect(Set(info.parameters.map(\.name)).count == info.parameters.count)
    }
  }

  @Test func defaultsAreWithinTheirRanges() throws {
    for filter in Catalog.filters {
      try filter.checkRanges()
      for parameter in filter.info.parameters {
        guard let text = parameter.defaultText else { continue }
        #expect(ParameterValue(text, for: parameter.kind) != nil, "\(filter.name) \(text)")
      }
    }
  }

  @Test func valuesSetInCodeAreCheckedToo() throws {
    let input = Plan.Input(
      size: Size(width: 4, height: 4), format: .rgb8, alpha: .opaque, transfer: .encoded)
    for chain: FilterChain in [
      [.box(radius: -1)], [.saturation(.nan)], [.tint(Color(red: 2, green: 0, blue: 0), alpha: 1)],
      [.gaussian(sigma: -1)], [.gaussian(sigma: Sigma(.infinity))], [.gaussian(sigma: 1001)],
      [.hueRotate(Angle(degrees: .nan))],
    ] {
      #expect(throws: PlanError.self, "\(chain)") { try chain.plan(for: input) }
    }
  }

  @Test func stylesAreThePromisedOnes() {
    let strengths = ["ultra-thin", "thin", "material", "thick", "chrome"]
    let promised =
      ["ios-blur", "light", "extra-light", "dark", "custom-style", "toolbar-button"]
      + (strengths + ["dock", "platter"]).flatMap { ["\($0)-light", "\($0)-dark"] }
      + ["light", "extra-light", "dark", "tint"].map { "image-effects-\($0)" }
      + ["light", "dark", "coral", "neon", "sky"].map { "7blur-\($0)" }
    #expect(Set(Catalog.styles.map { $0.name }) == Set(promised))
  }

  @Test func sigmaUnitsMeetInOnePlace() throws {
    let size = Size(width: 400, height: 200)
    #expect(try Sigma(percent: 2).pixels(for: size, scale: 3, filter: "test") == 4)
    #expect(try Sigma(5, .points).pixels(for: size, scale: 3, filter: "test") == 15)
    #expect(Sigma(cssBlur: 7) == 7)
    #expect(Sigma(cssShadow: 7) == 3.5)
    #expect(Sigma(points: 10, scale: 2) == 20)
    #expect(throws: PlanError.self) {
      try Sigma(percent: 100).pixels(for: Size(width: 5000, height: 5000), scale: 1, filter: "test")
    }
  }

  @Test func errorsNameTheFilterThatWasAskedFor() throws {
    let input = Plan.Input(
      size: Size(width: 4, height: 4), format: .rgb8, alpha: .opaque, transfer: .encoded)
    let error = try #require(throws: PlanError.self) {
      try FilterChain(text: "ios-blur(900)").plan(for: input)
    }
    #expect(error.description.contains("ios-blur"))
    #expect(error.description.contains("3600px"))
  }

  @Test func iosBlurIs48PixelsAsInGPUImage() {
    #expect(IOSBlur().sigma == 48)
    var style = IOSBlur()
    style.sigma = 20
    #expect(style.radius == 5)
  }
}
