internal import FrostglassCore
internal import FrostglassShaders

/// The commands of a plan's run, recorded as a list with their programs, numbers and tables. Only textures are still
/// to be lent and named.
///
/// Played again, it makes what it made when it was recorded, with the current contents of the inputs.
final class Recording {
  enum Command {
    /// A texture from the pool.
    case lend(Int, Size, TextureFormat)
    case takeBack(Int)
    /// A part of an input in memory, to a texture of its size.
    case upload(input: Int, Rect, Int)
    /// `nil` is no texture.
    case run(PreparedPass, sources: [Int?], target: Int)
    case copy(Rect, from: Int, to: Int, x: Int, y: Int)
    /// A part of a result, whose texture the commands that follow it draw, up to an index.
    case write(result: Int, Rect, Int, end: Int)
  }

  private let commands: [Command]
  /// The registers in which the commands find inputs on the device.
  private let inputs: [(input: Int, register: Int)]
  /// Images that are the same in every run.
  private let kept: [(register: Int, texture: KeptTexture)]
  /// Bytes of textures at once, inputs and result included.
  let bytes: Int
  /// True if there are such images.
  var keepsImages: Bool { !kept.isEmpty }
  /// The textures, by the numbers that the commands have for them.
  private var registers: [GLTexture?]
  /// True for each register whose texture goes back to the pool.
  private var isLent: [Bool]

  init(
    _ commands: [Command], inputs: [(input: Int, register: Int)],
    kept: [(register: Int, texture: KeptTexture)], registers: Int, bytes: Int
  ) {
    self.commands = commands
    self.inputs = inputs
    self.kept = kept
    self.bytes = bytes
    self.registers = [GLTexture?](repeating: nil, count: registers)
    isLent = [Bool](repeating: false, count: registers)
  }

  /// Has the device do it again.
  func play(
    _ run: PlanRun, into sinks: [any ResultSink], on runner: PlanRunner
  ) throws(GLFailure) {
    for (input, register) in inputs {
      if case .resident(let picture) = run.inputs[input] { registers[register] = picture.texture }
    }
    for (register, texture) in kept { registers[register] = texture.lent.texture }
    defer { forget(runner.pool) }
    try play(commands.indices, run, sinks, runner)
    try runner.context.check("a recorded plan")
  }

  private func play(
    _ part: Range<Int>, _ run: PlanRun, _ sinks: [any ResultSink], _ runner: PlanRunner
  ) throws(GLFailure) {
    var next = part.lowerBound
    while next < part.upperBound {
      let command = commands[next]
      next += 1
      switch command {
      case .lend(let register, let size, let format):
        registers[register] = try runner.pool.lend(size, format)
        isLent[register] = true
      case .takeBack(let register):
        if isLent[register], let texture = registers[register] {
          runner.pool.takeBack(texture)
        }
        isLent[register] = false
      case .upload(let input, let rect, let register):
        guard case .image(let image) = run.inputs[input], let texture = registers[register]
        else { continue }
        try runner.transfer.upload(image, rect, to: texture)
      case .run(let pass, let sources, let target):
        try run.checkCancellation()
        try play(pass, sources, target, runner.passes)
      case .copy(let rect, let from, let to, let x, let y):
        guard let from = registers[from], let to = registers[to] else { continue }
        try runner.copy(rect, of: from, to: to, x: x, y: y)
      case .write(let result, let rect, let register, let end):
        let body = next..<end
        try sinks[result].write(rect) { texture throws(GLFailure) in
          registers[register] = texture
          try play(body, run, sinks, runner)
        }
        next = end
      }
    }
  }

  private func play(
    _ pass: PreparedPass, _ sources: [Int?], _ target: Int, _ passes: PassRunner
  ) throws(GLFailure) {
    guard let target = registers[target] else { return }
    passes.begin(pass)
    for (index, source) in sources.enumerated() {
      if let source, let texture = registers[source] { passes.bind(texture, index, of: pass) }
    }
    try passes.finish(pass, into: target)
  }

