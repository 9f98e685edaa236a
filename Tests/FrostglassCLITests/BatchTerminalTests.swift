import Glibc
import Testing

/// A batch's output on a terminal, which script(1) emulates.
@Suite(.enabled(if: access("/usr/bin/script", X_OK) == 0, "script(1) is not installed"))
struct BatchTerminalTests {
  /// The second image is a pipe: the batch is held until the line has been seen.
  @Test func oneLineChanges() throws {
    let scratch = try Scratch()
    for name in ["a.png", "b.png"] { try scratch.add(name, SampleImage.file()) }
    let run = try scratch.shell(
      """
      mkfifo pipe.png
      script -qfec '"$frostglass" blur a.png no.png pipe.png --out-dir out --sigma 2' log > seen &
      child=$!
      exec 3> pipe.png
      for turn in $(seq 1200); do grep -q 'of 3, .* left, 1 failed' log && break; sleep 0.05; done
      cat b.png >&3; exec 3>&-; wait $child; code=$?; cat seen; exit $code
      """)
    #expect(run.exitCode == 65, "\(run)")
    #expect(run.text.contains(#/\e\[K2 of 3, .* s left, 1 failed/#), "\(run)")
    #expect(run.text.contains(#/\r\e\[K2 done, 1 failed in /#), "\(run)")
    // Images that went well have no lines, others have.
    #expect(!run.text.contains("→"), "\(run)")
    #expect(run.text.contains("frostglass blur: no.png: there is no such file"), "\(run)")
    #expect(scratch.names.filter { $0.hasPrefix("out/") } == ["out/", "out/a.png", "out/pipe.png"])
  }
}
