package import Frostglass
internal import FrostglassConfinement
internal import FrostglassCore
package import FrostglassGL
package import FrostglassOptions
internal import Glibc

/// The life of a process that works for the service: it opens what it will need, goes behind its
/// walls, and takes one order after another until its parent is gone.
package enum ConfinedChild {
  /// The hidden subcommand that it is started with.
  package static let word = "serve-worker"

  /// The descriptor of its socket.
  static let socket: Int32 = 3
  /// The memory that files of orders come in.
  static let orders: Int32 = 4
  /// The memory that answers are put in.
  static let answers: Int32 = 5

  /// The arguments after the subcommand.
  struct Arguments {
    /// The process that started it.
    var parent: Int32
    /// Bytes of memory that it may take.
    var memory: Int

    /// Threads that it computes with; `nil` for one per core.
    var threads: Int?

    /// True where it looks for faces.
    var finds: Bool

    /// The GPU that it computes on; `nil` for none.
    var gpu: WorkerGPU?

    /// Folders below which it may read.
    var readable: [String]

    var words: [String] {
      ["\(parent)", "\(memory)", "\(threads ?? 0)", finds ? "find" : "no-find"]
        + (gpu?.words ?? WorkerGPU.noWords) + readable
    }

    init(
      parent: Int32, memory: Int, threads: Int?, finds: Bool, gpu: WorkerGPU?, readable: [String]
    ) {
      self.parent = parent
      self.memory = memory
      self.threads = threads
      self.finds = finds
      self.gpu = gpu
      self.readable = readable
    }

    init?(_ words: [String]) {
      let first = 4
      let count = first + WorkerGPU.noWords.count
      guard words.count >= count, let parent = Int32(words[0]), let memory = Int(words[1]),
        let threads = Int(words[2])
      else { return nil }
      self.init(
        parent: parent, memory: memory, threads: threads > 0 ? threads : nil,
        finds: words[3] == "find", gpu: WorkerGPU(Array(words[first..<count])),
        readable: Array(words.dropFirst(count)))
    }

    /// The options of its backend.
    var backend: BackendOptions {
      var options = BackendOptions(gpu == nil ? .fast : .gl, threads: threads)
      guard let gpu else { return options }
      options.devices = gpu.devices
      options.devicePlace = gpu.place
      options.gl.textureBytes = gpu.textureBytes
      options.gl.stage = gpu.stage
      return options
    }
  }

  /// Bytes of new memory after which free memory is given back: more than usual images take.
  private static let touchedMemory = 128 << 20

  /// Makes what looks for faces, which opens and starts all that it takes.
  package typealias MakeFinder = @Sendable () throws(Failure) -> any ImageFinder

  /// Does the service's work until the parent is gone.
  ///
  /// - Parameters:
  ///   - words: the arguments after the subcommand.
  ///   - makeFinder: called if faces are to be found.
  /// - Returns: the exit code.
  package static func run(_ words: [String], finder makeFinder: @escaping MakeFinder) -> Int32 {
    run(words, finder: makeFinder) { InProcessWorker($0, finder: $1) }
  }

  /// Works until the parent is gone, on its own threads.
  ///
  /// libdispatch's threads, which Swift's tasks use by default, read files in `/proc` now and then and crash if they
  /// cannot, as in the sandbox. So none of them may start, and the process must not have waited for a task before.
  ///
  /// - Parameters:
  ///   - words: the arguments after the subcommand.
  ///   - makeFinder: called if faces are to be found.
  ///   - makeWorker: makes the worker, given its pipeline.
  /// - Returns: the exit code: 64 if it was not started by the service.
  package static func run(
    _ words: [String], finder makeFinder: MakeFinder? = nil,
    _ makeWorker: @escaping @Sendable (Pipeline, (any ImageFinder)?) -> any Worker
  ) -> Int32 {
    guard let arguments = Arguments(words), dieWithParent(arguments.parent) else {
      return EX_USAGE
    }
    if let shortage = ProcessNeeds.shortage() {
      guard let socket = try? FrameSocket.ofChild() else { return EX_USAGE }
      return giveUp(shortage, socket)
    }
    let threads = ThreadPool()
    let code = Monitor<Int32?>(nil)
    Task(executorPreference: threads) {
      let end = await work(arguments, makeFinder, makeWorker)
      code.change { $0 = end }
    }
    return code.wait(until: { $0 != nil }) { $0 ?? EX_SOFTWARE }
  }

  private static func work(
    _ arguments: Arguments, _ makeFinder: MakeFinder?,
    _ makeWorker: (Pipeline, (any ImageFinder)?) -> any Worker
  ) async -> Int32 {
    guard let socket = try? FrameSocket.ofChild() else { return EX_USAGE }
    let pipeline = Pipeline(arguments.backend)
    let usesGPU = arguments.gpu != nil
    do { _ = try await pipeline.selector.prepare() } catch {
      return giveUp("\(error)", socket)
    }
    var finder: (any ImageFinder)?
    do { if arguments.finds { finder = try makeFinder?() } } catch {
      return giveUp(error.message, socket)
    }
    let worker = makeWorker(pipeline, finder)
    await WarmUp.run(worker, hasFonts: !arguments.readable.isEmpty)
    giveMemoryBack(afterTouching: 0)
    if let trouble = shortage(of: arguments.memory) { return giveUp(trouble, socket) }
    do {
      let walls = try Confinement(
        memory: arguments.memory, readable: arguments.readable, usesGPU: usesGPU
      ).enter()
      try socket.send(try WorkerHello(walls: walls).frame())
    } catch { return EX_OSERR }
    while let frame = try? socket.receive(WorkOrder.limits) {
      guard let order = try? WorkOrder(frame) else { return EX_DATAERR }
      let answer = await worker.perform(order)
      // No other search can be started behind walls; another worker does the order.
      let isLost = finder?.canSearch == false
      if isLost, answer.status == 503 { return EX_UNAVAILABLE }
      guard let frame = try? answer.frame() else { return EX_SOFTWARE }
      do { try socket.send(frame) } catch { return EX_OK }
      // A GPU that was lost is opened by the next one.
      if usesGPU, answer.status >= 500 { return EX_UNAVAILABLE }
      if isLost { return EX_UNAVAILABLE }
      giveMemoryBack(afterTouching: touchedMemory)
    }
    return EX_OK
  }
}