  /// Lets go of all textures; after a failure, some are still lent.
  private func forget(_ pool: TexturePool) {
    for register in registers.indices {
      if isLent[register], let texture = registers[register] { pool.takeBack(texture) }
      isLent[register] = false
      registers[register] = nil
    }
  }
}

/// Writes down what a run tells the device, while it does.
final class PlanRecorder {
  /// Longer ones would keep too many tables on the device.
  private static let mostPasses = 128

  private var commands: [Recording.Command] = []
  private var inputs: [(input: Int, register: Int)] = []
  private var kept: [(register: Int, texture: KeptTexture)] = []
  /// The number that a texture has now; it may have had others, lent before.
  private var registers: [ObjectIdentifier: Int] = [:]
  /// Nobody else may get the identifiers of textures while this records.
  private var textures: [GLTexture] = []
  private var passes = 0
  private var isAmbiguous = false
  /// True while nothing is recorded, as the work is not the plan's: a result on its way to memory, or an upload for
  /// later runs.
  var isPaused = false

  private func add(_ texture: GLTexture) -> Int {
    textures.append(texture)
    registers[ObjectIdentifier(texture)] = textures.count - 1
    return textures.count - 1
  }

  private func register(of texture: GLTexture) -> Int {
    registers[ObjectIdentifier(texture)] ?? add(texture)
  }

  func lent(_ texture: GLTexture) {
    guard !isPaused else { return }
    commands.append(.lend(add(texture), texture.size, texture.format))
  }

  func takenBack(_ texture: GLTexture) {
    guard !isPaused, let register = registers.removeValue(forKey: ObjectIdentifier(texture))
    else { return }
    commands.append(.takeBack(register))
  }

  /// An input has been uploaded.
  func uploaded(_ input: Int, _ part: Rect, to texture: GLTexture) {
    commands.append(.upload(input: input, part, register(of: texture)))
  }

  /// An input is on the device.
  func read(_ input: Int, _ texture: GLTexture) {
    guard !inputs.contains(where: { $0.input == input }) else { return }
    let register = register(of: texture)
    // Two inputs may be one image now, and two in the next run.
    if inputs.contains(where: { $0.register == register }) { isAmbiguous = true }
    inputs.append((input, register))
  }

  /// An image that is the same in every run.
  func keep(_ texture: KeptTexture) {
    guard registers[ObjectIdentifier(texture.lent.texture)] == nil else { return }
    kept.append((add(texture.lent.texture), texture))
  }

  func ran(_ pass: PreparedPass, _ call: PassCall) {
    passes += 1
    commands.append(
      .run(
        pass, sources: call.sources.map { $0.texture.map { register(of: $0) } },
        target: register(of: call.target)))
  }

  /// - Parameter pass: what copied; `nil` is the driver.
  func copied(
    _ part: Rect, of source: GLTexture, to target: GLTexture, x: Int, y: Int,
    by pass: PreparedPass?
  ) {
    guard !isPaused else { return }
    let (from, to) = (register(of: source), register(of: target))
    if let pass {
      commands.append(.run(pass, sources: [from], target: to))
    } else {
      commands.append(.copy(part, from: from, to: to, x: x, y: y))
    }
  }

  /// A part of a result is taken by `sink`, which has `draw` draw it.
  func writing(
    _ result: Int, _ part: Rect, to sink: any ResultSink,
    _ draw: (GLTexture) throws(GLFailure) -> Void
  ) throws(GLFailure) {
    isPaused = true
    defer { isPaused = false }
    try sink.write(part) { texture throws(GLFailure) in
      isPaused = false
      defer { isPaused = true }
      let (place, register) = (commands.count, add(texture))
      commands.append(.write(result: result, part, register, end: 0))
      try draw(texture)
      commands[place] = .write(result: result, part, register, end: commands.count)
      registers[ObjectIdentifier(texture)] = nil
    }
  }

  /// Returns the recording; `nil` if it is too large to keep, or does not hold for other inputs.
  ///
  /// - Parameter bytes: the most bytes of textures at once.
  func recording(bytes: Int) -> Recording? {
    guard passes <= PlanRecorder.mostPasses, !isAmbiguous else { return nil }
    return Recording(
      commands, inputs: inputs, kept: kept, registers: textures.count, bytes: bytes)
  }
}

