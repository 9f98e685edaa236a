internal import Glibc
internal import Synchronization

/// Something with threads and locks, which a forked process does not get: there it is made anew.
///
/// What the parent's had is left alone in the child, as its locks may be held for good.
package final class PerProcess<Value: Sendable>: Sendable {
  /// The address of an entry, which is kept for it.
  private let current: Atomic<UInt>
  private let make: @Sendable () -> Value

  private final class Entry: Sendable {
    let process = getpid()
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  package init(_ make: @escaping @Sendable () -> Value) {
    self.make = make
    current = Atomic(UInt(bitPattern: Unmanaged.passRetained(Entry(make())).toOpaque()))
  }

  deinit {
    guard let last = Self.entry(current.load(ordering: .acquiring)) else { return }
    // Threads of another process cannot be ended.
    if last.takeUnretainedValue().process == getpid() { last.release() }
  }

  /// The one of this process.
  package var value: Value {
    while true {
      let known = current.load(ordering: .acquiring)
      if let entry = Self.entry(known)?.takeUnretainedValue(), entry.process == getpid() {
        return entry.value
      }
      let made = Unmanaged.passRetained(Entry(make()))
      let (isFirst, _) = current.compareExchange(
        expected: known, desired: UInt(bitPattern: made.toOpaque()),
        ordering: .acquiringAndReleasing)
      if !isFirst { made.release() }
    }
  }

  private static func entry(_ address: UInt) -> Unmanaged<Entry>? {
    UnsafeRawPointer(bitPattern: address).map { Unmanaged<Entry>.fromOpaque($0) }
  }
}
