internal import Frostglass
internal import FrostglassCore
internal import FrostglassFetching
package import FrostglassOptions
internal import Synchronization

extension Origin {
  /// The origin that `/v1/pictures/PATH` is about.
  static let pictures = "pictures"
}

/// An image of an origin, as it is asked for.
package struct Source: Sendable {
  let origin: Origin
  let path: String

  /// 404: the image is not there, or may not be had.
  var missing: Problem {
    Problem(404, "no-such-picture", "the origin \(origin.name) has no such image")
  }

  /// 413.
  ///
  /// - Parameter mostBytes: the limit, in bytes.
  func tooLarge(_ mostBytes: Int) -> Problem {
    Problem(
      413, "picture-too-large",
      "the image of the origin \(origin.name) has more than the \(mostBytes) bytes that are taken")
  }
}

/// All origins of images, and what gets images from them.
package final class Sources: Sendable {
  private let origins: [String: Origin]
  private let folders: [String: ImageFolder]
  private let servers: RemoteSources?
  private let mostBytes: Int

  /// - Throws: `Failure` where a folder or what fetching takes is not there; for the operator, with paths.
  package init(_ configuration: ServerConfiguration) throws(Failure) {
    var folders: [String: ImageFolder] = [:]
    var needsFetching = false
    let origins = configuration.allOrigins
    for origin in origins {
      switch origin.place {
      case .folder(let path):
        guard let folder = ImageFolder(path) else {
          throw Failure("\(path): there is no such folder that can be read", .noInput)
        }
        folders[origin.name] = folder
      case .server(_, let access):
        needsFetching = true
        do { _ = try access?.signing() } catch {
          throw Failure("--origin \(origin.name): \(error.message)", error.kind)
        }
      }
    }
    self.folders = folders
    self.origins = origins.reduce(into: [:]) { $0[$1.name] = $1 }
    mostBytes = configuration.mostBytes
    servers = needsFetching ? try RemoteSources(configuration) : nil
  }

  /// True if there are any.
  var isEmpty: Bool { origins.isEmpty }

  /// True if `/v1/pictures/PATH` has an origin.
  var hasImages: Bool { origins[Origin.pictures] != nil }

  /// Starts what fetches.
  package func start() { servers?.start() }

  /// Ends what fetches; images that are on their way do not come.
  package func end() { servers?.end() }

  /// The process that fetches, where there is one.
  package var fetcher: Int32? { servers?.fetcher.process }

  /// The states of the circuit breakers by origin name: `closed` if a server is asked, `open` if it is left alone.
  var states: [(name: String, word: String)] { servers?.states ?? [] }

  /// The metrics of fetches.
  var metrics: [MetricFamily] { servers?.metrics ?? [] }

  /// - Throws: `Problem` for a name that no origin has, and a path that leads elsewhere.
  func source(_ name: String, _ path: String) throws(Problem) -> Source {
    guard let origin = origins[name] else {
      let (name, names) = (String(name.prefix(64)), origins.keys.sorted())
      throw .badRequest(
        "there is no origin \(name)\(DidYouMean.hint(for: name, in: names)); origins are: "
          + names.joined(separator: ", "))
    }
    if origin.place.isServer, origin.url(path) == nil {
      throw .badRequest(
        "the path must lead to an image of the origin \(name): at most 2048 bytes, no empty parts, "
          + "no . and no ..")
    }
    return Source(origin: origin, path: path)
  }

  /// Gets an image, as far as what is known of it.
  ///
  /// - Parameters:
  ///   - client: the client that asks.
  ///   - gate: the budget for bodies in memory, which the image counts toward.
  /// - Throws: `Problem` where it is not there, too large, or does not come.
  func file(
    _ source: Source, for client: String, _ gate: AdmissionQueue
  ) async throws(Problem) -> SourceFile {
    let file: SourceFile
    if let folder = folders[source.origin.name] {
      guard let found = folder.file(source.path) else { throw source.missing }
      file = found
    } else if let servers {
      file = try await servers.file(source, for: client, gate)
    } else {
      throw .ours
    }
    guard file.size <= mostBytes else { throw source.tooLarge(mostBytes) }
    return file
  }

  /// Has an image fetched anew when it is asked for next, as it turned out to be damaged.
  func forget(_ source: Source) async { await servers?.forget(source) }
}
