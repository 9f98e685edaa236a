// Functions are named as the header names them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import CFrostglass
package import FrostglassCPU
package import FrostglassCore

/// The backend that plans run on, with the caller's limits.
package final class Engine: CallersObject {
  package static let name = "engine"

  let runner: any CallerRunner
  /// As the caller has said; 0 for one on each core.
  package let threads: Int
  /// Bytes of one plan's runs beside images.
  package let memoryLimit: Int
  /// The larger library's state for this engine.
  package let companion: (any Sendable)?

  /// - Parameters:
  ///   - threads: of a structure of the caller's.
  ///   - memoryLimit: likewise; 0 for half of the machine's.
  ///   - make: gets the number of threads; `nil` for one on each core.
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
  /// Bytes that a run takes beside images.
  func memory(for plan: Plan) -> Int

  /// Makes a plan ready to be run many times.
  func ready(_ plan: Plan) throws(BackendError) -> any RunnablePlan

  /// Makes plans for planes ready to be run many times.
  func ready(_ plan: YCbCrPlan) throws(BackendError) -> any RunnablePlan
}

/// A plan that is ready, with memory that is kept.
package protocol RunnablePlan: Sendable {
  /// Runs it, and returns when that is done.
  func runNow(_ io: PixelIO) throws(BackendError) -> RunReport
}

extension FastBackend: CallerRunner {
  /// Bytes that a run takes beside images.
  package func memory(for plan: Plan) -> Int { memory(for: plan, byRows: false) }

  /// Makes a plan ready to be run many times.
  package func ready(_ plan: Plan) throws(BackendError) -> any RunnablePlan {
    try prepareRows(plan)
  }

  /// Makes plans for planes ready to be run many times.
  package func ready(_ plan: YCbCrPlan) throws(BackendError) -> any RunnablePlan {
    try preparePlanes(plan)
  }
}

extension PreparedRows: RunnablePlan {}
extension PreparedPlanes: RunnablePlan {}

/// Makes an engine: see the header.
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
