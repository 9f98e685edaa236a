package import FrostglassConfinement
internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// Sandboxed child processes that do the work of requests, one order at a time each.
///
/// A failure in a child costs only its order, which gets status 500: the child is replaced, and the next order works.
/// Work that is cancelled, or exceeds its order's limit, is ended with its child. Children are not trusted: their
/// answers are checked, see `AnswerCheck`.
///
/// They are started in advance, and end with the pool or the process, however that ends.
package final class WorkerPool: Worker {
  /// The number of children, and their limits.
  package struct Options: Sendable {
    /// Children that work at once, 1 or more.
    package var count: Int
    /// Spare children. When a child crashes or is replaced for its age, the next order has another at once. Callers
    /// give at most `count` orders at a time.
    package var spares = 0
    /// The program that is started, which calls `ConfinedChild.run`; this one unless told.
    package var program = "/proc/self/exe"
    /// The arguments that make it call that; they precede those of `ConfinedChild.run`.
    package var arguments = [ConfinedChild.word]
    /// Bytes of memory that a child may take for what it writes to.
    package var memory = 2 << 30
    /// Threads that a child computes with; `nil` for one per core.
    package var threads: Int?
    /// The GPU that they compute on; `nil` for none.
    package var gpu: WorkerGPU?
    /// True where children look for faces.
    package var finds = false
    /// Folders below which a child may read files, and fonts are looked for; none unless told.
    package var readable: [String] = []
    /// Orders after which a child is replaced: whatever one order could do to it ends there.
    package var ordersPerChild = 1000
    /// Bytes of memory that a child may keep from one order to the next. One that keeps more for three
    /// orders is replaced.
    package var keptMemory = 384 << 20
    /// Bytes of an order's files that are handed over in memory; what is beyond goes through a socket.
    package var orderMemory = 64 << 20
    /// Bytes that an answer may have.
    package var mostAnswerBytes = 512 << 20
    /// The time after an order's own limit at which its child is killed. Until then the child can report the timeout.
    package var grace = Duration.milliseconds(250)
    /// The time that a child may take to start.
    package var startLimit = Duration.seconds(60)

    package init(count: Int) { self.count = count }
  }

  private let options: Options
  private let queue: WorkQueue
  private let slots: [WorkerSlot]

  /// Starts the children; orders wait for them.
  ///
  /// - Parameter record: called with events of children, on any thread.
  /// - Throws: `SystemRefusal` where not even descriptors or threads are to be had.
  package init(
    _ options: Options, record: @escaping @Sendable (WorkerEvent) -> Void = { _ in }
  ) throws(SystemRefusal) {
    let queue = try WorkQueue()
    slots = (0..<max(options.count, 1) + max(options.spares, 0)).map { place in
      var own = options
      own.gpu?.place = place
      return WorkerSlot(own, queue, record)
    }
    self.queue = queue
    self.options = options
    for slot in slots {
      guard BackgroundThread.start({ slot.run() }) else {
        queue.end()
        throw SystemRefusal(code: EAGAIN)
      }
    }
  }

  deinit { end() }

  package func perform(_ order: WorkOrder) async -> WorkAnswer {
    let limit = Duration.seconds(min(max(order.limits.seconds, 0), 86400)) + options.grace
    let ticket = WorkTicket(order, deadline: .now + limit)
    return await ticket.answer { queue.add(ticket) }
  }

  /// Gives up all work, and ends the children. Orders that come later are given up, too.
  package func end() {
    queue.end()
    for slot in slots { slot.end() }
  }

  /// Waits until the last child is gone; for a thread that may wait.
  package func waitForEnd() { for slot in slots { slot.waitForEnd() } }

  /// Children that are there to take orders, or have one.
  package var ready: Int { slots.count { $0.state != .starting } }
  /// Children that have an order.
  package var busy: Int { slots.count { $0.state == .busy } }
  /// The GPU memory still in use by children, in bytes; `nil` if none has used a GPU.
  package var gpuBytes: Int? {
    let bytes = slots.compactMap(\.gpuBytes)
    return bytes.isEmpty ? nil : bytes.reduce(0, +)
  }
  /// Orders that wait for a child.
  package var waiting: Int { queue.count }
  /// Children that were started, from the beginning on.
  package var started: Int { slots.reduce(0) { $0 + $1.started } }
  /// The children's processes.
  package var processes: [Int32] { slots.compactMap(\.process) }
}

