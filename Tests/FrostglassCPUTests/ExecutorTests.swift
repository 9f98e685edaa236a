import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Runs of plans that are kept ready from one to the next.
struct ExecutorTests {
  private static let image = TestImages.noise(150, 190, .rgba8)

  private func plan(_ text: String, of image: Image = image) throws -> Plan {
    let mask = Mask([.ellipse(x: 20, y: 30, width: 90, height: 80)], feather: 5)
    return try FilterChain(text: text).plan(
      for: Plan.Input(image), options: PlanOptions(mask: mask))
  }

  /// A run has the bytes of a new backend's run, whatever ran before, in rows or as a whole.
  @Test(arguments: [1, 3])
  func nextRunsHaveTheSameBytes(threads: Int) async throws {
    let backend = FastBackend(threads: threads)
    let texts = ["blur(9px)", "box(radius=7)", "median(6)", "kawase(9px)", "tilt-shift(5px)"]
    for _ in 0..<3 {
      for text in texts {
        let plan = try plan(text)
        let expected = try await FastBackend(threads: 1).execute(plan, [Self.image]).bytes
        #expect(try await backend.execute(plan, [Self.image]).bytes == expected, "\(text)")
        #expect(try await backend.executeRows(plan, Self.image).bytes == expected, "\(text)")
      }
    }
  }

  /// Several at once do not share what one of them writes to.
  @Test func runsAtOnceHaveTheSameBytes() async throws {
    let backend = FastBackend(threads: 2)
    let plan = try plan("blur(9px)")
    let expected = try await FastBackend(threads: 1).execute(plan, [Self.image]).bytes
    try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for number in 0..<12 {
        group.addTask {
          number % 2 == 0
            ? try await backend.execute(plan, [Self.image]).bytes
            : try await backend.executeRows(plan, Self.image).bytes
        }
      }
      for try await made in group { #expect(made == expected) }
    }
  }

  /// Rows of another image that stopped coming leave nothing behind.
  @Test func brokenRowsLeaveNothingBehind() async throws {
    let backend = FastBackend(threads: 2)
    let plan = try plan("box(radius=7)")
    await #expect(throws: BackendError.self) {
      _ = try await backend.run(
        plan, PixelIO([.rows(BrokenRows(end: 77))], to: [.rows(ImageRows(plan.result))]))
    }
    let expected = try await FastBackend(threads: 1).execute(plan, [Self.image]).bytes
    #expect(try await backend.executeRows(plan, Self.image).bytes == expected)
  }

  private struct BrokenRows: RowSource {
    struct Break: Error {}

    let end: Int

    func read(_ rows: Range<Int>, into target: UnsafeMutableRawPointer) throws {
      guard rows.upperBound <= end else { throw Break() }
      target.initializeMemory(as: UInt8.self, repeating: 0, count: rows.count * 150 * 4)
    }
  }
}
