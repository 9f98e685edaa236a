internal import Frostglass
internal import FrostglassConfinement
internal import FrostglassCore
internal import Glibc

/// The life of a process that works for the service: it opens what it will need, goes behind its
/// walls, and takes one order after another until its parent is gone.
package enum ConfinedChild {
  /// The hidden subcommand that it is started with.
  package static let word = "serve-worker"

  /// The descriptor of its socket.
  static let socket: Int32 = 3

  /// What follows the subcommand.
  struct Arguments {
    /// The process that started it.
    var parent: Int32
    /// Bytes of memory that it may take.
    var memory: Int

    /// Threads that it computes with; `nil` for one per core.
    var threads: Int?

    /// Folders below which it may read.
    var readable: [String]

    var words: [String] { ["\(parent)", "\(memory)", "\(threads ?? 0)"] + readable }

    init(parent: Int32, memory: Int, threads: Int?, readable: [String]) {
      self.parent = parent
      self.memory = memory
      self.threads = threads
      self.readable = readable
    }

    init?(_ words: [String]) {
      guard words.count >= 3, let parent = Int32(words[0]), let memory = Int(words[1]),
        let threads = Int(words[2])
      else { return nil }
      self.init(
        parent: parent, memory: memory, threads: threads > 0 ? threads : nil,
        readable: Array(words.dropFirst(3)))
    }
  }

  /// Bytes of new memory after which free memory is given back: more than usual pictures take.
  private static let touchedMemory = 128 << 20

  /// Does the service's work on the CPU until the parent is gone.
  ///
  /// - Parameter words: what follows the subcommand.
  /// - Returns: the exit code.
  package static func run(_ words: [String]) async -> Int32 {
    await run(words) { threads in InProcessWorker(Pipeline(backend: .fast, threads: threads)) }
  }

  /// Works until the parent is gone.
  ///
  /// - Parameters:
  ///   - words: what follows the subcommand.
  ///   - makeWorker: makes what does the work, which uses no GPU; gets the number of threads that it
  ///     computes with, `nil` for one per core.
  /// - Returns: the exit code: 64 where nobody started it that may.
  package static func run(
    _ words: [String], _ makeWorker: (_ threads: Int?) -> any Worker
  ) async -> Int32 {
    guard let arguments = Arguments(words), dieWithParent(arguments.parent) else {
      return EX_USAGE
    }
    let socket = FrameSocket(descriptor: socket)
    let worker = makeWorker(arguments.threads)
    await WarmUp.run(worker, hasFonts: !arguments.readable.isEmpty)
    // An encoder of AVIF alone has had megabytes.
    giveMemoryBack(afterTouching: 0)
    do {
      let walls = try Confinement(
        memory: arguments.memory, readable: arguments.readable
      ).enter()
      try socket.send(try WorkerHello(walls: walls).frame())
    } catch { return EX_OSERR }
    let threads = ThreadPool()
    while let frame = try? await threads.run({ () throws(FrameError) in
      try socket.receive(WorkOrder.limits)
    }) {
      guard let order = try? WorkOrder(frame) else { return EX_DATAERR }
      guard let answer = try? await worker.perform(order).frame() else { return EX_SOFTWARE }
      do { try await threads.run { () throws(FrameError) in try socket.send(answer) } } catch {
        return EX_OK
      }
      giveMemoryBack(afterTouching: touchedMemory)
    }
    return EX_OK
  }
}
