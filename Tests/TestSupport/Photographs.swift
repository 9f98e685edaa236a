package import FrostglassCore
import FrostglassStills

/// Real images for tests; where they come from is in Tests/Fixtures/Photographs/LICENSES.md.
package enum Photographs {
  /// The folder they lie in.
  package static let folder = "\(Files.root)/Tests/Fixtures/Photographs"

  /// File names, in order.
  package static let names = Files.names(in: folder).filter { name in
    [".jpg", ".png"].contains { name.hasSuffix($0) }
  }

  /// Decodes one of them.
  package static func load(_ name: String) throws -> Image {
    try StillDecoder().decode(.file("\(folder)/\(name)")).image
  }
}
