internal import FrostglassConfinement
internal import FrostglassCore
package import FrostglassFetching
internal import Glibc
internal import Synchronization

/// The process that fetches, which is started again when it ends, and the requests that wait for it.
///
/// It alone is connected to other servers, and links what that takes; it can open no file but those that say
/// how names are looked up and whom TLS trusts.
package final class Fetcher: Sendable {
  private struct State {
    var child: ChildProcess?
    /// True once a start was tried.
    var hasBegun = false
    var isEnded = false
    /// Processes that were started.
    var started = 0
    var last = 0
    var waiting: [Int: CheckedContinuation<FetchAnswer, Never>] = [:]
  }

  private let program: String
  private let mostBytes: Int
  private let budget: Int
  private let state = Monitor(State())
  /// Held while a message is sent, which comes in pieces.
  private let sending = Mutex(())

  /// - Parameters:
  ///   - mostBytes: the longest body, in bytes.
  ///   - budget: the most bytes of all bodies in transit together.
  package init(_ program: String, mostBytes: Int, budget: Int) {
    self.program = program
    self.mostBytes = mostBytes
    self.budget = budget
  }

  /// Starts the process, and waits until it is there or cannot be.
  package func start() {
    guard BackgroundThread.start({ self.run() }) else { return }
    state.wait(until: { $0.hasBegun }) { _ in }
  }

  /// Ends the process; what waits for it is answered.
  package func end() {
    let child = state.change { state in
      state.isEnded = true
      return state.child
    }
    child?.kill()
  }

  /// The process, where there is one.
  var process: Int32? { state.withLock { $0.child?.process } }

  /// Processes that were started, from the beginning on.
  var started: Int { state.withLock { $0.started } }

  /// Has an order done. Where the task is cancelled, it ends.
  package func fetch(_ order: FetchOrder) async -> FetchAnswer {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    var numbered = order
    numbered.number = number
    return await withTaskCancellationHandler { [numbered] in
      await withCheckedContinuation { waiter in
        let child = state.withLock { state in
          if state.child != nil { state.waiting[number] = waiter }
          return state.child
        }
        guard let child else {
          waiter.resume(returning: FetchAnswer(number, .noFetcher))
          return
        }
        send(.fetch(numbered), to: child)
        // The task may have been canceled before it was registered.
        if Task.isCancelled {
          finish(FetchAnswer(number, .cancelled))
          send(.cancel(number), to: child)
        }
      }
    } onCancel: {
      cancel(number)
    }
  }

  private func cancel(_ number: Int) {
    let child = state.withLock { $0.waiting[number] == nil ? nil : $0.child }
    finish(FetchAnswer(number, .cancelled))
    if let child { send(.cancel(number), to: child) }
  }

  private func finish(_ answer: FetchAnswer) {
    state.withLock { $0.waiting.removeValue(forKey: answer.number) }?.resume(returning: answer)
  }

  private func send(_ message: FetchMessage, to child: ChildProcess) {
    let isSent = sending.withLock { _ in
      guard let frame = try? message.frame() else { return false }
      return (try? child.socket.send(frame, until: .now + .seconds(5))) != nil
    }
    // A partial message would corrupt the next one.
    if !isSent { child.kill() }
  }

  /// Has one process after another fetch, in the thread that the kernel takes for their parent.
  private func run() {
    var pauses = StartPauses()
    while !state.withLock({ $0.isEnded }) {
      let answers = serve()
      let failed = state.change { state in
        defer { state.waiting = [:] }
        (state.child, state.hasBegun) = (nil, true)
        return state.waiting
      }
      for (number, waiter) in failed {
        waiter.resume(returning: FetchAnswer(number, .fetcherEnded))
      }
      guard let milliseconds = pauses.next(wasOfUse: answers > 0) else { continue }
      let end = ContinuousClock.now + .milliseconds(Int(milliseconds))
      while !state.withLock({ $0.isEnded }), .now < end { usleep(20_000) }
    }
  }

  /// Starts a process and takes its answers until it ends.
  ///
  /// - Returns: the number of answers.
  private func serve() -> Int {
    let words = ["\(getpid())", "\(budget)"]
    let command = ChildProcess.Command(
      program: program, arguments: words, orderBytes: 1, answerBytes: 1)
    guard let child = try? ChildProcess(command) else { return 0 }
    state.change { state in
      if !state.isEnded { state.child = child }
      state.started += 1
      state.hasBegun = true
    }
    // Answers are concurrent, so they cannot use shared memory.
    let socket = FrameSocket(descriptor: child.socket.descriptor)
    var answers = 0
    while !state.withLock({ $0.isEnded }),
      let frame = try? socket.receive(FetchAnswer.limits(mostBytes)),
      let answer = try? FetchAnswer(frame)
    {
      answers += 1
      finish(answer)
    }
    _ = child.end()
    return answers
  }
}
