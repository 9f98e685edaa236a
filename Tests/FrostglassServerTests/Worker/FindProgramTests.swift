import FrostglassConfinement
import FrostglassCore
import FrostglassFind
import FrostglassServer
import TestSupport
import Testing

/// The program that runs detectors, as a process that is asked things.
@Suite struct FindProgramTests {
  private func start() throws -> ChildProcess {
    try ChildProcess(
      ChildProcess.Command(
        program: BuiltProgram.path(FindProgram.name), arguments: [FindProgram.word],
        orderBytes: 1 << 20, answerBytes: 1))
  }

  private func answer(
    of process: ChildProcess, to words: String, _ parts: [[UInt8]]
  ) throws -> FindAnswer? {
    let end = ContinuousClock.now + .seconds(60)
    try process.socket.send(Message(head: Array(words.utf8), parts: parts), until: end)
    let frame = try process.socket.receive(
      FrameLimits(head: FindOrder.mostWords, parts: 0, bytes: 0), until: end)
    return FindAnswer(words: String(decoding: frame.head, as: UTF8.self))
  }

  @Test func itWorksBehindWalls() throws {
    let process = try start()
    defer { _ = process.end() }
    _ = try answer(of: process, to: "hello", [[]])
    let status = try #require(Files.text(of: "/proc/\(process.process)/status"))
    for line in ["NoNewPrivs:\t1", "Seccomp:\t2", "Threads:\t1"] {
      #expect(status.contains(line), "\(status)")
    }
  }

  @Test func ordersThatMakeNoSenseAreAnswered() throws {
    let process = try start()
    defer { _ = process.end() }
    let orders: [(String, [[UInt8]], String)] = [
      ("hello", [[]], "cannot be read"), ("model yunet", [], "cannot be read"),
      ("model yunet", [[1, 2, 3]], ""), ("look yunet 1 1 0.5", [[1, 2, 3]], "no model of yunet"),
      ("look yunet 2 1 0.5", [[1, 2, 3]], "cut off"),
    ]
    for (words, parts, reason) in orders {
      guard case .failed(let text)? = try answer(of: process, to: words, parts) else {
        Issue.record("\(words) is answered with things found")
        continue
      }
      #expect(text.contains(reason), "\(text)")
    }
  }

  @Test func itEndsAfterWhatIsNoOrder() throws {
    let process = try start()
    defer { _ = process.end() }
    _ = try answer(of: process, to: "hello", [[]])
    // More parts than any order has.
    try process.socket.send(Message(head: [], parts: [[], []]))
    #expect(throws: FrameError.ended) {
      try process.socket.receive(
        FrameLimits(head: 1, parts: 0, bytes: 0), until: .now + .seconds(60))
    }
  }
}
