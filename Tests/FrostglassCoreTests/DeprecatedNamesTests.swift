import FrostglassCore
import Testing

/// Programs written for 0.2 build, and mean the same.
struct DeprecatedCoreNamesTests {
  @available(*, deprecated)
  @Test func earlierNamesAreTheSameTypesAndCases() {
    #expect(MaskPicture.self == MaskImage.self)
    #expect(MaskDoubt.self == MaskWarning.self)
    #expect(YCbCrPicture.self == YCbCrImage.self)
    #expect(PlanOptions.Quality.exact == .high)
  }

  @available(*, deprecated)
  @Test func earlierSizeOfAMaskIsItsImagesSize() {
    var mask = Mask([])
    mask.pictureSize = Size(width: 3, height: 2)
    #expect(mask.imageSizes == [Size(width: 3, height: 2)])
    #expect(mask.pictureSize == Size(width: 3, height: 2))
  }

  @Test func qualitiesAreReadByEitherWordAndWrittenAsBefore() {
    typealias Quality = PlanOptions.Quality
    #expect(["exact", "high"].map(Quality.init(rawValue:)) == [.high, .high])
    #expect(["fast", "draft"].map(Quality.init(rawValue:)) == [.fast, .fast])
    #expect(Quality(rawValue: "best") == nil)
    #expect(Quality.allCases.map(\.rawValue) == ["exact", "fast", "exact16"])
  }
}
