internal import Frostglass
internal import FrostglassOptions

/// Which regions each picture of a batch takes from files that have those of several.
struct BatchRegions {
  private let options: RegionOptions
  /// Which picture of the batch has taken the regions of a picture of the files.
  private var taken: [String: String] = [:]

  init(_ options: RegionOptions) { self.options = options }

  /// The regions of a picture; `nil` where there are none.
  ///
  /// - Throws: `Failure`, where it is open which ones they are: also where another picture has taken
  ///   them.
  mutating func regions(of source: StillSource) throws(Failure) -> RegionOptions? {
    guard let found = try options.chosen(for: source) else { return nil }
    for name in found.pictures {
      if let other = taken.updateValue(source.name, forKey: name) {
        throw .usage(
          "\(other) and \(source.name) would both take the regions of \(name); give them in two "
            + "commands, or names with folders in the file of regions")
      }
    }
    return found
  }
}
