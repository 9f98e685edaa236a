import FrostglassGL
import Testing

/// The choice of the device's stage for the passes, and the length of their bands.
@Suite struct StageChoiceTests {
  private let hardware = GLCapabilities(renderer: "GPU", version: "OpenGL ES 3.2 Driver 1")

  private func choice(
    _ capabilities: GLCapabilities, _ stage: GLOptions.Stage = .automatic
  ) -> String {
    "\(StageChoice(GLOptions(stage: stage), capabilities))"
  }

  @Test func devicesRunWhatSuitsThem() {
    #expect(choice(hardware) == "compute (a GPU that computes)")
    let old = GLCapabilities(renderer: "GPU", maxComputeInvocations: 0)
    #expect(choice(old) == "fragment (all that the device has)")
    let software = GLCapabilities(renderer: "llvmpipe (LLVM 15)")
    #expect(choice(software) == "blocked (a software renderer)")
    let oldSoftware = GLCapabilities(renderer: "llvmpipe (LLVM 7)", maxComputeInvocations: 64)
    #expect(choice(oldSoftware) == "fragment (all that the device has)")
    // Its compute programs are wrong.
    let zink = GLCapabilities(renderer: "zink (llvmpipe (LLVM 15.0.6, 256 bits))")
    #expect(choice(zink) == "fragment (zink on a software renderer)")
    let zinkOnAGPU = GLCapabilities(renderer: "zink (NVIDIA H200)")
    #expect(choice(zinkOnAGPU) == "compute (a GPU that computes)")
  }

  @Test func whatIsAskedForIsTaken() {
    for stage in GLOptions.Stage.allCases where stage != .automatic {
      #expect(choice(hardware, stage) == "\(stage) (asked for)")
    }
  }

  /// A fast device gets bands four times as high again and again; a slow one keeps those it began with, also where
  /// the first took long, as a driver had to get ready.
  @Test func bandsGrowUntilTheyTakeTime() {
    var pace = BandPace()
    let first = pace.work
    pace.note(.milliseconds(400), isFirst: true)
    #expect(pace.work == first && !pace.isSettled)
    pace.note(.milliseconds(2), isFirst: false)
    pace.note(.milliseconds(8), isFirst: true)
    #expect(pace.work == 16 * first && !pace.isSettled)
    pace.note(.milliseconds(40), isFirst: false)
    #expect(pace.work == 16 * first && pace.isSettled)
  }

  /// Each kind of pass has its own pace: timings of sums do not change that of medians.
  @Test func kindsOfPassesHavePacesOfTheirOwn() {
    var paces = BandPaces()
    let first = paces["Median"].work
    paces["Convolve"].note(.milliseconds(2), isFirst: false)
    #expect(paces["Convolve"].work == 4 * first && paces["Median"].work == first)
  }
}
