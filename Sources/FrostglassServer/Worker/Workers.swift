package import FrostglassConfinement
internal import Synchronization

/// The service's workers: children for pictures, which can open nothing at all, and one for scenes, which
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

  /// Starts the children for pictures.
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
  package static var walls: String { "workers are behind \(Walls.ofKernel)" }
}
