internal import Glibc

/// Text for people: results on standard output, everything else on standard error.
enum Console {
  static func print(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

  static func error(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

  /// Text without a line end on standard error, for progress.
  static func errorFragment(_ text: String) { write(text, to: STDERR_FILENO) }

  /// Whether progress can be drawn in place.
  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  private static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 && errno == EINTR { continue }
      // Nobody listens any more: there is no one to tell.
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - count))
  }
}
