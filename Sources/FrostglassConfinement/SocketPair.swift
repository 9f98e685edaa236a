internal import Glibc

/// Two sockets that are connected with each other, and that no program inherits unless it is given one.
package struct SocketPair: Sendable {
  package let first: Int32
  package let second: Int32

  /// The system has no more of them.
  package struct NotMade: Error, Sendable {
    /// What `errno` would be.
    package var code: Int32
  }

  /// Streams of bytes in both directions; whoever makes them closes them.
  ///
  /// - Throws: `NotMade`.
  package init() throws(NotMade) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw NotMade(code: errno) }
    (first, second) = (ends[0], ends[1])
  }
}
