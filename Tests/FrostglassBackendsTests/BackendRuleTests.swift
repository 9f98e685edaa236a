import FrostglassBackends
import Testing

/// The choice of a backend by the numbers of the work.
@Suite struct BackendRuleTests {
  /// A full HD photo with a Gaussian of σ 2: 66 million multiply-adds.
  private func photo(
    jobs: Int, threads: Int = 2, regret: Double = 0, isStarted: Bool = false
  ) -> BackendRule {
    BackendRule(
      megabytes: 16.6, sums: 0.066, jobs: jobs, threads: threads, regret: regret,
      isStarted: isStarted)
  }

  @Test func oneSmallPhotoBelongsOnTheCPU() {
    let rule = photo(jobs: 1)
    #expect(!rule.usesGL)
    #expect(rule.words == "fast: 2.1 ms expected; gl: 501 ms, of which 500 ms start-up")
  }

  @Test func aBatchBelongsOnTheGPU() {
    let rule = photo(jobs: 1000)
    #expect(rule.usesGL)
    #expect(rule.words.hasSuffix("for 1000 images"))
  }

  @Test func aHugeImageAloneBelongsOnTheGPU() {
    #expect(BackendRule(megabytes: 800, sums: 40, jobs: 1, threads: 2).usesGL)
  }

  /// A batch on 64 workers is faster than its way.
  @Test func moreWorkersMoveTheLimit() {
    #expect(!photo(jobs: 1000, threads: 64).usesGL)
    #expect(photo(jobs: 1000, threads: 64).fast < photo(jobs: 1000).fast)
  }

  @Test func aStartedGPUIsFree() {
    let rule = photo(jobs: 1, isStarted: true)
    #expect(rule.usesGL && rule.startUp == 0)
    #expect(!rule.words.contains("start-up"))
  }

  /// Little to compute for each byte never pays, however many there are.
  @Test(arguments: [1, 10, 100_000]) func lightWorkNeverPays(_ jobs: Int) {
    for isStarted in [false, true] {
      let rule = BackendRule(
        megabytes: 16.6, sums: 0.002, jobs: jobs, threads: 1, isStarted: isStarted)
      #expect(!rule.usesGL && rule.savings == 0)
    }
  }

  /// For an unknown number of images, at most twice the best time is spent.
  @Test func theGPUIsStartedWhenItWouldHavePaid() {
    var (regret, jobs) = (0.0, 0)
    while true {
      let rule = photo(jobs: 1, regret: regret)
      if rule.usesGL { break }
      regret += rule.savings
      jobs += 1
    }
    #expect((200...700).contains(jobs))
    #expect(regret <= photo(jobs: 1).startUp)
  }

  @Test func aPlansNumbersAreItsOwn() throws {
    let input = Plan.Input(
      size: Size(width: 100, height: 50), format: .rgba8, alpha: .straight, transfer: .encoded)
    let plan = try FilterChain([.gaussian(sigma: 2)]).plan(for: input)
    let numbers = BackendRule(
      megabytes: 0.04, sums: plan.multiplyAddsPerPixel * 5000 / 1e9, jobs: 3, threads: 2)
    #expect(BackendRule(plan, jobs: 3, threads: 2) == numbers)
  }
}
