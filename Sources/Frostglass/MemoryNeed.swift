internal import FrostglassCPU

/// About how many bytes a job takes at its peak, from the input's header, the plan and the formats.
public struct MemoryNeed: Sendable, Hashable {
  /// Where rows go from the decoder through the blur to the encoder, a few at a time: on the CPU.
  public let byRows: Int
  /// Where a whole picture is decoded before it is blurred: on a GPU, and on the reference.
  public let whole: Int

  /// - Parameter threads: that share rows.
  init(_ line: JobLine, threads: Int) {
    byRows = line.memory(on: FastBackend(threads: threads))
    whole = line.memory(on: ReferenceBackend())
  }
}
