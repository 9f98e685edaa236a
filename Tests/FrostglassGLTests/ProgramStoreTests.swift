import FrostglassCore
import FrostglassGL
import Glibc
import TestSupport
import Testing

/// Programs that outlive their process.
@Suite struct ProgramStoreTests {
  private static let image = Image.noise(60, 44)

  /// Runs one blur on a new backend.
  private func run(
    _ folder: String?, _ stage: GLOptions.Stage = .fragment
  ) async throws -> (bytes: [UInt8], programs: GLProgramStatistics) {
    let backend = try await GLBackend.start(GLOptions(stage: stage, cacheDirectory: folder))
    let chain: FilterChain = [.gaussian(sigma: 9), .saturation(1.4)]
    let plan = try chain.plan(for: Plan.Input(Self.image))
    let bytes = try await backend.execute(plan, [Self.image]).bytes
    return (bytes, await backend.programStatistics)
  }

  @Test(arguments: [GLOptions.Stage.fragment, .compute])
  func theSecondStartCompilesNothing(_ stage: GLOptions.Stage) async throws {
    let folder = CacheFolder()
    let first = try await run(folder.path, stage)
    #expect(first.programs.compiled > 0 && first.programs.loaded == 0)
    // A driver may give none out; then nothing is kept, and all is compiled again.
    let isKept = first.programs.stored > 0
    #expect(folder.files.count == first.programs.stored)
    let second = try await run(folder.path, stage)
    #expect(second.bytes == first.bytes)
    #expect(second.programs.compiled == (isKept ? 0 : first.programs.compiled))
    #expect(second.programs.loaded == (isKept ? first.programs.compiled : 0))
    #expect(second.programs.rejected == 0)
  }

  /// The driver of the tests gives programs out, or the tests here would prove nothing.
  @Test func programsAreKept() async throws {
    #expect(try await run(CacheFolder().path).programs.stored > 0)
  }

  @Test func nothingIsKeptUnasked() async throws {
    let run = try await run(nil)
    #expect(run.programs.stored == 0 && run.programs.loaded == 0 && run.programs.compiled > 0)
  }

  @Test func damagedFilesAreReplaced() async throws {
    let folder = CacheFolder()
    let first = try await run(folder.path)
    let good = folder.files
    let damages: [(String, ([UInt8]) -> [UInt8])] = [
      ("empty", { _ in [] }), ("cut", { Array($0.dropLast()) }),
      ("header only", { Array($0.prefix(60)) }), ("longer", { $0 + [0] }),
      ("a flipped bit", { $0.dropLast(9) + [$0[$0.count - 9] ^ 4] + $0.suffix(8) }),
      ("another layout", { [1] + $0.dropFirst() }),
      ("noise", { $0.indices.map { UInt8(truncatingIfNeeded: $0 &* 151) } }),
    ]
    for (name, damage) in damages {
      for (file, bytes) in good { #expect(folder.programs.write(damage(bytes), to: file)) }
      let again = try await run(folder.path)
      #expect(again.bytes == first.bytes, "\(name)")
      #expect(again.programs.rejected == good.count, "\(name)")
      #expect(again.programs.compiled == good.count, "\(name)")
      #expect(folder.files == good, "\(name)")
    }
  }

  /// A file that is whole, with a program the driver knows nothing of.
  @Test func programsThatTheDriverRefusesAreReplaced() async throws {
    let folder = CacheFolder()
    let first = try await run(folder.path)
    let good = folder.files
    for format in [UInt32(0xBAD), nil] {
      for (file, bytes) in good {
        let key = try #require(Key(file).hash)
        var binary = try #require(ProgramBinary(file: bytes, for: key))
        if let format { binary.format = format } else { binary.bytes = [1, 2, 3, 4] }
        #expect(folder.programs.write(binary.file(for: key), to: file))
      }
      let again = try await run(folder.path)
      #expect(again.bytes == first.bytes)
      #expect(again.programs.rejected == good.count && again.programs.stored == good.count)
      #expect(try await run(folder.path).programs.loaded == good.count)
    }
  }

  @Test func anotherDriversProgramsAreOthers() {
    let folder = CacheFolder()
    let one = ProgramStore(folder.directory, driver: "renderer\n1")
    let other = ProgramStore(folder.directory, driver: "renderer\n2")
    let key = one.key(of: ["vertex", "fragment"])
    #expect(key != other.key(of: ["vertex", "fragment"]))
    #expect(key != one.key(of: ["vertexfragment"]))
    let binary = ProgramBinary(format: 7, bytes: [1, 2, 3])
    #expect(one.entry(key) == .missing)
    #expect(one.keep(binary, as: key))
    #expect(one.entry(key) == .binary(binary))
    #expect(other.entry(other.key(of: ["vertex", "fragment"])) == .missing)
    one.remove(key)
    #expect(one.entry(key) == .missing)
  }

  /// A program under another's name would draw something else.
  @Test func aRenamedFileIsDamaged() throws {
    let folder = CacheFolder()
    let store = ProgramStore(folder.directory, driver: "d")
    let (one, other) = (store.key(of: ["1"]), store.key(of: ["2"]))
    #expect(store.keep(ProgramBinary(format: 7, bytes: [1, 2, 3]), as: one))
    rename("\(folder.programs.path)/\(one)", "\(folder.programs.path)/\(other)")
    #expect(store.entry(other) == .damaged)
  }

  @Test func theFolderStaysSmall() {
    let folder = CacheFolder()
    let store = ProgramStore(folder.directory, driver: "d", most: 20_000)
    let binary = ProgramBinary(format: 7, bytes: [UInt8](repeating: 5, count: 1500))
    for index in 0..<60 {
      let key = store.key(of: ["\(index)"])
      #expect(store.keep(binary, as: key))
      #expect(folder.programs.entries.reduce(0) { $0 + $1.bytes } <= 20_000)
    }
    #expect(folder.programs.entries.count >= 5)
  }

  @Test func aFolderThatCannotBeWrittenChangesNothing() async throws {
    let expected = try await run(nil)
    for path in ["/proc/nowhere", "/dev/null"] {
      let run = try await run(path)
      #expect(run.bytes == expected.bytes)
      #expect(run.programs.stored == 0 && run.programs.compiled == expected.programs.compiled)
    }
  }

  /// Mesa then gives programs of no length.
  @Test func aDriverThatGivesNothingOutChangesNothing() async throws {
    await #expect(processExitsWith: .success) {
      setenv("MESA_SHADER_CACHE_DISABLE", "true", 1)
      let folder = CacheFolder()
      let backend = try await GLBackend.start(GLOptions(cacheDirectory: folder.path))
      let plan = try FilterChain([.gaussian(sigma: 3)]).plan(for: Plan.Input(Image.noise(20, 20)))
      _ = try await backend.execute(plan, [Image.noise(20, 20)])
      let programs = await backend.programStatistics
      #expect(programs.compiled > 0 && programs.loaded == 0)
      #expect(folder.files.count == programs.stored)
    }
  }

  @Test func backendsShareAFolder() async throws {
    let folder = CacheFolder()
    let expected = try await run(nil).bytes
    let results = try await withThrowingTaskGroup { group in
      for index in 0..<6 {
        group.addTask { [path = folder.path] in
          try await run(path, index % 2 == 0 ? .fragment : .compute).bytes
        }
      }
      return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
    }
    #expect(results == [expected])
    #expect(try await run(folder.path).programs.compiled == 0)
  }
}

/// The key that a file's name spells.
private struct Key {
  let hash: ContentHash?

  init(_ name: String) {
    hash = UInt128(name, radix: 16).map { ContentHash(value: $0) }
  }
}
