/// What an output's name says.
struct FrameTarget: Sendable {
  /// The file; of numbered files the first.
  let sink: StillSink
  /// Of numbered files.
  let names: FrameNames?
  private let overwrite: Bool

  init(_ sink: StillSink) throws(FrameSinkError) {
    guard case .file(let path, let overwrite) = sink else {
      (self.sink, names, self.overwrite) = (sink, nil, false)
      return
    }
    let read = try FrameNames.read(path)
    names = read.names
    self.overwrite = overwrite
    self.sink = .file(read.names?.path(1) ?? read.path, overwrite: overwrite)
  }

  /// Where a frame goes that has a file of its own.
  ///
  /// - Parameter index: counted from 0.
  func sink(for index: Int) -> StillSink {
    guard let names else { return sink }
    return .file(names.path(index + 1), overwrite: overwrite)
  }

  func form(
    frames: Int, rate: Double, as format: StillFormat
  ) throws(FrostglassError) -> FrameForm {
    if names != nil { return .numbered }
    if frames == 1 { return .still }
    guard format.canAnimate else {
      throw .frames(.holdsOneFrame(path: path, format: format, frames: frames))
    }
    let accepted = FrameTimes.rates(of: format)
    guard accepted.contains(rate) else {
      throw .frames(.badFrameRate(rate, format: format, accepted: accepted))
    }
    return .animation
  }

  /// Finds files that are there already, and folders that cannot be written to.
  func preflight(frames: Int) throws(EncodeError) {
    guard let names else { return try sink.preflight() }
    guard Folder.isThere(names.folder) else { return }
    for index in 0..<frames { try sink(for: index).preflight() }
  }

  /// Makes the folder of numbered files if it is not there.
  func makeFolder() throws(EncodeError) {
    guard let names else { return }
    if let failure = Folder.make(names.folder) {
      throw .unwritable(
        path: failure.path, reason: "this folder cannot be made: \(failure.reason)")
    }
  }

  private var path: String {
    switch sink {
    case .file(let path, _): path
    case .standardOutput: "standard output"
    case .memory: "memory"
    }
  }
}
