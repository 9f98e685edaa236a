public import Frostglass
internal import FrostglassCore
internal import FrostglassStills

/// A scene file that was read, with the folder that its images are found from.
public struct SceneFile: Sendable {
  /// The path of the scene file.
  public let path: String
  /// The parsed scene.
  package let document: SceneDocument
  /// Images that came with it; `nil` where they are files.
  private let pictures: [String: [UInt8]]?
  /// The document's text, in which names are located.
  package let text: String

  /// Reads a scene file.
  ///
  /// - Parameter appearance: light or dark, for what the scene has twice; `nil` is what it says itself.
  /// - Throws: `FrostglassError.scene` when the file is not there, cannot be read, or has a mistake.
  public init(
    _ path: String, appearance: FilterChain.Appearance? = nil
  ) throws(FrostglassError) {
    try self.init(path, try Self.contents(path, named: path), pictures: nil, appearance)
  }

  /// - Parameter name: for messages.
  private static func contents(
    _ path: String, named name: String
  ) throws(FrostglassError) -> String {
    do { return try TextFile.contents(path, most: 16) } catch {
      switch error {
      case .missing: throw .scene(.missing(path: name))
      case .unreadable(let reason): throw .scene(.unreadable(path: name, reason: reason))
      case .notText(let place):
        throw .scene(.malformed(path: name, mistake: "\(place.short): \(TextFile.notUTF8)"))
      }
    }
  }

  /// Reads a scene from standard input; its images are found from the current folder.
  ///
  /// - Parameter appearance: as of a file.
  /// - Throws: `FrostglassError.scene` when it cannot be read or has a mistake.
  public static func standardInput(
    appearance: FilterChain.Appearance? = nil
  ) throws(FrostglassError) -> SceneFile {
    let name = "standard input"
    let text = try contents("/dev/stdin", named: name)
    return try SceneFile(name, text, pictures: nil, appearance)
  }

  /// Reads a scene from memory, which opens no file.
  ///
  /// - Parameter pictures: image files by the names that the scene has for them.
  /// - Throws: `FrostglassError.scene` when it has a mistake.
  public init(text: String, pictures: [String: [UInt8]]) throws(FrostglassError) {
    try self.init("the scene", text, pictures: pictures, nil)
  }

  private init(
    _ path: String, _ text: String, pictures: [String: [UInt8]]?,
    _ appearance: FilterChain.Appearance?
  ) throws(FrostglassError) {
    self.path = path
    self.pictures = pictures
    self.text = text
    do {
      document = try SceneDocument(json: text, appearance: appearance)
    } catch { throw FrostglassError(error, in: path) }
  }

  /// The duration of the scene, in seconds; 0 for one that does not move.
  public var duration: Double { document.duration }

  /// The pixels of its canvas.
  public var size: Size { document.canvas.pixels }

  /// An image that the document names.
  ///
  /// - Throws: `DecodeError.missing` for one that did not come with a scene from memory.
  func source(of picture: String) throws(DecodeError) -> StillSource {
    guard let pictures else { return .file(resolved(picture)) }
    guard let bytes = pictures[picture] else { throw .missing(path: picture) }
    return .bytes(bytes)
  }

  /// The same error with the place where the document first names what it is about.
  ///
  /// - Parameters:
  ///   - names: of members, the ones before the others.
  ///   - isMeant: true if a value is it.
  func located(
    _ error: FrostglassError, at names: [String], _ isMeant: (String) -> Bool
  ) -> FrostglassError {
    guard let found = SceneDocument.place(in: text, of: names, isMeant) else { return error }
    return .element(place: "\(path):\(found)", error)
  }

  /// The paths of the images, videos and masks that the scene shows.
  package var shownFiles: [String] {
    guard pictures == nil, let storyboard = try? Storyboard(document) else { return [] }
    return (storyboard.assets + (storyboard.sheet?.assets ?? [])).compactMap { asset in
      switch asset {
      case .picture(let path, _), .mask(let path, _): resolved(path)
      default: nil
      }
    }
  }

  /// Returns the path of an image that the document names.
  private func resolved(_ picture: String) -> String {
    guard !picture.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return picture }
    return path[...slash] + picture
  }
}

extension FrostglassError {
  /// A mistake in a scene file.
  init(_ error: DocumentError, in path: String) {
    self = .scene(.malformed(path: path, mistake: "\(error)"))
  }
}
