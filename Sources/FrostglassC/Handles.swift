internal import CFrostglass
internal import Glibc

/// The engines and plans that callers have, by what they were given for them.
///
/// That is a number nobody else has: no address, and never the same twice. So one that was freed, or that
/// is something else, is noticed, and not followed. What a call has looked up stays until it ends.
///
/// C has no other place where this could be kept than the process. A lock that another thread holds
/// while the process is forked would be held in the child for good, so forking waits for it.
final class Handles: @unchecked Sendable {
  /// Those of the process.
  static let all = Handles()

  private enum Object {
    case engine(Engine)
    case plan(ReadyPlan)
  }

  private var objects: [UInt: Object] = [:]
  private var last: UInt = 0
  /// Threads that are in a caller's callback.
  private var calling: Set<pthread_t> = []
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  private init() {
    pthread_mutex_init(mutex, nil)
    pthread_atfork(
      { pthread_mutex_lock(Handles.all.mutex) },
      { pthread_mutex_unlock(Handles.all.mutex) },
      { pthread_mutex_unlock(Handles.all.mutex) })
  }

  /// What is kept is let go of by `body`'s result, outside the lock: ending an engine takes a while.
  private func withLock<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  func add(_ engine: Engine) -> OpaquePointer? { add(.engine(engine)) }

  func add(_ plan: ReadyPlan) -> OpaquePointer? { add(.plan(plan)) }

  private func add(_ object: Object) -> OpaquePointer? {
    withLock {
      last += 1
      let number = Self.mark | last << 4
      objects[number] = object
      return OpaquePointer(bitPattern: number)
    }
  }

  func engine(_ handle: OpaquePointer?) throws(Failure) -> Engine {
    switch object(handle) {
    case .engine(let engine): return engine
    case .plan: throw Failure(FG_BAD_HANDLE, "the engine is a plan")
    case nil: throw Self.missing(handle, "engine")
    }
  }

  func plan(_ handle: OpaquePointer?) throws(Failure) -> ReadyPlan {
    switch object(handle) {
    case .plan(let plan): return plan
    case .engine: throw Failure(FG_BAD_HANDLE, "the plan is an engine")
    case nil: throw Self.missing(handle, "plan")
    }
  }

  /// Forgets an engine or a plan.
  ///
  /// - Throws: where it is the other one, or there is none.
  func remove(_ handle: OpaquePointer, isEngine: Bool) throws(Failure) {
    if isEngine { _ = try engine(handle) } else { _ = try plan(handle) }
    guard withLock({ objects.removeValue(forKey: UInt(bitPattern: handle)) }) != nil else {
      throw Self.missing(handle, isEngine ? "engine" : "plan")
    }
  }

  private func object(_ handle: OpaquePointer?) -> Object? {
    handle.flatMap { handle in withLock { objects[UInt(bitPattern: handle)] } }
  }

  private static func missing(_ handle: OpaquePointer?, _ name: String) -> Failure {
    handle == nil
      ? Failure(FG_BAD_ARGUMENT, "the \(name) is null")
      : Failure(FG_BAD_HANDLE, "the \(name) was freed, or never was one")
  }

  /// No address of Linux on this processor begins like it, and no small number is one.
  private static let mark: UInt = 0xF605 << 48

  /// Whether this thread is in a caller's callback.
  var isCalling: Bool { withLock { calling.contains(pthread_self()) } }

  /// Calls a callback of the caller's, during which its thread can run nothing.
  func call<Value>(_ body: () -> Value) -> Value {
    _ = withLock { calling.insert(pthread_self()) }
    defer { _ = withLock { calling.remove(pthread_self()) } }
    return body()
  }
}
