internal import FrostglassCore
package import FrostglassStills

extension RegionsFile {
  /// Reads the regions that an image carries in its XMP, such as faces that a camera or a photo program marked.
  ///
  /// They are those of the upright image, whatever orientation it is stored in, with their kind as label.
  ///
  /// - Returns: the regions, and the state of the image's file.
  /// - Throws: `RegionsError.noRegions` where it carries none, and `.unfit` where one of them cannot be understood or
  ///   may be missing, and for what is no regular file.
  package static func inMetadata(
    of path: String, maxPixels: Int
  ) throws(RegionsError) -> (file: RegionsFile, version: FileVersion) {
    let reader: StillReader
    do throws(DecodeError) {
      reader = try StillDecoder(DecodeOptions(maxPixels: maxPixels)).reader(of: .file(path))
    } catch {
      switch error {
      case .missing: throw .missing(path: path)
      case .unreadable(_, let reason): throw .unreadable(path: path, reason: reason)
      default: throw .unfit(path: "", reason: "\(error)")
      }
    }
    guard let version = reader.version else {
      throw .unfit(path: path, reason: "it is read twice, and must be a file")
    }
    guard !reader.metadata.lacksXMP else {
      throw .unfit(
        path: path,
        reason:
          "a part of its XMP is missing or too long, and may hold more regions; give them with --regions"
      )
    }
    let none = RegionsError.noRegions(path: path, picture: "people or things")
    guard let packet = reader.metadata.xmp else { throw none }
    guard let list = XMPRegion.list(in: packet, reader.header.size) else {
      throw .unfit(
        path: path,
        reason:
          "the regions in its XMP cannot all be understood, and none is taken; give them with --regions"
      )
    }
    guard !list.regions.isEmpty else { throw none }
    let entries = list.regions.map { region in
      let sides = region.box.map { Length($0 * 100, .percent) }
      return Entry(
        region: Region(
          .rectangle(x: sides[0], y: sides[1], width: sides[2], height: sides[3]),
          label: region.kind), picture: nil, place: TextPosition(line: 1, column: 1))
    }
    let file = RegionsFile(
      entries, [Picture(name: path, size: list.size)], categories: [], path: path)
    return (file, version)
  }
}
