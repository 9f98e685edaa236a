/// A scene file that was read, with the folder that its pictures are found from.
public struct SceneFile: Sendable {
  public let path: String
  public let document: SceneDocument

  /// - Throws: `FrostglassError.scene` when the file is not there, cannot be read, or has a mistake.
  public init(_ path: String) throws(FrostglassError) {
    self.path = path
    let text: String
    do throws(TextFile.Failure) { text = try TextFile.contents(path, most: 16) } catch {
      switch error {
      case .missing: throw .scene(.missing(path: path))
      case .unreadable(let reason): throw .scene(.unreadable(path: path, reason: reason))
      }
    }
    do throws(DocumentError) { document = try SceneDocument(json: text) } catch {
      throw .scene(.malformed(path: path, error))
    }
  }

  /// Where a picture is that the document names.
  func resolved(_ picture: String) -> String {
    guard !picture.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return picture }
    return path[...slash] + picture
  }
}
