package import FrostglassScenes

/// A scene file that was read, with the folder that its pictures are found from.
public struct SceneFile: Sendable {
  /// Where the file is.
  public let path: String
  /// What it says.
  package let document: SceneDocument
  /// Pictures that came with it; `nil` where they are files.
  private let pictures: [String: [UInt8]]?
  /// What the document was read from, to find what it names.
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
    do throws(TextFile.Failure) { return try TextFile.contents(path, most: 16) } catch {
      switch error {
      case .missing: throw .scene(.missing(path: name))
      case .unreadable(let reason): throw .scene(.unreadable(path: name, reason: reason))
      case .notText(let place):
        throw .scene(.malformed(path: name, mistake: "\(place.short): \(TextFile.notUTF8)"))
      }
    }
  }

  /// Reads a scene from standard input; its pictures are found from the current folder.
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
    do throws(DocumentError) {
      document = try SceneDocument(json: text, appearance: appearance)
    } catch { throw FrostglassError(error, in: path) }
  }

  /// How long the scene lasts, in seconds; 0 for one that does not move.
  public var duration: Double { document.duration }

  /// The pixels of its canvas.
  public var size: Size { document.canvas.pixels }

  /// A picture that the document names.
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
  ///   - isMeant: whether a value is it.
  func located(
    _ error: FrostglassError, at names: [String], _ isMeant: (String) -> Bool
  ) -> FrostglassError {
    guard let found = SceneDocument.place(in: text, of: names, isMeant) else { return error }
    return .element(place: "\(path):\(found)", error)
  }

  /// Where the pictures, films and masks are that it shows.
  package var shownFiles: [String] {
    guard pictures == nil, let storyboard = try? Storyboard(document) else { return [] }
    return (storyboard.assets + (storyboard.sheet?.assets ?? [])).compactMap { asset in
      switch asset {
      case .picture(let path, _), .mask(let path, _): resolved(path)
      default: nil
      }
    }
  }

  /// Where a picture is that the document names.
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

/// Why a scene file cannot be used.
public enum SceneFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no such file.
  case missing(path: String)
  /// The file cannot be read, for a reason of the system.
  case unreadable(path: String, reason: String)
  /// There is a mistake in it.
  case malformed(path: String, mistake: String)
  /// A still of a scene that lasts, without a time.
  case noTime(output: String, duration: Double)
  /// A time that the scene does not have.
  case timeOutside(Double, duration: Double)
  /// Frames per second that cannot be.
  case badRate(Double)
  /// A canvas that one can see through, in a format without transparency.
  case noTransparency(format: StillFormat)
  /// A canvas that one can see through, in a film.
  case transparentFilm

  /// What happened, in words for the one who asked for it.
  public var description: String {
    switch self {
    case .missing(let path): "\(path): there is no such file; give the path of a scene in JSON"
    case .unreadable(let path, let reason):
      "\(path): cannot be read (\(reason)); give the path of a scene in JSON"
    case .malformed(let path, let error): "\(path):\(error)"
    case .noTime(let output, let duration):
      "\(output) holds one picture of a scene of \(duration) s; give --time T, or a name such as "
        + "frames/%04d.png or scene.webp"
    case .timeOutside(let time, let duration):
      "the time is \(time) s; the scene lasts from 0 to \(duration) s"
    case .badRate(let rate):
      "there are \(rate) frames per second; there must be more than 0 and at most 1000"
    case .transparentFilm:
      "a film holds no transparency; give canvas.background an opaque color, or write WebP"
    case .noTransparency(let format):
      "\(format) holds no transparency; give canvas.background an opaque color, or write PNG or WebP"
    }
  }
}
