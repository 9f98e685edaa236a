import FrostglassCLI
import FrostglassCore
import FrostglassStills
import Testing

/// Parts of a batch, tested without images.
@Suite struct BatchPartsTests {
  /// Expected times differ from image to image, which is no news.
  @Test func theChoiceIsSaidOnce() {
    var notices = BatchNotices()
    let words = "fast: 10.5 ms expected; gl: 292 ms; for 200 images"
    #expect(notices.choice("fast", words) == "backend   fast (\(words))")
    #expect(notices.choice("fast", words) == nil)
    #expect(notices.choice("fast", "fast: 9 ms expected; gl: 31.4 ms; for 199 images") == nil)
    #expect(notices.choice("gl", words) == "backend   gl (\(words))")
    #expect(notices.choice("fast", "no GPU here") == "backend   fast (no GPU here)")
    #expect(notices.warning(nil) == nil)
    #expect(notices.warning("a GPU that fails") == "a GPU that fails")
    #expect(notices.warning("a GPU that fails") == nil)
  }

  @Test func progressTellsCountSpeedAndTime() {
    var tally = BatchTally(total: 200)
    #expect(tally.progress(after: .seconds(2)) == "0 of 200")
    tally.done = 40
    tally.pixels = 482_000_000
    tally.lastEnd = .seconds(20)
    #expect(tally.progress(after: .seconds(20)) == "40 of 200, 24.1 MP/s, 1 min 20 s left")
    // A second later, nothing new: a second less, at the same speed.
    #expect(tally.progress(after: .seconds(21)) == "40 of 200, 24.1 MP/s, 1 min 19 s left")
    #expect(tally.progress(after: .seconds(500)) == "40 of 200, 24.1 MP/s, 0 s left")
    tally.failures = [.init(input: "a.png", reason: "damaged")]
    tally.lastEnd = .seconds(41 * 200)
    #expect(
      tally.progress(after: .seconds(41 * 200))
        == "41 of 200, 0.1 MP/s, 8 h 50 min left, 1 failed")
    tally.done = 199
    tally.lastEnd = .seconds(20)
    #expect(tally.progress(after: .seconds(21)) == "200 of 200, 24.1 MP/s, 1 failed")
  }

  @Test func closingTellsWhatBecameOfAll() {
    var tally = BatchTally(total: 163, skipped: 37)
    tally.done = 161
    tally.pixels = 988_100_000
    #expect(
      tally.closing(after: .seconds(41))
        == "161 done, 37 skipped (there already) in 41 s, 24.1 MP/s")
    tally.failures = [
      .init(input: "a.png", reason: "damaged"), .init(input: "b.jpg", reason: "no image"),
    ]
    #expect(
      tally.closing(after: .milliseconds(4100))
        == "161 done, 37 skipped (there already), 2 failed in 4.1 s, 241.0 MP/s")
    #expect(tally.failureLines == ["2 of 163 failed:", "  a.png: damaged", "  b.jpg: no image"])
    #expect(tally.standing == "161 of 163 done, 2 failed")
    #expect(BatchTally(total: 0, skipped: 3).closing(after: .zero).hasPrefix("0 done, 3 skipped"))
  }

  @Test func theLimitOfMemoryIsTheTightest() throws {
    let scratch = try Scratch()
    func limit() -> Int { MachineMemory(root: scratch.path, physical: 8 << 30).limit }
    #expect(limit() == 8 << 30)

    try scratch.addFolder("proc/self")
    try scratch.addFolder("sys/fs/cgroup/box/task")
    try scratch.add("proc/self/cgroup", Array("0::/box/task\n".utf8))
    try scratch.add("sys/fs/cgroup/box/memory.max", Array("2147483648\n".utf8))
    try scratch.add("sys/fs/cgroup/box/task/memory.max", Array("max\n".utf8))
    #expect(limit() == 2 << 30)

    // Version 1, in a container that does not see the host's path.
    try scratch.addFolder("sys/fs/cgroup/memory")
    try scratch.add("proc/self/cgroup", Array("3:cpu,cpuacct:/\n4:memory:/host/path\n".utf8))
    try scratch.add("sys/fs/cgroup/memory/memory.limit_in_bytes", Array("1073741824\n".utf8))
    #expect(limit() == 1 << 30)

    // What version 1 says where there is no limit.
    let none = Array("9223372036854771712\n".utf8)
    try scratch.add("sys/fs/cgroup/memory/memory.limit_in_bytes", none)
    #expect(limit() == 8 << 30)
  }

  @Test func thisMachineHasMemory() {
    #expect(MachineMemory().limit > 64 << 20)
  }
}
