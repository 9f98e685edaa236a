import FrostglassServer
import Glibc
import TestSupport
import Testing

/// Children that crash, hang, or are not wanted any more cost one order.
@Suite struct WorkerPoolTests {
  @Test(
    arguments: [
      ("segfault", WorkerEnd.signaled(SIGSEGV)), ("abort", .signaled(SIGABRT)),
      ("trap", .signaled(SIGILL)), ("exit", .exited(code: 3)),
    ])
  func aCrashCostsOneOrder(_ how: String, _ end: WorkerEnd) async throws {
    let pool = try CheckedPool()
    let first = await pool.process()
    let answer = await pool.perform("test-crash", [how])
    #expect(answer.status == 500)
    #expect(answer.contentType == "application/problem+json")
    #expect(!answer.text.contains("signal"), "that is not for clients")
    #expect(await pool.until { pool.ends == [end] }, "\(pool.events)")
    let second = await pool.process()
    #expect(first != nil && second != nil && first != second)
  }

  /// An order that a child cannot do for lack of something goes to another child, and to no third one.
  @Test func anOrderIsReturnedOnce() async throws {
    let pool = try CheckedPool()
    let answer = await pool.perform("test-crash", ["lack"])
    #expect(answer.status == 503 && answer.text.contains("unavailable"), "\(answer.text)")
    let end = WorkerEnd.exited(code: EX_UNAVAILABLE)
    #expect(await pool.until { pool.ends == [end, end] }, "\(pool.events)")
    #expect(await pool.process() != nil)
  }

  @Test func anIdleChildThatIsKilledIsReplaced() async throws {
    let pool = try CheckedPool()
    let first = try #require(await pool.process())
    kill(first, SIGKILL)
    #expect(await pool.until { pool.started.count == 2 }, "\(pool.events)")
    #expect(pool.ends == [.signaled(SIGKILL)])
    let second = await pool.process()
    #expect(second != nil && second != first)
  }

  /// A program that never comes to an order is started less and less often.
  @Test func childrenOfNoUseAreStartedSeldom() {
    var pauses = StartPauses()
    let ends = [true] + Array(repeating: false, count: 9) + [true, false]
    let expected: [Int32?] = [
      nil, 100, 200, 400, 800, 1600, 3200, 6400, 6400, 6400, nil, 100,
    ]
    for (wasOfUse, pause) in zip(ends, expected) {
      let next = pauses.next(wasOfUse: wasOfUse)
      #expect(next == pause)
    }
  }

