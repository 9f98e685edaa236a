import Frostglass
import Testing

/// Programs written for 0.2 build, and mean the same.
struct DeprecatedNamesTests {
  @available(*, deprecated)
  @Test func earlierNamesAreTheSameTypesAndCases() {
    #expect(RegionsPicture.self == RegionsImage.self)
    #expect(FrameForm.film == .video)
    guard case .video("no frames") = FrostglassError.film("no frames") else {
      Issue.record("another error")
      return
    }
  }
}
