// How well blurs let others live: how long another task's sleep is delayed while eight blurs run, and how
// long a cancelled blur goes on, for every filter.
//   frostglass-responsiveness [WIDTH HEIGHT]
import Frostglass
import Glibc
import Synchronization
import TestSupport

/// The longest that sleeps of 20 ms were late.
final class Sleeper: Sendable {
  private let worst = Mutex(Duration.zero)
  private let isOver = Atomic(false)

  func sleepOnAndOn() async throws {
    while !isOver.load(ordering: .relaxed) {
      let start = ContinuousClock.now
      try await Task.sleep(for: .milliseconds(20))
      let late = start.duration(to: .now) - .milliseconds(20)
      worst.withLock { $0 = max($0, late) }
    }
  }

  /// How late sleeps are at most while something runs.
  static func worst(while body: @Sendable () async throws -> Void) async throws -> Duration {
    let sleeper = Sleeper()
    async let sleeping: Void = sleeper.sleepOnAndOn()
    try await body()
    sleeper.isOver.store(true, ordering: .relaxed)
    try await sleeping
    return sleeper.worst.withLock { $0 }
  }
}

/// Processor time of this process.
func processorTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

func milliseconds(_ duration: Duration) -> String {
  "\((duration / .microseconds(100)).rounded() / 10)"
}

let words = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let size =
  words.count == 2 ? Size(width: words[0], height: words[1]) : Size(width: 6000, height: 4000)
let image = TestImages.noise(size.width, size.height, .rgb8)
let file = try StillEncoder().encode(image, as: .jpeg)
let pipeline = Pipeline(backend: .fast)
func job(_ chain: FilterChain) -> Job {
  Job(
    source: .bytes(file), recipe: Recipe(chain), sink: .memory(EncodedFile()), format: .jpeg)
}

let idle = try await Sleeper.worst { try await Task.sleep(for: .seconds(1)) }
print("a sleep of 20 ms, nothing else running: late by \(milliseconds(idle)) ms at most")
let small = TestImages.noise(2000, 2000, .rgb8)
let zoom = try FilterChain(text: "zoom()")
let busy = try await Sleeper.worst {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<8 { group.addTask { _ = try await pipeline.blur(small, zoom) } }
    try await group.waitForAll()
  }
}
print(
  "a sleep of 20 ms, eight blurs (zoom, 2000×2000) at once: late by \(milliseconds(busy)) ms at most"
)

print("\(size) JPEG to JPEG, cancelled after 300 ms: until it threw, and processor time after that")
for filter in Catalog.filters {
  let name = filter.info.name
  let chain = try FilterChain(text: name + "()")
  guard !chain.filters.isEmpty else { continue }
  let task = Task { try await pipeline.run(job(chain)) }
  try await Task.sleep(for: .milliseconds(300))
  let start = ContinuousClock.now
  task.cancel()
  let result = await task.result
  let thrown = start.duration(to: .now)
  let spent = processorTime()
  try await Task.sleep(for: .milliseconds(500))
  let after = processorTime() - spent
  var end = "threw cancelled"
  switch result {
  case .success: end = "was done before"
  case .failure(FrostglassError.cancelled): break
  case .failure(let error): end = "\(error)"
  }
  print("  \(name): \(milliseconds(thrown)) ms, \(milliseconds(after)) ms, \(end)")
}
