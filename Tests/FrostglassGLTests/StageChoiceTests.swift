import FrostglassCore
import FrostglassGL
import Glibc
import TestSupport
import Testing

/// Which part of a device runs the passes, and that it is measured once.
@Suite struct StageChoiceTests {
  private let hardware = GLCapabilities(renderer: "GPU", version: "OpenGL ES 3.2 Driver 1")

  private func options(_ folder: CacheFolder?, _ stage: GLOptions.Stage = .automatic) -> GLOptions {
    GLOptions(stage: stage, cacheDirectory: folder?.path)
  }

  @Test func someThingsNeedNoMeasurement() {
    let folder = CacheFolder()
    #expect(StageChoice(options(folder, .compute), hardware)?.stage == .compute)
    #expect(StageChoice(options(folder, .fragment), hardware)?.reason == "asked for")
    let software = GLCapabilities(renderer: "llvmpipe (LLVM 15)")
    #expect(StageChoice(options(folder), software)?.stage == .blocked)
    // Its compute programs are wrong.
    let zink = GLCapabilities(renderer: "zink (llvmpipe (LLVM 15.0.6, 256 bits))")
    #expect(StageChoice(options(folder), zink)?.stage == .fragment)
    let old = GLCapabilities(renderer: "GPU", maxComputeInvocations: 0)
    #expect(StageChoice(options(folder), old)?.stage == .fragment)
    // Measured again with each start, it would cost more than it gains.
    #expect(StageChoice(options(nil), hardware)?.stage != .automatic)
    #expect(StageChoice(options(folder), hardware) == nil)
    #expect(folder.devices.entries.isEmpty)
  }

  @Test func whatWasMeasuredIsRemembered() {
    let folder = CacheFolder()
    let times = StageTimes([.init(.fragment, seconds: 0.0021), .init(.compute, seconds: 0.0013)])
    times.remember(for: hardware, options(folder))
    let choice = StageChoice(options(folder), hardware)
    #expect(choice?.stage == .compute)
    #expect(choice?.reason == "measured: fragment 2.1 ms, compute 1.3 ms")
    // Another driver, another device.
    var other = hardware
    other.version = "OpenGL ES 3.2 Driver 2"
    #expect(StageChoice(options(folder), other) == nil)
    other = hardware
    other.renderer = "GPU 2"
    #expect(StageChoice(options(folder), other) == nil)
    // A word of the user's goes before.
    #expect(StageChoice(options(folder, .fragment), hardware)?.stage == .fragment)
  }

  /// Bands of a tenth of a second, by what was measured then.
  @Test func bandsAreOfMeasuredWork() {
    let folder = CacheFolder()
    let times = StageTimes(
      [.init(.fragment, seconds: 0.4), .init(.compute, seconds: 0.2)], work: 3e9)
    #expect(StageChoice(times).workPerBand == 1_500_000_000)
    times.remember(for: hardware, options(folder))
    #expect(StageChoice(options(folder), hardware)?.workPerBand == 1_500_000_000)
    let slow = StageTimes([.init(.compute, seconds: 1e6)], work: 3e9)
    #expect(StageChoice(slow).workPerBand == 1_000_000)
    #expect(StageChoice(StageTimes([.init(.compute, seconds: 0.2)])).workPerBand == 100_000_000)
    #expect(StageChoice(options(folder, .fragment), hardware)?.workPerBand == 100_000_000)
  }

  /// A fast device gets bands four times as high again and again; a slow one keeps those it began with, also where
  /// the first took long, as a driver had to get ready.
  @Test func bandsGrowUntilTheyTakeTime() {
    var pace = BandPace(work: 100, isMeasured: false)
    pace.note(.milliseconds(400), isFirst: true)
    #expect(pace.work == 100 && !pace.isSettled)
    pace.note(.milliseconds(2), isFirst: false)
    pace.note(.milliseconds(8), isFirst: true)
    #expect(pace.work == 1600 && !pace.isSettled)
    pace.note(.milliseconds(40), isFirst: false)
    #expect(pace.work == 1600 && pace.isSettled)
    #expect(BandPace(work: 100, isMeasured: true).isSettled)
  }

