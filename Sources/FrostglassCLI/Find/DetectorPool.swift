internal import Frostglass
internal import FrostglassConfinement
internal import FrostglassCore
internal import FrostglassFind
internal import FrostglassOptions
internal import FrostglassServer
internal import FrostglassStills
internal import Synchronization

/// Processes of `frostglass-find`, each with one model, for as many searches as run at once.
///
/// A process that does not answer in time, or that ends, is not used again.
final class DetectorPool: Sendable {
  let models: [DetectorModel]
  private let program: String
  private let sharesGroup: Bool
  /// The kind of failure of a model that fails: one of the operator's own may be damaged, those that are installed are
  /// known by their digests.
  private let fault: Failure.Kind
  private let idle = Mutex([Detector: [ChildProcess]]())

  /// Finds the program and reads the models; starts nothing.
  ///
  /// - Parameters:
  ///   - options: name a model of the operator's own; `nil` for those that are installed.
  ///   - sharesGroup: true if the processes end with this process's group.
  init(for options: FindOptions? = nil, sharesGroup: Bool = false) throws(Failure) {
    self.sharesGroup = sharesGroup
    fault = options?.model == nil ? .software : .badData
    models = try DetectorModel.all(for: options)
    guard let program = SiblingProgram.path(FindProgram.name) else {
      throw Failure(
        "\(FindProgram.name), which runs detectors, is not installed; install the package "
          + FindProgram.name, .unavailable)
    }
    self.program = program
  }

  deinit {
    for process in idle.withLock({ $0 }).values.joined() { _ = process.end() }
  }

  /// Starts a process for each model ahead.
  func begin() throws(Failure) {
    for model in models {
      let process = try start(model.detector)
      idle.withLock { $0[model.detector, default: []].append(process) }
    }
  }

  /// True if a process of each model waits for work.
  var hasIdle: Bool {
    idle.withLock { idle in models.allSatisfy { idle[$0.detector]?.isEmpty == false } }
  }

  /// Returns what a detector sees in an image, in the pixels of what it is given.
  ///
  /// - Parameter rgb: of `size`, three bytes for each pixel.
  func found(
    by detector: Detector, in rgb: [UInt8], _ size: Size, from score: Double
  ) throws(Failure) -> [Found] {
    let process: ChildProcess
    if let waiting = waiting(for: detector) {
      process = waiting
    } else {
      process = try start(detector)
    }
    do throws(Failure) {
      let found = try ask(
        process, .look(detector, size, score), rgb, Self.lookTime, about: detector)
      process.socket.forget()
      idle.withLock { $0[detector, default: []].append(process) }
      return found
    } catch {
      _ = process.end()
      throw error
    }
  }

  /// Takes a process that waits for work; `nil` where none does.
  private func waiting(for detector: Detector) -> ChildProcess? {
    while let process = idle.withLock({ $0[detector]?.popLast() }) {
      guard process.hasEnded else { return process }
      _ = process.end()
    }
    return nil
  }

  /// Starts a process and gives it a detector's model.
  private func start(_ detector: Detector) throws(Failure) -> ChildProcess {
    let process: ChildProcess
    do {
      process = try ChildProcess(
        ChildProcess.Command(
          program: program, arguments: [FindProgram.word], orderBytes: FindOrder.mostBytes,
          answerBytes: 1, sharesGroup: sharesGroup))
    } catch {
      throw Failure("\(program): cannot be started (\(systemWords(error.code)))", .unavailable)
    }
    do throws(Failure) {
      for model in models where model.detector == detector {
        _ = try ask(
          process, .model(model.detector), model.bytes, Self.modelTime, about: model.detector)
      }
    } catch {
      _ = process.end()
      throw error
    }
    return process
  }

  private func ask(
    _ process: ChildProcess, _ order: FindOrder, _ bytes: [UInt8], _ time: Duration,
    about detector: Detector
  ) throws(Failure) -> [Found] {
    let path = models.first { $0.detector == detector }?.path ?? detector.rawValue
    let frame: Message
    do throws(FrameError) {
      let end = ContinuousClock.now + time
      try process.socket.send(Message(head: Array(order.words.utf8), parts: [bytes]), until: end)
      frame = try process.socket.receive(
        FrameLimits(head: FindOrder.mostWords, parts: 0, bytes: 0), until: end)
    } catch {
      switch error {
      case .late:
        throw Failure(
          "\(path): the model gives no answer within \(time.components.seconds) s", fault)
      case .ended:
        throw Failure(
          "\(path): \(FindProgram.name) ended while it ran the model, which may be damaged, or take "
            + "more than \(ByteCount(FindProgram.memory)) of memory", fault)
      case .tooLarge, .failed:
        throw Failure("\(FindProgram.name): \(error)", .software)
      }
    }
    switch FindAnswer(words: String(decoding: frame.head, as: UTF8.self)) {
    case .found(let found)?: return found
    case .failed(let reason)?:
      throw Failure(
        "\(path): this is no model of the kind \(detector.rawValue): \(reason)", fault)
    case nil: throw Failure("\(FindProgram.name): its answer cannot be read", .software)
    }
  }

  /// The time for reading a model, and for a look at an image: a hundred times what they take.
  private static let (modelTime, lookTime) = (Duration.seconds(30), Duration.seconds(120))
}

/// The search for faces of a worker of the service: a process for each model that is installed.
struct WorkerFinder: ImageFinder {
  private let pool: DetectorPool

  /// Starts the processes and gives them the models.
  ///
  /// - Parameter isWorker: true in a worker of the service, which ends them with it.
  /// - Throws: `Failure` with 69 where the program or a model is not installed.
  init(isWorker: Bool) throws(Failure) {
    pool = try DetectorPool(sharesGroup: isWorker)
    try pool.begin()
  }

  var canSearch: Bool { pool.hasIdle }

  func record(
    of source: StillSource, _ decoding: DecodeOptions, for output: Job.Output?,
    _ options: FindOptions
  ) async throws(Failure) -> FindRecord {
    do throws(Failure) {
      return try await ImageSearch(options, pool).record(of: source, decoding, for: output)
    } catch {
      // Words about processes and of codecs are for the operator: they name files.
      switch error.kind {
      case .badData:
        throw Failure(
          "the image is damaged or incomplete, or takes more memory than there is", .badData)
      case .software, .unavailable: throw Failure("the search for faces ended", .unavailable)
      default: throw error
      }
    }
  }

  func file(_ record: FindRecord, named name: String) -> String {
    FoundFile(entries: [FoundFile.Entry(path: name, record: record)]).text(.json)
  }
}
