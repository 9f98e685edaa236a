import FrostglassCLI
import FrostglassCore
import Glibc
import Testing

/// The images of a directory, and their order.
@Suite struct ImageWalkTests {
  private func scratch(_ names: String...) throws -> Scratch {
    let scratch = try Scratch()
    for name in names {
      try scratch.addFolder("in/" + name.split(separator: "/").dropLast().joined(separator: "/"))
      try scratch.add("in/\(name)", [])
    }
    return scratch
  }

  private func names(_ scratch: Scratch, except output: String? = nil) -> [String] {
    ImageWalk(scratch / "in", except: output.map { scratch / $0 }).found.map(\.name)
  }

  @Test func everyFormatInOrderAndNothingElse() throws {
    let scratch = try scratch(
      "b.JPG", "a.tiff", "a.heic", "c/z.WebP", "c/y.avif", "B.png", "c.d/x.gif", "notes.txt", "png",
      "a.jpg~", "x.jpg.part", ".hidden.jpg", ".thumbnails/a.jpg", "c/jpeg")
    #expect(
      names(scratch) == [
        "B.png", "a.heic", "a.tiff", "b.JPG", "c/y.avif", "c/z.WebP", "c.d/x.gif",
      ])
  }

  @Test func pathsLeadToTheFiles() throws {
    let scratch = try scratch("c/z.webp")
    let found = ImageWalk(scratch / "in/").found
    #expect(found.map(\.path) == [scratch / "in/c/z.webp"])
    #expect(found.map(\.name) == ["c/z.webp"])
  }

  @Test func linksToFilesAreTakenAndLinksToDirectoriesAreNot() throws {
    let scratch = try scratch("a.png", "c/b.png")
    symlink("a.png", scratch / "in/link.png")
    symlink("..", scratch / "in/c/loop")
    symlink("c", scratch / "in/d.png")
    // A link to nothing is a failure to report, not a file to forget.
    symlink("nowhere", scratch / "in/gone.png")
    #expect(names(scratch) == ["a.png", "c/b.png", "gone.png", "link.png"])
  }

  @Test func pipesAreNotTaken() throws {
    let scratch = try scratch("a.png")
    #expect(mkfifo(scratch / "in/pipe.png", 0o600) == 0)
    #expect(names(scratch) == ["a.png"])
  }

  @Test func namesThatAreNotUTF8AreFound() throws {
    let scratch = try scratch("a.png")
    let path =
      (scratch / "in/").utf8.map { CChar(bitPattern: $0) } + [-1] + Array(".png".utf8CString)
    close(open(path, O_CREAT | O_WRONLY, 0o600))
    let walk = ImageWalk(scratch / "in")
    #expect(
      walk.found.map(\.name.systemBytes) == [Array("a.png".utf8), [0xFF] + Array(".png".utf8)])
    #expect(walk.obstacles.isEmpty)
  }

  @Test func theOutputIsNotEntered() throws {
    let scratch = try scratch("a.png", "out/a.png", "c/out/a.png")
    #expect(names(scratch, except: "in/out") == ["a.png", "c/out/a.png"])
    #expect(names(scratch, except: "in/c/../c/out") == ["a.png", "out/a.png"])
    #expect(names(scratch, except: "nowhere").count == 3)
  }

  @Test func whatCannotBeReadIsReported() throws {
    let walk = ImageWalk("/nowhere")
    #expect(walk.found.isEmpty)
    #expect(walk.obstacles.map(\.path) == ["/nowhere"])
    #expect(walk.obstacles.map(\.reason) == ["No such file or directory"])
  }
}
