import FrostglassGL
import Glibc
import TestSupport
import Testing

/// Files that are whole or not there, in a folder that may be anything.
@Suite struct CacheDirectoryTests {
  @Test func knowsTheUsersPlace() {
    func path(_ variables: [String: String]) -> String? {
      CacheDirectory.ofUser { variables[$0] }?.path
    }
    #expect(path(["HOME": "/home/a"]) == "/home/a/.cache/frostglass")
    #expect(path(["HOME": "/home/a", "XDG_CACHE_HOME": "/x"]) == "/x/frostglass")
    #expect(path(["HOME": "/home/a", "XDG_CACHE_HOME": "x"]) == "/home/a/.cache/frostglass")
    #expect(path(["HOME": "/home/a", "FROSTGLASS_CACHE_DIR": "here"]) == "here")
    #expect(path(["HOME": "/home/a", "FROSTGLASS_CACHE_DIR": ""]) == nil)
    #expect(path([:]) == nil)
  }

  @Test func givesBackWhatWasWritten() {
    let folder = CacheFolder()
    let deep = folder.directory.folder("programs")
    #expect(deep.read("a", atMost: 10) == nil)
    #expect(deep.write([1, 2, 3], to: "a"))
    #expect(deep.read("a", atMost: 3) == [1, 2, 3])
    #expect(deep.read("a", atMost: 2) == nil)
    #expect(deep.write([4], to: "a"))
    #expect(deep.read("a", atMost: 3) == [4])
    #expect(deep.write([], to: "b"))
    #expect(deep.read("b", atMost: 3) == [])
    #expect(Set(deep.entries.map(\.name)) == ["a", "b"])
    deep.remove("a")
    #expect(deep.entries.map(\.name) == ["b"])
  }

  @Test func isQuietWhereNothingCanBeWritten() {
    for path in ["/proc/nowhere", "/dev/null/below", "/proc/version"] {
      let directory = CacheDirectory(path)
      #expect(!directory.write([1], to: "a"))
      #expect(directory.read("a", atMost: 10) == nil)
      #expect(directory.entries.isEmpty)
    }
    // What is there may be a folder.
    let folder = CacheFolder()
    #expect(folder.programs.write([1], to: "a"))
    #expect(folder.directory.read("programs", atMost: 10) == nil)
    #expect(!folder.directory.write([1], to: "programs"))
  }

  @Test func removesWhatWasOfNoUseForLongest() {
    let folder = CacheFolder()
    let programs = folder.programs
    for name in 0..<6 {
      #expect(programs.write([UInt8](repeating: 0, count: 100), to: "\(name)"))
      let time = timespec(tv_sec: 1_000_000 + (name == 2 ? 100 : name), tv_nsec: 0)
      utimensat(AT_FDCWD, "\(programs.path)/\(name)", [time, time], 0)
    }
    #expect(programs.trim(to: 350) == 300)
    #expect(Set(programs.entries.map(\.name)) == ["2", "4", "5"])
  }

  @Test func removesWhatNobodyFinished() {
    let folder = CacheFolder()
    let programs = folder.programs
    #expect(programs.write([1], to: ".new-old") && programs.write([1], to: ".new-young"))
    let now = time(nil)
    let past = timespec(tv_sec: now - 7200, tv_nsec: 0)
    utimensat(AT_FDCWD, "\(programs.path)/.new-old", [past, past], 0)
    #expect(programs.trim(to: 1000, now: now) == 0)
    #expect(programs.entries.map(\.name) == [".new-young"])
  }

  /// Known values of the published function.
  @Test func hashesAsPublished() {
    #expect(ContentHash([]).description == "6c62272e07bb014262b821756295c58d")
    #expect(ContentHash("a".utf8).description == "d228cb696f1a8caf78912b704e4a8964")
    #expect(ContentHash("foobar".utf8).description == "343e1662793c64bf6f0d3597ba446f18")
    #expect(ContentHash(texts: ["ab", "c"]) != ContentHash(texts: ["a", "bc"]))
  }
}
