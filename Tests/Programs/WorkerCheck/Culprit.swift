import Frostglass
import FrostglassCore
import FrostglassServer
import Glibc

/// A worker that can be asked to fail in every way that a worker can.
struct Culprit: Worker {
  private let honest: InProcessWorker
  private let threads = ThreadPool()

  init(_ pipeline: Pipeline) {
    honest = InProcessWorker(pipeline)
    // One that is there before the walls are.
    threads.start {}
  }

  func perform(_ order: WorkOrder) async -> WorkAnswer {
    switch order.operation {
    case "test-attack": text(Attack.report().joined(separator: "\n"))
    case "test-attack-on-thread":
      text(await threads.run { Attack.report() }.joined(separator: "\n"))
    case "test-read":
      text(open(order.fields[0].value, O_RDONLY) < 0 ? "refused" : "opened")
    case "test-deadly": text("returned \(Attack.deadly(order.fields[0].value))")
    case "test-process": text("\(getpid())")
    case "test-echo":
      WorkAnswer(status: 200, contentType: "application/json", body: order.parts["picture"] ?? [])
    case "test-join":
      WorkAnswer(
        status: 200, contentType: "application/json",
        body: order.parts.sorted { $0.key < $1.key }.flatMap(\.value))
    case "test-answer": answer(order.fields, order.parts["picture"])
    case "test-crash": crash(order.fields[0].value)
    case "test-hang": await hang()
    case "test-say": say(order.parts["bytes"] ?? [])
    case "test-keep": keep(Int(order.fields[0].value) ?? 0)
    default: await honest.perform(order)
    }
  }

  private func text(_ text: String) -> WorkAnswer {
    WorkAnswer(status: 200, contentType: "application/json", body: Array(text.utf8))
  }

  /// Returns any requested response, true or not: status, type, and names with values. The body is the image, or one
  /// that fits the type.
  private func answer(_ fields: [Field], _ picture: [UInt8]?) -> WorkAnswer {
    let words = fields.map(\.value)
    return WorkAnswer(
      status: Int(words[0]) ?? 0, contentType: words[1],
      fields: stride(from: 2, to: words.count - 1, by: 2).map { Field(words[$0], words[$0 + 1]) },
      body: picture ?? (words[1] == Problem.contentType ? Array("{}".utf8) : []))
  }

  private func crash(_ how: String) -> WorkAnswer {
    switch how {
    case "segfault": UnsafeMutablePointer<UInt8>(bitPattern: 8)?.pointee = 1
    case "abort": abort()
    case "trap": fatalError()
    case "exit": _exit(3)
    case "lack": _exit(EX_UNAVAILABLE)
    default: break
    }
    return text("survived")
  }

  private func hang() async -> WorkAnswer {
    while true { usleep(1_000_000) }
  }

  /// Writes to the parent beside the protocol, and waits.
  private func say(_ bytes: [UInt8]) -> WorkAnswer {
    _ = bytes.withUnsafeBytes { send(3, $0.baseAddress, $0.count, 0) }
    while true { usleep(1_000_000) }
  }

  /// Takes memory and never frees it.
  private func keep(_ bytes: Int) -> WorkAnswer {
    let place = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let place, place != MAP_FAILED else { return text("refused") }
    memset(place, 1, bytes)
    return text("kept")
  }
}
