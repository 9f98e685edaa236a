// Functions are named as the header names them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import CFrostglass
internal import FrostglassCPU
internal import FrostglassCore

/// Threads that plans run on, and what they may take.
final class Engine: Sendable {
  let backend: FastBackend
  /// Bytes of one plan's runs beside images.
  let memoryLimit: Int

  init(_ options: fg_engine_options) throws(Failure) {
    guard (0...1024).contains(options.threads) else {
      throw Failure(FG_BAD_ARGUMENT, "threads is \(options.threads); it must be from 0 to 1024")
    }
    guard options.memory_limit >= 0 else {
      throw Failure(
        FG_BAD_ARGUMENT, "memory_limit is \(options.memory_limit); it must be 0 or more")
    }
    backend = options.threads == 0 ? FastBackend() : FastBackend(threads: Int(options.threads))
    memoryLimit = options.memory_limit == 0 ? MachineMemory.half : Int(options.memory_limit)
  }
}

/// Makes an engine: see the header.
@c(fg_engine_create) @implementation
public func fg_engine_create(
  _ options: UnsafePointer<fg_engine_options>?, _ engine: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<CChar>?, _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) { () throws(Failure) in
    guard let engine else { throw Failure(FG_BAD_ARGUMENT, "the place for the engine is null") }
    engine.pointee = nil
    var chosen = fg_engine_options()
    if let options { chosen = try structure(options, "fg_engine_options") }
    engine.pointee = Handles.all.add(try Engine(chosen))
  }
}

/// Frees an engine: see the header.
@c(fg_engine_free) @implementation
public func fg_engine_free(_ engine: OpaquePointer?) -> fg_status {
  answering(nil, 0) { () throws(Failure) in
    if let engine { try Handles.all.remove(engine, isEngine: true) }
  }
}