  @Test func aDamagedRecordIsNone() {
    let folder = CacheFolder()
    let devices = folder.devices
    let times = StageTimes([.init(.fragment, seconds: 0.002), .init(.compute, seconds: 0.001)])
    times.remember(for: hardware, options(folder))
    for name in devices.entries.map(\.name) {
      let good = devices.read(name, atMost: 10_000) ?? []
      #expect(!good.isEmpty)
      for bytes in [[], Array(good.dropLast()), good.map { $0 == 0x32 ? 0x33 : $0 }, [0xFF, 0]] {
        devices.write(bytes, to: name)
        #expect(StageChoice(options(folder), hardware) == nil)
      }
      devices.write(good, to: name)
      #expect(StageChoice(options(folder), hardware)?.stage == .compute)
    }
  }

  /// Each driver leaves records; old ones go, and what a kill left.
  @Test func recordsDoNotPileUp() {
    let folder = CacheFolder()
    let devices = folder.devices
    func age(_ name: String, _ seconds: Int) {
      let time = timespec(tv_sec: seconds, tv_nsec: 0)
      utimensat(AT_FDCWD, "\(devices.path)/\(name)", [time, time], 0)
    }
    #expect(devices.write([1], to: ".new-old") && devices.write([1], to: ".new-young"))
    age(".new-old", time(nil) - 7200)
    var first = ""
    for driver in 0..<CacheRecord.most + 10 {
      let known = Set(devices.entries.map(\.name))
      CacheRecord(subject: "driver \(driver)", values: ["x": "1"]).keep(
        as: "stage", in: folder.directory)
      let new = devices.entries.map(\.name).filter { !known.contains($0) }
      #expect(new.count == 1)
      for name in new { age(name, 1_000_000 + driver) }
      if driver == 0 { first = new.first ?? "" }
      // The first is in use, so it stays.
      #expect(CacheRecord("stage", of: "driver 0", in: folder.directory) != nil)
    }
    let names = devices.entries.map(\.name)
    #expect(names.filter { !$0.hasPrefix(".") }.count == CacheRecord.most)
    #expect(names.contains(first) && names.contains(".new-young") && !names.contains(".new-old"))
    #expect(CacheRecord("stage", of: "driver 1", in: folder.directory) == nil)
  }

  @Test func theMedianDecides() {
    // One disturbed run moves nothing.
    let times = StageTimes([(.fragment, [5, 1, 1.1]), (.compute, [2, 2, 0.1])])
    #expect(times.seconds.map(\.seconds) == [1.1, 2])
    #expect(StageChoice(times).stage == .fragment)
    // As good as equal.
    let equal = StageTimes([.init(.fragment, seconds: 1.02), .init(.compute, seconds: 1)])
    #expect(StageChoice(equal).stage == .fragment)
    // What failed is not chosen.
    #expect(StageChoice(StageTimes([(.fragment, []), (.compute, [1])])).stage == .compute)
    #expect(StageChoice(StageTimes([(.fragment, []), (.compute, [])])).stage == .fragment)
  }

  /// On an H200, which takes a millisecond for what a driver takes four to ask for, all stages took as long.
  @Test func timesOfTheDriverAreNoneOfTheDevice() {
    #expect(
      StageTimes([.init(.fragment, seconds: 0.04), .init(.blocked, seconds: 0.004)]).areTooShort)
    #expect(
      !StageTimes([.init(.fragment, seconds: 0.04), .init(.blocked, seconds: 0.02)]).areTooShort)
    #expect(!StageTimes([StageTimes.Way]()).areTooShort)
  }

  @Test func everyStageIsMeasured() async throws {
    let stages = GLOptions.Stage.allCases.filter { $0 != .automatic }
    let times = try await StageTimes.measured(GLOptions(), Size(width: 64, height: 48))
    #expect(times.seconds.map(\.stage) == stages)
    #expect(times.seconds.allSatisfy { $0.seconds > 0 } && times.work > 64 * 48)
  }

  @Test(arguments: [GLOptions.Stage.fragment, .compute])
  func backendsTellTheirStage(_ stage: GLOptions.Stage) async throws {
    #expect(try await GLBackend.start(GLOptions(stage: stage)).stage.stage == stage)
    let automatic = try await GLBackend.start()
    #expect(automatic.stage.stage != .automatic && !automatic.stage.reason.isEmpty)
  }

  @Test func recordsKeepTheirWords() {
    let record = CacheRecord(subject: "a | b", values: ["x": "1", "y": "two\twords", "z": ""])
    #expect(CacheRecord(text: record.text) == record)
    #expect(CacheRecord(text: record.text.replacing("1", with: "2")) == nil)
    #expect(CacheRecord(text: "") == nil && CacheRecord(text: "\n\n\n\n\n") == nil)
    #expect(record.number("x") == 1 && record.number("y") == nil && record.number("w") == nil)
  }
}
