import FrostglassBackends
import Testing

/// Where work belongs, by made-up costs.
@Suite struct CostModelTests {
  /// Two cores of a server beside a discrete GPU.
  static let discrete = CostModel(
    fast: BackendCosts(startUp: 0, perJob: 0.0002, perMegabyte: 0.0001, perGiga: 0.15), threads: 2,
    gl: BackendCosts(startUp: 0.29, perJob: 0.0005, perMegabyte: 0.0001, perGiga: 0.002),
    identity: "GPU")

  /// A full HD photo with a Gaussian of σ 2: 54 million multiply-adds.
  static let photo = PlanWork(megabytes: 16.6, gigaMultiplyAdds: 0.054)

  @Test func oneSmallPhotoBelongsOnTheCPU() {
    let decision = Self.discrete.decision(for: Self.photo, jobs: 1, threads: 2)
    #expect(!decision.usesGL)
    #expect(decision.words == "fast: 10 ms expected; gl: 292 ms, of which 290 ms start-up")
  }

  @Test func aBatchBelongsOnTheGPU() {
    let decision = Self.discrete.decision(for: Self.photo, jobs: 200, threads: 2)
    #expect(decision.usesGL)
    #expect(decision.words.hasSuffix("for 200 pictures"))
  }

  @Test func aHugePictureAloneBelongsOnTheGPU() {
    let huge = PlanWork(megabytes: 800, gigaMultiplyAdds: 20)
    #expect(Self.discrete.decision(for: huge, jobs: 1, threads: 2).usesGL)
  }

  /// A batch on 64 workers is faster than any transfer.
  @Test func moreWorkersMoveTheLimit() {
    let decision = Self.discrete.decision(for: Self.photo, jobs: 200, threads: 64)
    #expect(!decision.usesGL)
    #expect(decision.fast < Self.discrete.decision(for: Self.photo, jobs: 200, threads: 2).fast)
  }

  @Test func aStartedGPUIsFree() {
    let decision = Self.discrete.decision(for: Self.photo, jobs: 1, threads: 2, isStarted: true)
    #expect(decision.usesGL && decision.startUp == 0)
    #expect(!decision.words.contains("start-up"))
  }

  /// A software renderer that is measured like a GPU is never chosen.
  @Test(arguments: [1, 10, 100_000]) func softwareNeverPays(_ jobs: Int) {
    let llvmpipe = CostModel(
      fast: Self.discrete.fast, threads: 2,
      gl: BackendCosts(startUp: 0.05, perJob: 0.004, perMegabyte: 0.002, perGiga: 6),
      identity: "llvmpipe")
    for isStarted in [false, true] {
      let decision = llvmpipe.decision(
        for: Self.photo, jobs: jobs, threads: 1, isStarted: isStarted)
      #expect(!decision.usesGL && decision.savings == 0)
    }
  }

  /// Jobs that come one by one, nobody knows how many: at most twice the best is spent.
  @Test func theGPUIsStartedWhenItWouldHavePaid() {
    var regret = 0.0
    var jobs = 0
    while true {
      let decision = Self.discrete.decision(for: Self.photo, jobs: 1, threads: 2, regret: regret)
      if decision.usesGL { break }
      regret += decision.savings
      jobs += 1
    }
    #expect((20...60).contains(jobs))
    #expect(regret <= Self.discrete.gl.startUp)
  }

  /// Before a measurement only work that takes long is worth one.
  @Test func assumptionsAreModest() {
    let model = CostModel.assumed
    let one = model.decision(for: Self.photo, jobs: 1, threads: 2)
    #expect(!one.usesGL && one.words.contains("not measured yet"))
    #expect(model.decision(for: Self.photo, jobs: 1000, threads: 2).usesGL)
  }

  @Test func threeMeasurementsGiveTheParts() {
    let costs = BackendCosts(startUp: 0.1, perJob: 0.002, perMegabyte: 0.0003, perGiga: 0.04)
    func sample(_ megabytes: Double, _ giga: Double) -> BackendCosts.Sample {
      let work = PlanWork(megabytes: megabytes, gigaMultiplyAdds: giga)
      return BackendCosts.Sample(work, seconds: costs.seconds(work))
    }
    let found = BackendCosts(
      startUp: 0.1, small: sample(0.5, 0.001), light: sample(16, 0.03), heavy: sample(16, 0.4))
    for (one, other) in [
      (found.perJob, costs.perJob), (found.perMegabyte, costs.perMegabyte),
      (found.perGiga, costs.perGiga),
    ] {
      #expect(abs(one - other) < 1e-9)
    }
  }

  /// Noise gives no negative costs.
  @Test func nothingTakesLessThanNoTime() {
    func sample(_ megabytes: Double, _ giga: Double, _ seconds: Double) -> BackendCosts.Sample {
      BackendCosts.Sample(
        PlanWork(megabytes: megabytes, gigaMultiplyAdds: giga), seconds: seconds)
    }
    let costs = BackendCosts(
      startUp: 0, small: sample(0.5, 0.001, 0.004), light: sample(16, 0.03, 0.003),
      heavy: sample(16, 0.4, 0.0025))
    #expect(costs.perJob >= 0 && costs.perMegabyte == 0 && costs.perGiga == 0)
  }

  @Test func aPlansWorkIsCounted() throws {
    let input = Plan.Input(
      size: Size(width: 100, height: 50), format: .rgba8, alpha: .straight, transfer: .encoded)
    let plan = try FilterChain([.gaussian(sigma: 2)]).plan(for: input)
    let work = PlanWork(plan)
    #expect(work.megabytes == 0.04)
    #expect(abs(work.gigaMultiplyAdds - plan.multiplyAddsPerPixel * 5000 / 1e9) < 1e-12)
  }
}
