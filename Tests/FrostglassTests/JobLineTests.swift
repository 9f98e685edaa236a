import Frostglass
import FrostglassBackends
import FrostglassStills
import Glibc
import Synchronization
import TestSupport
import Testing

/// A job that is stopped, or late, leaves nothing.
@Suite struct JobLineTests {
  private func job(_ path: String, deadline: ContinuousClock.Instant? = nil) throws -> Job {
    Job(
      source: .bytes(try StillEncoder().encode(TestImages.noise(900, 700), as: .png)),
      // Many seconds of work on one core.
      recipe: Recipe([.bilateral(sigma: 10)]), sink: .file(path, overwrite: true), format: .png,
      deadline: deadline)
  }

  private func output() -> String {
    "/tmp/frostglass-line-\(UInt64.random(in: 0 ... .max)).png"
  }

  @Test(arguments: [BackendChoice.fast, .reference])
  func aCancelledJobLeavesNoFile(_ choice: BackendChoice) async throws {
    let path = output()
    let job = try job(path)
    let begun = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await Pipeline(backend: choice).run(
        job, progress: { if $0.stage == .execute { begun.continuation.yield() } })
    }
    // One that ends by itself does not say that it begins.
    let ended = Task {
      _ = await task.result
      begun.continuation.finish()
    }
    for await _ in begun.stream { break }
    task.cancel()
    let result = await task.result
    await ended.value
    guard case .failure(FrostglassError.cancelled) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(access(path, F_OK) != 0)
  }

  @Test func aLateJobLeavesNoFile() async throws {
    let path = output()
    let job = try job(path, deadline: .now + .milliseconds(50))
    do throws(FrostglassError) {
      try await Pipeline(backend: .fast).run(job)
      Issue.record("the job was done")
    } catch {
      guard case .deadlineExceeded = error else { throw error }
    }
    #expect(access(path, F_OK) != 0)
  }

  /// A cancelled job leaves nothing, also where it is cancelled as its last bytes are on their way: what was
  /// not there when it said so is never.
  @Test func aCancelledJobLeavesNothingInMemory() async throws {
    let source = StillSource.bytes(try StillEncoder().encode(TestImages.noise(900, 700), as: .ppm))
    var ends = [0, 0]
    for delay in 0..<60 {
      let files = [EncodedFile(), EncodedFile()]
      let job = Job(
        source: source,
        outputs: files.map {
          Job.Output(Recipe([.gaussian(sigma: 2)]), to: .memory($0), format: .ppm)
        })
      let task = Task { try await Pipeline(backend: .fast).run(job) }
      try await Task.sleep(for: .microseconds(400 * delay))
      task.cancel()
      let result = await task.result
      guard case .failure(FrostglassError.cancelled) = result else {
        #expect(files.allSatisfy { $0.bytes != nil })
        ends[1] += 1
        continue
      }
      ends[0] += 1
      try await Task.sleep(for: .milliseconds(5))
      #expect(files.allSatisfy { $0.bytes == nil })
    }
    #expect(ends[0] > 0)
  }

  @Test func theReportTellsWhatEachStageTook() async throws {
    let job = Job(
      source: .bytes(try StillEncoder().encode(TestImages.noise(90, 70), as: .png)),
      recipe: Recipe([.gaussian(sigma: 4)]), sink: .file("/dev/null", overwrite: true), format: .png
    )
    let report = try await Pipeline(backend: .fast).run(job)
    #expect(report.timings.map(\.stage) == Report.Stage.allCases)
    #expect(report.timings.allSatisfy { $0.duration >= .zero && $0.duration <= report.duration })
    #expect(report.duration > .zero)
  }

  /// The progress of two outputs has each hundredth once, from 0 to 1.
  @Test func progressGoesFromTheFirstStageToTheLastRow() async throws {
    let picture = try StillEncoder().encode(TestImages.noise(90, 70), as: .png)
    let output = Job.Output(
      Recipe([.gaussian(sigma: 4)]), to: .file("/dev/null", overwrite: true), format: .png)
    let other = Job.Output(Recipe([]), to: .memory(EncodedFile()), format: .webp)
    let told = Mutex<[Job.Progress]>([])
    try await Pipeline(backend: .fast).run(
      Job(source: .bytes(picture), outputs: [output, other])
    ) { progress in told.withLock { $0.append(progress) } }
    let all = told.withLock { $0 }
    #expect(
      all.map(\.stage).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
        == Report.Stage.allCases)
    let fractions = all.filter { $0.stage == .execute && $0.fraction > 0 }.map(\.fraction)
      .reduce(into: [Double]()) { if $0.last != $1 { $0.append($1) } }
    #expect(fractions == (1...99).map { Double($0) / 100 })
    #expect(all.last?.fraction == 1 && all.last?.framesDone == 1)
  }
}
