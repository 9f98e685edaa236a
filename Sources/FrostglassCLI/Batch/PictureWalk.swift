internal import Frostglass
internal import Glibc

/// Finds the pictures in a directory and in the directories below it.
///
/// Taken are files whose names end like those of a format that is read. Hidden files and
/// directories are passed over, and links to directories, which could lead in circles.
package struct PictureWalk {
  /// A directory that cannot be read.
  package struct Obstacle: Sendable, Hashable {
    package var path: String
    package var reason: String
  }

  /// In the order of their paths, so that two walks give the same.
  package private(set) var found: [BatchInput] = []
  package private(set) var obstacles: [Obstacle] = []

  private let excluded: FileIdentity?

  /// - Parameter excluded: a directory that is not entered: the output's.
  package init(_ directory: String, except excluded: String? = nil) {
    self.excluded = excluded.flatMap { FileIdentity($0) }
    visit(directory, name: "")
  }

  private mutating func visit(_ path: String, name: String) {
    guard let entries = entries(of: path) else { return }
    for entry in entries where !entry.hasPrefix(".") {
      let place = path.hasSuffix("/") ? path + entry : "\(path)/\(entry)"
      let below = name.isEmpty ? entry : "\(name)/\(entry)"
      var status = stat()
      guard lstat(place, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        if FileIdentity(status) != excluded { visit(place, name: below) }
      } else if Self.isPicture(entry), !Self.isDirectory(place) {
        found.append(BatchInput(path: place, name: below))
      }
    }
  }

  private mutating func entries(of path: String) -> [String]? {
    guard let folder = opendir(path) else {
      obstacles.append(Obstacle(path: path, reason: String(cString: strerror(errno))))
      return nil
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      names.append(name)
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private static func isPicture(_ name: String) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return false }
    return StillFormat(fileExtension: String(name[name.index(after: dot)...])) != nil
  }

  /// Whether a path leads to a directory, also through a link.
  static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