extension FrameSocket {
  /// The child's end of what it shares with its parent.
  fileprivate static func ofChild() throws -> FrameSocket {
    FrameSocket(
      descriptor: ConfinedChild.socket,
      outgoing: try SharedMemory(mapping: ConfinedChild.answers),
      incoming: try SharedMemory(mapping: ConfinedChild.orders))
  }
}

extension ConfinedChild {
  /// Memory without which no image gets through.
  private static let leastRoom = 32 << 20

  /// Returns why a memory limit leaves no room for work; `nil` if it leaves enough.
  ///
  /// With less memory a child would crash at its first image or while it starts, and so would the next.
  private static func shortage(of memory: Int) -> String? {
    guard let taken = ProcessMemory(of: getpid())?.writable, memory < taken + leastRoom else {
      return nil
    }
    let megabytes = (taken + leastRoom) >> 20 + 1
    return "it takes \(ByteCount(taken)) before its first image, and may take "
      + "\(ByteCount(memory)); --worker-memory must be \(megabytes)M or more here"
  }

  /// Tells only the parent why there is no worker.
  ///
  /// - Returns: the exit code.
  private static func giveUp(_ trouble: String, _ socket: FrameSocket) -> Int32 {
    let hello = WorkerHello(walls: Sandbox(landlock: 0, seccomp: false), trouble: trouble)
    if let frame = try? hello.frame() { try? socket.send(frame) }
    return EX_UNAVAILABLE
  }
}

/// The GPU that workers compute on.
package struct WorkerGPU: Sendable, Hashable {
  /// As `BackendOptions.devices`; of several each worker takes one, in turn.
  package var devices: String?
  /// As `GLOptions.textureBytes`.
  package var textureBytes: Int?
  /// As `GLOptions.stage`.
  package var stage: GLOptions.Stage
  /// The worker's index, from 0.
  var place = 0

  package init(
    devices: String? = nil, textureBytes: Int? = nil, stage: GLOptions.Stage = .automatic
  ) {
    self.devices = devices
    self.textureBytes = textureBytes
    self.stage = stage
  }

  static let noWords = ["", "", "", ""]

  var words: [String] { ["\(place)", stage.rawValue, "\(textureBytes ?? 0)", devices ?? ""] }

  /// - Parameter words: `nil` comes of `noWords`.
  init?(_ words: [String]) {
    guard let place = Int(words[0]), let stage = GLOptions.Stage(rawValue: words[1]),
      let bytes = Int(words[2])
    else { return nil }
    self.init(
      devices: words[3].isEmpty ? nil : words[3], textureBytes: bytes > 0 ? bytes : nil,
      stage: stage)
    self.place = place
  }
}