/// The service's workers: children for images, which can open nothing at all, and one for scenes, which
/// may read fonts.
///
/// Texts of scenes are set in fonts that are opened when they are first needed, in each size anew. The
/// child for that is started with the first scene. Where the kernel has no Landlock to tell fonts from
/// other files by, it has no fonts.
package final class Workers: Worker {
  private let pictures: WorkerPool
  private let options: WorkerPool.Options
  private let record: @Sendable (WorkerEvent) -> Void
  private let tally: WorkerTally
  private let scenes = Mutex<WorkerPool?>(nil)

  /// Folders of fonts and of fontconfig's configuration and cache on Debian and its relatives.
  private static let fontFolders = [
    "/etc/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig", "/usr/share/fonts",
    "/var/cache/fontconfig",
  ]

  /// Starts the children for images.
  ///
  /// - Parameters:
  ///   - options: their options; `readable` is ignored.
  ///   - record: called with events of children, on any thread.
  /// - Throws: `SystemRefusal`.
  package init(
    _ options: WorkerPool.Options, record: @escaping @Sendable (WorkerEvent) -> Void = { _ in }
  ) throws(SystemRefusal) {
    let tally = WorkerTally()
    self.tally = tally
    self.options = options
    let record: @Sendable (WorkerEvent) -> Void = { event in
      tally.count(event)
      record(event)
    }
    self.record = record
    var options = options
    options.readable = []
    pictures = try WorkerPool(options, record: record)
  }

  package var scenesAtOnce: Int { 1 }

  package func perform(_ order: WorkOrder) async -> WorkAnswer {
    guard order.operation == Operation.scene.rawValue else { return await pictures.perform(order) }
    let pool: WorkerPool
    do { pool = try scenePool() } catch { return .crashed }
    return await pool.perform(order)
  }

  private func scenePool() throws(SystemRefusal) -> WorkerPool {
    try scenes.withLock { scenes throws(SystemRefusal) in
      if let scenes { return scenes }
      var options = options
      (options.count, options.spares) = (scenesAtOnce, 0)
      options.readable = Self.fontFolders
      // Drawing is most of the work of a scene, and is the CPU's.
      options.gpu = nil
      options.finds = false
      let pool = try WorkerPool(options, record: record)
      scenes = pool
      return pool
    }
  }

  /// Gives up all work, ends all children, and waits for their ends; for a thread that may wait.
  package func end() {
    let pools = pools
    for pool in pools { pool.end() }
    for pool in pools { pool.waitForEnd() }
  }

  /// Children that are there to take orders, or have one.
  package var ready: Int { pictures.ready }
  /// Children that were started, from the beginning on.
  package var started: Int { pictures.started + scenes.withLock { $0?.started ?? 0 } }

  /// Those that there are now.
  package var processes: [Int32] { pools.flatMap(\.processes) }

  package var metrics: [MetricFamily] {
    let pools = pools
    let (ready, busy) = (pools.map(\.ready).reduce(0, +), pools.map(\.busy).reduce(0, +))
    return tally.families + [
      MetricFamily(
        "workers", .gauge, "Workers that take requests, by what they do.", by: "state",
        [("idle", max(ready - busy, 0)), ("busy", busy)])
    ] + (pictures.gpuBytes.map { [MetricFamily.gpuMemory($0)] } ?? [])
  }

  private var pools: [WorkerPool] { [pictures] + scenes.withLock { [$0].compactMap { $0 } } }

  /// The walls that the kernel has for them, and those that it lacks.
  package static var walls: String { "workers are behind \(Sandbox.ofKernel)" }
}
