/// What the names of films end with.
package enum FilmName {
  /// As far as containers are for films and nothing else, those that people meet.
  private static let endings: Set = [
    "3g2", "3gp", "asf", "avi", "flv", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mts",
    "mxf",
    "nut", "ogv", "ts", "vob", "webm", "wmv",
  ]

  /// Whether a file's name is that of a film.
  package static func isFilm(_ path: String) -> Bool {
    guard let file = path.split(separator: "/").last, let dot = file.lastIndex(of: "."),
      dot != file.startIndex
    else { return false }
    return endings.contains(file[file.index(after: dot)...].lowercased())
  }
}
