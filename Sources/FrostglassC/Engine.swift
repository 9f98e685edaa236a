// Functions are named as the header names them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import CFrostglass
package import FrostglassCPU
package import FrostglassCore

/// The backend that plans run on, with the caller's limits.
package final class Engine: CallersObject {
  package static let name = "engine"

  let runner: any CallerRunner
  /// The caller's number of threads; 0 for one on each core.
  package let threads: Int
  /// The memory of one plan's runs in addition to images, in bytes.
  package let memoryLimit: Int
  /// The larger library's state for this engine.
  package let companion: (any Sendable)?

  /// - Parameters:
  ///   - threads: from the caller's structure.
  ///   - memoryLimit: from the caller's structure; 0 for half of the machine's memory.
  ///   - make: makes the runner for a number of threads; `nil` for one on each core.
  package init(
    threads: Int64, memoryLimit: Int64,
    _ make: (Int?) throws -> (runner: any CallerRunner, companion: (any Sendable)?)
  ) throws {
    guard (0...1024).contains(threads) else {
      throw Failure(FG_BAD_ARGUMENT, "threads is \(threads); it must be from 0 to 1024")
    }
    guard memoryLimit >= 0 else {
      throw Failure(FG_BAD_ARGUMENT, "memory_limit is \(memoryLimit); it must be 0 or more")
    }
    self.threads = Int(threads)
    self.memoryLimit = memoryLimit == 0 ? MachineMemory.half : Int(memoryLimit)
    (runner, companion) = try make(threads == 0 ? nil : Int(threads))
  }
}

/// A runner of an engine's plans, in the caller's thread or while that thread waits.
package protocol CallerRunner: Sendable {
  /// Returns the memory that a run takes in addition to images, in bytes.
  func memory(for plan: Plan) -> Int

  /// Prepares a plan for many runs.
  func ready(_ plan: Plan) throws(BackendError) -> any RunnablePlan

  /// Prepares plans for planes for many runs.
  func ready(_ plan: YCbCrPlan) throws(BackendError) -> any RunnablePlan
}

/// A prepared plan with its reusable memory.
package protocol RunnablePlan: Sendable {
  /// Runs it, and returns when it is done.
  func runNow(_ io: PixelIO) throws(BackendError) -> RunReport
}

extension FastBackend: CallerRunner {
  /// Returns the memory that a run takes in addition to images, in bytes.
  package func memory(for plan: Plan) -> Int { memory(for: plan, byRows: false) }

  /// Prepares a plan for many runs.
  package func ready(_ plan: Plan) throws(BackendError) -> any RunnablePlan {
    try prepareRows(plan)
  }

  /// Prepares plans for planes for many runs.
  package func ready(_ plan: YCbCrPlan) throws(BackendError) -> any RunnablePlan {
    try preparePlanes(plan)
  }
}

extension PreparedRows: RunnablePlan {}
extension PreparedPlanes: RunnablePlan {}

/// Creates an engine: see the header.
@c(fg_engine_create) @implementation
public func fg_engine_create(
  _ options: UnsafePointer<fg_engine_options>?, _ engine: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<CChar>?, _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    guard let engine else { throw Failure(FG_BAD_ARGUMENT, "the place for the engine is null") }
    engine.pointee = nil
    var chosen = fg_engine_options()
    if let options { chosen = try structure(options, "fg_engine_options") }
    let made = try Engine(threads: chosen.threads, memoryLimit: chosen.memory_limit) { threads in
      (threads.map { FastBackend(threads: $0) } ?? FastBackend(), nil)
    }
    engine.pointee = Handles.all.add(made)
  }
}

/// Frees an engine: see the header.
@c(fg_engine_free) @implementation
public func fg_engine_free(_ engine: OpaquePointer?) -> fg_status {
  answering(nil, 0) { try Handles.all.remove(engine, Engine.self) }
}
