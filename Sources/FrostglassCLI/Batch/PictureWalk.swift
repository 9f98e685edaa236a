internal import Frostglass
internal import Glibc

/// Finds the pictures in a directory and in the directories below it.
///
/// Taken are files whose names end like those of a format that is read. Hidden files and
/// directories are passed over, links to directories, which could lead in circles, and pipes and
/// devices, which could wait forever.
package struct PictureWalk {
  /// Something that cannot be looked at.
  package struct Obstacle: Sendable, Hashable {
    package var path: String
    package var reason: String

    /// - Parameter code: of the system call that failed.
    init(_ path: String, code: Int32) {
      self.path = path
      reason = String(cString: strerror(code))
    }
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
    for entry in entries(of: path) where !entry.hasPrefix(".") {
      let place = path.hasSuffix("/") ? path + entry : "\(path)/\(entry)"
      let below = name.isEmpty ? entry : "\(name)/\(entry)"
      var status = stat()
      guard lstat(place, &status) == 0 else {
        // Also for a name that is not UTF-8.
        obstacles.append(Obstacle(place, code: errno))
        continue
      }
      if status.st_mode & S_IFMT == S_IFDIR {
        if FileIdentity(status) != excluded { visit(place, name: below) }
      } else if Self.isPicture(entry), Self.isFile(place) {
        found.append(BatchInput(path: place, name: below))
      }
    }
  }

  /// The names in a directory, sorted; what could not be read is noted.
  private mutating func entries(of path: String) -> [String] {
    guard let folder = opendir(path) else {
      obstacles.append(Obstacle(path, code: errno))
      return []
    }
    defer { closedir(folder) }
    var names: [String] = []
    // The end and an error look the same but for this.
    errno = 0
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      names.append(name)
      errno = 0
    }
    if errno != 0 { obstacles.append(Obstacle(path, code: errno)) }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Whether a path leads to a file, or to nothing: that is for the job to report.
  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
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
