import Frostglass
import FrostglassBackends
import FrostglassCore
import FrostglassStills
import Glibc
import TestSupport
import Testing

/// One job with several outputs.
@Suite struct SeveralOutputsTests {
  private func outputs(_ files: EncodedFile...) -> [Job.Output] {
    let chains: [FilterChain] = [[.gaussian(sigma: 9)], [.gaussian(sigma: 9), .saturation(2)], []]
    return zip(files, chains).map { file, chain in
      Job.Output(Recipe(chain), to: .memory(file), format: .png)
    }
  }

  @Test(arguments: [BackendChoice.fast, .reference])
  func areThoseOfJobsOfTheirOwn(_ choice: BackendChoice) async throws {
    let source = StillSource.bytes(try StillEncoder().encode(TestImages.noise(90, 70), as: .png))
    let pipeline = Pipeline(backend: choice)
    let files = [EncodedFile(), EncodedFile(), EncodedFile()]
    let outputs = outputs(files[0], files[1], files[2])
    let report = try await pipeline.run(Job(source: source, outputs: outputs))
    #expect(report.plan.results.count == 3)
    #expect(report.outputs.map(\.format) == [.png, .png, .png])
    for (output, file) in zip(outputs, files) {
      let alone = EncodedFile()
      try await pipeline.run(
        Job(source: source, recipe: output.recipe, sink: .memory(alone), format: .png))
      let made = try StillDecoder().decode(.bytes(try #require(file.bytes))).image
      let expected = try StillDecoder().decode(.bytes(try #require(alone.bytes))).image
      #expect(try ImageComparison(made, expected).maximum <= 1)
    }
    // The one without filters is the image itself.
    let kept = try StillDecoder().decode(.bytes(try #require(files[2].bytes))).image
    #expect(kept.bytes == TestImages.noise(90, 70).bytes)
  }

  /// If one output cannot be written, no other file is left, in whichever order they are named.
  @Test(arguments: [false, true])
  func aFileIsNotLeftBesideAFullDevice(isFirst: Bool) async throws {
    let path = "/tmp/frostglass-several-\(UInt64.random(in: 0 ... .max)).png"
    defer { unlink(path) }
    var outputs = [path, "/dev/full"].map {
      Job.Output(
        Recipe([.gaussian(sigma: 3)]), to: .file($0, overwrite: true), format: .png)
    }
    if isFirst { outputs.reverse() }
    let source = StillSource.bytes(try StillEncoder().encode(TestImages.noise(90, 70), as: .png))
    do throws(FrostglassError) {
      try await Pipeline(backend: .fast).run(Job(source: source, outputs: outputs))
      Issue.record("a full device was written to")
    } catch {
      guard case .encode(.unwritable(path: "/dev/full", reason: _)) = error else { throw error }
    }
    #expect(access(path, F_OK) != 0)
  }

  @Test func oneMemoryForTwoIsRefused() async throws {
    let file = EncodedFile()
    let source = StillSource.bytes(try StillEncoder().encode(TestImages.noise(9, 7), as: .png))
    do throws(FrostglassError) {
      try await Pipeline(backend: .fast).run(Job(source: source, outputs: outputs(file, file)))
      Issue.record("one memory took two results")
    } catch {
      guard case .encode(.namedTwice) = error else { throw error }
    }
    #expect(file.bytes == nil)
  }

  /// An animation stays one where the format can, beside a still of its first frame.
  @Test(arguments: [BackendChoice.fast, .reference])
  func animationsAndStillsSideBySide(_ choice: BackendChoice) async throws {
    let video = try StillEncoder().encode(
      TestImages.noise(24, 16 * 5),
      metadata: StillMetadata(
        animation: StillMetadata.Animation(delays: [Int](repeating: 50, count: 5))),
      as: .webp)
    let (moving, still) = (EncodedFile(), EncodedFile())
    let recipe = Recipe([.gaussian(sigma: 2)])
    let report = try await Pipeline(backend: choice).run(
      Job(
        source: .bytes(video),
        outputs: [
          Job.Output(recipe, to: .memory(still), format: .png),
          Job.Output(
            recipe, to: .memory(moving), format: .webp, encoding: EncodeOptions(quality: 100)),
        ]))
    #expect(report.outputs.map(\.frames) == [1, 5])
    #expect(report.outputs.map(\.framesLeftOut) == [4, 0])
    let decoder = StillDecoder()
    let reader = try decoder.allFrames(
      of: decoder.reader(of: .bytes(try #require(moving.bytes))))
    #expect(reader.header.frames == 5)
    let first = try decoder.decode(.bytes(try #require(still.bytes))).image
    #expect(first.size == Size(width: 24, height: 16))
  }

  /// An output that fails keeps all others from being written, whether it fails early or late.
  @Test func allAreWrittenOrNone() async throws {
    let folder = "/tmp/frostglass-several-\(UInt64.random(in: 0 ... .max))"
    mkdir(folder, 0o755)
    defer {
      for name in ["a.png", "b.png"] { unlink("\(folder)/\(name)") }
      rmdir(folder)
    }
    let whole = try StillEncoder().encode(TestImages.noise(900, 700), as: .png)
    let recipe = Recipe([.gaussian(sigma: 3)])
    func job(_ file: [UInt8], _ second: String) -> Job {
      Job(
        source: .bytes(file),
        outputs: [
          Job.Output(recipe, to: .file("\(folder)/a.png", overwrite: false)),
          Job.Output(recipe, to: .file(second, overwrite: false)),
        ])
    }
    let pipeline = Pipeline(backend: .fast)
    // Damaged in its middle.
    var damaged = whole
    for index in damaged.count / 2..<damaged.count / 2 + 9000 { damaged[index] = 0x77 }
    await #expect(throws: FrostglassError.self) {
      try await pipeline.run(job(damaged, "\(folder)/b.png"))
    }
    #expect(access("\(folder)/a.png", F_OK) != 0 && access("\(folder)/b.png", F_OK) != 0)
    await #expect(throws: FrostglassError.self) {
      try await pipeline.run(job(whole, "\(folder)/none/b.png"))
    }
    await #expect(throws: FrostglassError.self) {
      try await pipeline.run(job(whole, "\(folder)/a.png"))
    }
    #expect(access("\(folder)/a.png", F_OK) != 0)
    try await pipeline.run(job(whole, "\(folder)/b.png"))
    #expect(access("\(folder)/a.png", F_OK) == 0 && access("\(folder)/b.png", F_OK) == 0)
  }

  /// That a disk is full is found out before the first file has its name.
  @Test func aFullDiskForOneKeepsTheOtherFromBeingWritten() async throws {
    let folder = "/tmp/frostglass-several-\(UInt64.random(in: 0 ... .max))"
    for path in [folder, "\(folder)/small"] { mkdir(path, 0o755) }
    defer {
      for name in ["a.png", "b.tif"] { unlink("\(folder)/\(name)") }
      for path in ["\(folder)/small", folder] { rmdir(path) }
    }
    guard mount("tmpfs", "\(folder)/small", "tmpfs", 0, "size=64k") == 0 else {
      print("SKIP full disk: this user may not mount a tmpfs")
      return
    }
    defer { umount2("\(folder)/small", Int32(MNT_DETACH)) }
    let file = try StillEncoder().encode(TestImages.noise(300, 200), as: .png)
    let path = "\(folder)/small/b.tif"
    func job(second: String) -> Job {
      Job(
        source: .bytes(file),
        outputs: [
          Job.Output(Recipe([.gaussian(sigma: 1)]), to: .file("\(folder)/a.png", overwrite: false)),
          Job.Output(Recipe([]), to: .file(second, overwrite: false)),
        ])
    }
    let pipeline = Pipeline(backend: .fast)
    for _ in 0..<8 {
      let error = await #expect(throws: FrostglassError.self) {
        try await pipeline.run(job(second: path))
      }
      #expect(error?.description.contains("No space left on device") == true)
      #expect(try namesOfFiles(in: folder) == ["small"])
      #expect(try namesOfFiles(in: "\(folder)/small").isEmpty)
    }
    try await pipeline.run(job(second: "\(folder)/b.tif"))
    #expect(try namesOfFiles(in: folder) == ["a.png", "b.tif", "small"])
  }
}
