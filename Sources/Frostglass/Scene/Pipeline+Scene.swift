extension Pipeline {
  /// Renders a scene, frame after frame.
  ///
  /// - Parameter progress: told how many frames are done, and how many there are.
  /// - Throws: `FrostglassError`. Of an animation nothing is written then; numbered files that were
  ///   whole stay.
  @discardableResult
  public func render(
    _ job: SceneJob, progress: @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
  ) async throws(FrostglassError) -> SceneReport {
    try job.check()
    let times = job.times
    let sink = try openSink(of: job, frames: times.count)
    if let trace = job.trace { try mapEncode { () throws(EncodeError) in try trace.preflight() } }
    var player = try await ScenePlayer(job.file, on: selector, frames: times.count)
    var report = SceneReport(
      frames: times.count, size: job.file.document.canvas.pixels, backend: "",
      reason: player.reason, computedPixels: 0, rendering: 0, copying: 0,
      recoveries: [])
    var table = SceneTrace()
    let clock = ContinuousClock()
    for (index, time) in times.enumerated() {
      let start = clock.now
      let frame = try await player.frame(at: time)
      report.rendering += (clock.now - start) / .seconds(1)
      report.computedPixels += frame.damage.area
      if job.trace != nil { table.add(frame) }
      try await sink?.write(frame.image)
      if sink == nil, index + 1 == times.count { report.copying = frame.image.copyingTime }
      progress(index + 1, times.count)
    }
    try await sink?.finish()
    try job.trace?.save(table.text)
    (report.backend, report.recoveries) = (player.backendName, player.recoveries)
    return report
  }

  /// What a scene computes at a time.
  public func plan(_ file: SceneFile, at time: Double) async throws(FrostglassError) -> Plan {
    try SceneJob(file: file, moments: .time(time), sink: nil).check()
    var player = try await ScenePlayer(file, on: selector)
    try await player.advance(to: time)
    return try player.plan()
  }

  /// Checks what can be checked before anything is rendered.
  private func openSink(
    of job: SceneJob, frames: Int
  ) throws(FrostglassError) -> FrameSink? {
    let document = job.file.document
    guard let output = job.sink else { return nil }
    var rate = 30.0
    if case .all(let given) = job.moments { rate = given }
    let sink: FrameSink
    do throws(FrostglassError) {
      sink = try FrameSink(
        output, frames: frames, framesPerSecond: rate, format: job.format, encoding: job.encoding)
    } catch {
      if case .frames(.holdsOneFrame(let path, _, _)) = error {
        throw .scene(.noTime(output: path, duration: document.duration))
      }
      throw error
    }
    if document.canvas.background.alpha < 1,
      sink.format.pixelFormat(preserving: .rgba8) != .rgba8
    {
      throw .scene(.noTransparency(format: sink.format))
    }
    return sink
  }
}

extension Image {
  /// Seconds that a copy takes, the median of several.
  fileprivate var copyingTime: Double {
    let clock = ContinuousClock()
    var copy = bytes
    let times = (0..<21).map { _ in
      clock.measure {
        bytes.withUnsafeBytes { source in
          copy.withUnsafeMutableBytes { $0.copyMemory(from: source) }
        }
      } / .seconds(1)
    }
    return times.sorted()[times.count / 2]
  }
}