  /// Libraries are loaded before the sandbox. Running encoders as well kept 10 MB of their tables.
  @Test func aChildThatHasDoneNothingHoldsLittle() async throws {
    let pool = try CheckedPool()
    #expect(await pool.until { pool.pool.ready == 1 })
    let process = try #require(pool.pool.processes.first)
    let maps = try #require(Files.text(of: "/proc/\(process)/maps"))
    for library in ["libheif", "libx265", "libaom", "libjxl"] { #expect(maps.contains(library)) }
    let text = try #require(Files.text(of: "/proc/\(process)/smaps_rollup"))
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("Private_Dirty:") })
    // 9 MB, which were 18.
    #expect(try #require(Int(line.filter(\.isWholeNumber))) < 13_000, "\(text)")
  }

  @Test func aCancelledOrderEndsItsChild() async throws {
    let pool = try CheckedPool()
    let work = Task { await pool.perform("test-hang", seconds: 600) }
    #expect(await pool.until { pool.pool.busy == 1 })
    work.cancel()
    #expect(await work.value.status == 503)
    #expect(await pool.until { pool.ends == [.cancelled] }, "\(pool.events)")
    #expect(await pool.process() != nil)
  }

  @Test func anOrderThatIsCancelledBeforehandReachesNoChild() async throws {
    let pool = try CheckedPool()
    let blocked = Task { await pool.perform("test-hang", seconds: 600) }
    #expect(await pool.until { pool.pool.busy == 1 })
    let waiting = Task { await pool.perform("test-crash", ["abort"]) }
    #expect(await pool.until { pool.pool.waiting == 1 })
    waiting.cancel()
    #expect(await waiting.value.status == 503)
    blocked.cancel()
    _ = await blocked.value
    #expect(await pool.process() != nil)
    #expect(pool.ends == [.cancelled])
  }

  @Test func anOrderThatTakesTooLongEndsItsChild() async throws {
    let pool = try CheckedPool()
    _ = await pool.process()
    // Long enough for the child to get it, however busy the machine is.
    let answer = await pool.perform("test-hang", seconds: 2)
    #expect(answer.status == 503)
    #expect(await pool.until { pool.ends == [.late] }, "\(pool.events)")
    #expect(await pool.process() != nil)
  }

  @Test func anOrderWaitsNoLongerThanItMay() async throws {
    let pool = try CheckedPool()
    let blocked = Task { await pool.perform("test-hang", seconds: 600) }
    #expect(await pool.until { pool.pool.busy == 1 })
    #expect(await pool.perform("test-process", seconds: 0.05).status == 503)
    #expect(pool.ends.isEmpty, "the child is still at work for another")
    blocked.cancel()
    _ = await blocked.value
  }

  /// The next order has another child at once, also where none can be started for a while.
  @Test func aSpareChildTakesTheNextOrder() async throws {
    let folder = try Folder()
    // Two are started; those after them never say that they are there.
    try folder.write(
      "program",
      """
      #!/bin/sh
      mkdir '\(folder.path)/1' 2>/dev/null || mkdir '\(folder.path)/2' 2>/dev/null || exec sleep 600
      exec '\(WorkerCheckProgram.path)' "$@"

      """)
    chmod(folder.path + "/program", 0o755)
    let pool = try CheckedPool {
      $0.program = folder.path + "/program"
      $0.spares = 1
    }
    #expect(await pool.until { pool.pool.ready == 2 })
    #expect(await pool.perform("test-crash", ["segfault"]).status == 500)
    let next = try #require(await pool.process())
    #expect(pool.started.contains(next) && pool.started.count == 2)
    #expect(await pool.until { pool.ends == [.signaled(SIGSEGV)] }, "\(pool.events)")
  }

  @Test func aChildIsReplacedAfterItsShareOfOrders() async throws {
    let pool = try CheckedPool { $0.ordersPerChild = 3 }
    var processes: [Int32?] = []
    for _ in 0..<7 { processes.append(await pool.process()) }
    #expect(!processes.contains(nil))
    #expect(Set(processes[0..<3]).count == 1 && Set(processes[3..<6]).count == 1)
    #expect(Set(processes).count == 3)
    #expect(pool.ends == [.served(orders: 3), .served(orders: 3)])
  }

  @Test func aChildThatKeepsMemoryIsReplaced() async throws {
    let pool = try CheckedPool { $0.keptMemory = 300 << 20 }
    for _ in 0..<2 { #expect(await pool.perform("test-keep", ["\(350 << 20)"]).text == "kept") }
    #expect(await pool.process() != nil)
    #expect(
      await pool.until {
        if case .grew(let bytes)? = pool.ends.first { bytes > 300 << 20 } else { false }
      }, "\(pool.events)")
    #expect(await pool.process() != nil)
  }

  @Test func aChildGetsNoMoreMemoryThanItMay() async throws {
    let pool = try CheckedPool { $0.memory = 512 << 20 }
    #expect(await pool.perform("test-keep", ["\(1 << 30)"]).text == "refused")
    #expect(await pool.perform("test-keep", ["\(64 << 20)"]).text == "kept")
    #expect(pool.ends.isEmpty)
  }

  /// A child says what it needs, rather than that each of them crashes.
  @Test func aChildWithTooLittleMemorySaysSo() async throws {
    let small = try CheckedPool { $0.memory = 16 << 20 }
    #expect(await small.until { !small.events.isEmpty })
    let said = try #require(small.events.first).description
    #expect(said.hasPrefix("a worker cannot be started: it takes "), "\(said)")
    #expect(said.contains(" and may take 16 MiB; "), "\(said)")
    let words = try #require(said.firstMatch(of: /must be (\d+)M or more/)).output
    #expect(small.started.isEmpty)
    // Not every child has as many threads at that moment.
    let enough = try #require(Int(words.1)) + 64
    let pool = try CheckedPool { $0.memory = enough << 20 }
    #expect(await pool.process() != nil, "\(pool.events)")
  }

  @Test func ordersRunBesideEachOtherAndNoneGetsTheOthersAnswer() async throws {
    let pools = [try CheckedPool(2), try CheckedPool(2)]
    await withTaskGroup(of: (Bool, Int).self) { group in
      for number in 0..<200 {
        group.addTask {
          let bytes = [UInt8](repeating: UInt8(number), count: number * 1000)
          let pool = pools[number % 2]
          if number / 2 % 20 == 0 { _ = await pool.perform("test-crash", ["segfault"]) }
          let answer = await pool.perform("test-echo", parts: ["picture": bytes])
          return (answer.status == 200 && answer.body == bytes, number)
        }
      }
      for await (isRight, number) in group { #expect(isRight, "order \(number)") }
    }
    for pool in pools {
      #expect(await pool.until { pool.ends == Array(repeating: .signaled(SIGSEGV), count: 5) })
    }
    #expect(Set(pools[0].started).isDisjoint(with: pools[1].started))
  }

  @Test func whatIsLargeArrivesWhole() async throws {
    let pool = try CheckedPool()
    var bytes = [UInt8](repeating: 0, count: 32 << 20)
    for index in bytes.indices {
      bytes[index] = UInt8(truncatingIfNeeded: index &* 2_654_435_761 >> 24)
    }
    let answer = await pool.perform("test-echo", parts: ["picture": bytes])
    #expect(answer.body == bytes)
  }

  /// Orders that do not fit into shared memory go through the socket, next to those that do.
  @Test(arguments: [1, 300_000, 700_000, 4 << 20])
  func ordersArriveHoweverLittleMemoryIsShared(_ bytes: Int) async throws {
    let pool = try CheckedPool { $0.orderMemory = bytes }
    func part(_ count: Int, _ seed: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: ($0 + seed) &* 2_654_435_761 >> 13) }
    }
    let parts = [
      "a": part(70_000, 1), "b": part(400_000, 2), "c": [], "d": part(10, 3),
      "e": part(200_000, 4), "picture": part(65_536, 5),
    ]
    for _ in 0..<2 {
      let answer = await pool.perform("test-join", parts: parts)
      #expect(answer.body == parts.sorted { $0.key < $1.key }.flatMap(\.value), "\(bytes)")
    }
    #expect(pool.ends.isEmpty, "\(pool.events)")
  }

  @Test func anEndedPoolGivesUpItsOrdersAndLeavesNoChild() async throws {
    let pool = try CheckedPool(2)
    #expect(await pool.until { pool.pool.ready == 2 })
    let work = (0..<4).map { _ in Task { await pool.perform("test-hang", seconds: 600) } }
    #expect(await pool.until { pool.pool.busy == 2 && pool.pool.waiting == 2 })
    pool.pool.end()
    pool.pool.waitForEnd()
    for task in work { #expect(await task.value.status >= 500) }
    #expect(await pool.perform("test-process").status == 503)
    for process in pool.started { #expect(kill(process, 0) == -1 && errno == ESRCH) }
  }

  @Test func aProgramThatCannotBeStartedIsTriedAgain() async throws {
    let pool = try CheckedPool { $0.program = "/nowhere/frostglass" }
    #expect(await pool.until { pool.events.count >= 2 })
    #expect(pool.events.first?.description.contains("No such file") == true)
    #expect(await pool.perform("test-process", seconds: 0.05).status == 503)
  }

  /// In a process of its own, where nothing else opens files or starts programs.
  @Test func nothingIsLeftAfterAHundredOrders() throws {
    let (process, text) = try WorkerCheckProgram.start("leaks", lines: 1)
    var status: Int32 = 0
    #expect(waitpid(process, &status, 0) == process && status == 0)
    #expect(text == "0 descriptors more, 0 children more\n")
  }

  @Test func childrenEndWithTheirParentHoweverThatEnds() async throws {
    let (process, text) = try WorkerCheckProgram.start("orphans", lines: 1)
    let children = text.split { $0 == " " || $0.isNewline }.compactMap { Int32($0) }
    #expect(children.count == 2, "\(text)")
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
    let pool = try CheckedPool()
    // Nobody may be there to wait for them, so what is left of them counts as gone.
    #expect(await pool.until { children.allSatisfy { ProcessState.isGone($0) } })
  }
}

/// The state of a process, as the system reports it.
enum ProcessState {
  /// Returns true if it has ended, waited for or not.
  static func isGone(_ process: Int32) -> Bool {
    guard let file = fopen("/proc/\(process)/stat", "r") else { return true }
    defer { fclose(file) }
    var line = [UInt8](repeating: 0, count: 512)
    let count = fread(&line, 1, line.count, file)
    // The state follows the name, which is in parentheses.
    let fields = line.prefix(count).split(separator: UInt8(ascii: ")")).last ?? []
    return fields.dropFirst().first == UInt8(ascii: "Z")
  }
}
