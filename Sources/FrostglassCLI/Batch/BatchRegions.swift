internal import Frostglass
internal import FrostglassOptions

/// Which regions each picture of a batch takes from files that have those of several.
struct BatchRegions {
  private let options: RegionOptions
  /// Which picture of the batch has taken the regions of a picture of the files.
  private var taken: [String: String] = [:]
  /// Regions that the filter did not take, of all pictures that were asked for.
  private(set) var leftOut = RegionFilter.LeftOut()

  init(_ options: RegionOptions) { self.options = options }

  /// What to do with a picture, given its regions.
  ///
  /// - Throws: `Failure`, where it is open which ones they are: also where another picture has taken
  ///   them.
  mutating func work(
    on source: StillSource, _ make: (RegionOptions) -> BatchTask
  ) throws(Failure) -> BatchWork {
    let (chosen, leftOut) = try options.chosen(for: source)
    self.leftOut += leftOut
    guard let found = chosen else { return .uncovered(leftOut) }
    for name in found.pictures {
      if let other = taken.updateValue(source.name, forKey: name) {
        throw .usage(
          "\(other) and \(source.name) would both take the regions of \(name); give them in two "
            + "commands, or names with folders in the file of regions")
      }
    }
    return .task(make(found))
  }
}