/// The plans that ran last: what runs a second time is recorded, and played from the third time on.
///
/// Plans are known by their storage, which they share with the copies that are kept here: to find
/// one takes a few comparisons of addresses, whatever its size. Only one that is not found so is
/// compared whole.
final class Recordings {
  private struct Entry {
    var plan: Plan
    var inputs: [InputKind]
    /// The parts that are computed; `nil` for the whole result.
    var parts: [Rect]?
    var recording: Recording?
    var lastUse: Int
  }

  /// The representation of a run's input.
  private enum InputKind: Equatable {
    case image(PixelFormat)
    case resident(SampleKind, Rect, channels: Int)

    init(_ input: RunInput) {
      switch input {
      case .image(let image): self = .image(image.format)
      case .resident(let picture):
        self = .resident(
          picture.kind, picture.domain, channels: picture.input.format.layout.channels)
      }
    }
  }

  /// The handling of a run.
  enum RunMode {
    /// It is played, as it has run before.
    case played(Recording)
    /// It runs and is recorded; the recording is given to `keep` with this place.
    case recorded(Int)
    /// It runs.
    case run
  }

  /// As many plans as one caller, or several, may have in turn.
  private static let capacity = 16

  private var entries: [Entry] = []
  private var uses = 0
  /// The number of runs for which a recording was found.
  private(set) var played = 0

  /// Decides how a run is handled.
  ///
  /// - Parameter bytes: the bytes that textures may take.
  func fate(of run: PlanRun, bytes: Int) -> RunMode {
    uses += 1
    guard let index = index(of: run) else {
      remember(run)
      return .run
    }
    entries[index].lastUse = uses
    guard let recording = entries[index].recording else { return .recorded(index) }
    // With less memory than then it runs in other tiles.
    guard recording.bytes <= bytes else { return .run }
    played += 1
    return .played(recording)
  }

  func keep(_ recording: Recording?, at index: Int) {
    guard entries.indices.contains(index) else { return }
    entries[index].recording = recording
  }

  /// Forgets all: what ran is run in another way from now on.
  func forget() {
    entries = []
  }

  /// Forgets those that keep images on the device, as bytes are short.
  func forgetImages() {
    for index in entries.indices where entries[index].recording?.keepsImages == true {
      entries[index].recording = nil
    }
  }

  private func index(of run: PlanRun) -> Int? {
    entries.firstIndex { $0.plan.isSameStorage(as: run.plan) && isAlike($0, run) }
      ?? entries.firstIndex { $0.plan == run.plan && isAlike($0, run) }
  }

  private func isAlike(_ entry: Entry, _ run: PlanRun) -> Bool {
    guard entry.inputs.count == run.inputs.count, entry.parts == run.parts else { return false }
    for (kind, input) in zip(entry.inputs, run.inputs) where kind != InputKind(input) {
      return false
    }
    return true
  }

  private func remember(_ run: PlanRun) {
    let entry = Entry(
      plan: run.plan, inputs: run.inputs.map { InputKind($0) }, parts: run.parts, recording: nil,
      lastUse: uses)
    guard entries.count >= Recordings.capacity,
      let oldest = entries.indices.min(by: { entries[$0].lastUse < entries[$1].lastUse })
    else { return entries.append(entry) }
    entries[oldest] = entry
  }
}

extension PlanRun {
  fileprivate var parts: [Rect]? { changed?.plans.map(\.result.rect) }
}

extension Plan {
  /// Returns true if both are copies of one value. Arrays that share storage are equal as long as both exist.
  func isSameStorage(as other: Plan) -> Bool {
    steps.isSameStorage(as: other.steps) && slots.isSameStorage(as: other.slots)
      && results.isSameStorage(as: other.results) && inputs.isSameStorage(as: other.inputs)
      && roundsBetweenSteps == other.roundsBetweenSteps && wholeSize == other.wholeSize
  }
}

extension Array {
  fileprivate func isSameStorage(as other: [Element]) -> Bool {
    withUnsafeBufferPointer { own in
      other.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress && own.count == $0.count }
    }
  }
}
