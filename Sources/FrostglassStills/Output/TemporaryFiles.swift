internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// The files beside their destinations that exist only while a picture is written.
///
/// An interrupted process takes them with it by `removeAll`. There is one list per process, as an
/// interruption ends the whole of it.
package final class TemporaryFiles: Sendable {
  private struct State {
    /// Each with the descriptor that locks it, below 0 where there is none.
    var paths: [String: Int32] = [:]
    /// Folders that were looked through for what killed processes have left.
    var swept: Set<String> = []
    var isClosed = false
  }

  /// How their names begin.
  static let prefix = ".frostglass-"

  /// Those of this process.
  package static let ofProcess = TemporaryFiles()

  private let state = Mutex(State())

  package init() {}

  /// Makes a file under a new name in a folder, and removes what killed processes have left there.
  ///
  /// - Parameters:
  ///   - folder: ending with a slash; empty for the current one.
  ///   - create: a system call; below 0 with `errno` where it fails.
  /// - Returns: the file's path, and what `create` returned or, below 0, its error number negated.
  package func make(
    in folder: String, _ create: (_ path: String) -> Int32
  ) -> (path: String, result: Int32) {
    if state.withLock({ $0.swept.insert(folder).inserted }) { AbandonedFiles.remove(in: folder) }
    let path = folder + Self.prefix + String(UInt64.random(in: 0 ... .max), radix: 36)
    let result = whileOpen { paths in
      let result = create(path)
      guard result >= 0 else { return -errno }
      paths[path] = AbandonedFiles.lock(path)
      return result
    }
    return (path, result)
  }

  /// Gives a finished file its name, or removes it.
  ///
  /// - Parameter rename: a system call; other than 0 with `errno` where it fails.
  /// - Returns: `nil`, or the error number.
  package func finish(_ path: String, _ rename: () -> Int32) -> Int32? {
    whileOpen { paths in
      guard rename() == 0 else { return errno }
      if let lock = paths.removeValue(forKey: path), lock >= 0 { close(lock) }
      return nil
    }
  }

  /// Gives a file that has no temporary name its own.
  ///
  /// - Parameter link: a system call; other than 0 with `errno` where it fails.
  /// - Returns: `nil`, or the error number.
  package func name(_ link: () -> Int32) -> Int32? {
    whileOpen { _ in link() == 0 ? nil : errno }
  }

  /// Removes all temporary files, for a process that is about to end.
  ///
  /// No other file appears afterwards: threads that want to make or name one wait for the end.
  package func removeAll() {
    state.withLock { state in
      for path in state.paths.keys { unlink(path.systemPath) }
      state.paths = [:]
      state.isClosed = true
    }
  }

  /// A thread that went on with an error would report a failure where there was an interruption.
  private func whileOpen<Value>(_ body: (inout [String: Int32]) -> Value) -> Value {
    let value = state.withLock { $0.isClosed ? nil : body(&$0.paths) }
    guard let value else {
      while true { pause() }
    }
    return value
  }
}
