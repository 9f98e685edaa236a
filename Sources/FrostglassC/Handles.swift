internal import CFrostglass
package import FrostglassCore
internal import Glibc

/// An object that callers hold and free.
package protocol CallersObject: AnyObject, Sendable {
  /// The object's name in messages.
  static var name: String { get }
}

/// The objects that callers hold, by their handles.
///
/// A handle is a unique number, never an address and never reused. So freed or invalid handles are detected and not
/// followed. An object that a call has looked up stays alive until the call ends.
///
/// C has no other place for this than the process. A lock that another thread holds during a fork would stay locked
/// in the child for good, so forks wait for the lock.
package final class Handles: @unchecked Sendable {
  /// The handles of the process.
  package static let all = Handles()

  private var objects: [UInt: any CallersObject] = [:]
  private var last: UInt = 0
  /// Threads that are in a caller's callback.
  private var calling: Set<pthread_t> = []
  /// The cancellations of running calls, by the caller's context.
  private var running: [UnsafeMutableRawPointer: [Cancellation]] = [:]
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  private init() {
    pthread_mutex_init(mutex, nil)
    pthread_atfork(
      { pthread_mutex_lock(Handles.all.mutex) },
      { pthread_mutex_unlock(Handles.all.mutex) },
      { pthread_mutex_unlock(Handles.all.mutex) })
  }

  /// Runs `body` under the lock. Objects in its result are released outside the lock, because ending an engine takes
  /// a while.
  private func withLock<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  /// Adds an object and returns its handle.
  package func add(_ object: any CallersObject) -> OpaquePointer? {
    withLock {
      last += 1
      let number = Self.mark | last << 4
      objects[number] = object
      return OpaquePointer(bitPattern: number)
    }
  }

  /// Returns the object of a handle.
  ///
  /// - Throws: a failure if the handle is null, freed, invalid, or of another type.
  package func object<Object: CallersObject>(
    _ handle: OpaquePointer?, _ type: Object.Type
  ) throws -> Object {
    guard let handle else { throw Failure(FG_BAD_ARGUMENT, "the \(type.name) is null") }
    guard let found = withLock({ objects[UInt(bitPattern: handle)] }) else {
      throw Self.missing(type)
    }
    guard let object = found as? Object else {
      let other = Swift.type(of: found).name
      let article = other.first.map { "aeiou".contains($0) } == true ? "an" : "a"
      throw Failure(FG_BAD_HANDLE, "the \(type.name) is \(article) \(other)")
    }
    return object
  }

  /// Removes an object; null is ignored.
  ///
  /// - Throws: a failure if the handle is invalid or of another type.
  package func remove<Object: CallersObject>(
    _ handle: OpaquePointer?, _ type: Object.Type
  ) throws {
    guard let handle else { return }
    _ = try object(handle, type)
    guard withLock({ objects.removeValue(forKey: UInt(bitPattern: handle)) }) != nil else {
      throw Self.missing(type)
    }
  }

  private static func missing(_ type: any CallersObject.Type) -> Failure {
    Failure(FG_BAD_HANDLE, "the \(type.name) was freed, or never was one")
  }

  /// The upper bits of every handle. No address of Linux on this processor begins like it, and no small number.
  private static let mark: UInt = 0xF605 << 48

  /// Checks that this thread is not in a caller's callback, where a run would wait for itself.
  package func checkNotCalling() throws {
    guard !withLock({ calling.contains(pthread_self()) }) else {
      throw Failure(FG_BAD_ARGUMENT, "a progress callback cannot make or run plans")
    }
  }

  /// Runs `body`, which can be cancelled by its context meanwhile.
  package func running<Value>(
    _ context: UnsafeMutableRawPointer?, _ cancellation: Cancellation, _ body: () throws -> Value
  ) rethrows -> Value {
    guard let context else { return try body() }
    withLock { running[context, default: []].append(cancellation) }
    defer {
      withLock {
        running[context]?.removeAll { $0 === cancellation }
        if running[context]?.isEmpty == true { running[context] = nil }
      }
    }
    return try body()
  }

  /// Cancels all runs with a context.
  ///
  /// - Returns: the number of runs.
  func cancel(_ context: UnsafeMutableRawPointer) -> Int {
    let cancellations = withLock { running[context] ?? [] }
    for cancellation in cancellations { cancellation.cancel() }
    return cancellations.count
  }

  /// Calls a caller's callback, during which its thread cannot run plans.
  package func call<Value>(_ body: () -> Value) -> Value {
    _ = withLock { calling.insert(pthread_self()) }
    defer { _ = withLock { calling.remove(pthread_self()) } }
    return body()
  }
}
