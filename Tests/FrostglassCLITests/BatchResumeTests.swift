import Glibc
import Testing

/// A batch that ends early and is taken up again.
@Suite struct BatchResumeTests {
  private let names = BatchImages.names

  private func batch(_ output: String, _ options: String...) -> [String] {
    ["blur"] + names.map { "in/\($0)" } + ["--out-dir", output, "--sigma", "3", "--threads", "2"]
      + options
  }

  @Test func whatExistsIsSkipped() throws {
    let scratch = try BatchImages.scratch()
    try scratch.addFolder("out")
    try scratch.add("out/p2.png", [1])
    let run = try scratch.run(batch("out", "--resume"))
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.contains("\n5 done, 1 skipped (there already) in "), "\(run)")
    #expect(try scratch.contents("out/p2.png") == [1])
    let again = try scratch.run(batch("out", "--resume"))
    #expect(again.exitCode == 0, "\(again)")
    #expect(again.errors.hasPrefix("0 done, 6 skipped (there already) in "), "\(again)")
  }

  /// Every input is there already if outputs are looked for among the inputs.
  @Test func inputsAreNotTakenForOutputs() throws {
    let scratch = try BatchImages.scratch()
    let run = try scratch.run(
      "blur", "in/p1.png", "--out-dir", "in", "--resume", "--sigma", "3")
    #expect(run.exitCode == 64, "\(run)")
    #expect(run.explains(["in/p1.png", "its own output", "--out-dir"]), "\(run)")
  }

  /// Two images in the middle are pipes that nobody writes to: with two workers everything stops
  /// there, so that the signal always comes in the middle of the work.
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGKILL])
  func anInterruptedBatchIsTakenUp(_ signal: Int32) throws {
    let scratch = try BatchImages.scratch()
    let whole = try scratch.run(batch("whole"))
    #expect(whole.exitCode == 0, "\(whole)")

    let held = try ["p3.png", "p4.png"].map { ("in/\($0)", try scratch.contents("in/\($0)")) }
    for (name, _) in held {
      unlink(scratch / name)
      #expect(mkfifo(scratch / name, 0o600) == 0)
    }
    let running = try RunningCommand(CommandRun.executable, batch("out"), in: scratch.path)
    try scratch.waitForFile(in: "out")
    running.send(signal)
    let run = try running.end()
    #expect(run.signal == signal, "\(run)")
    if signal != SIGKILL {
      #expect(run.errors.hasSuffix("with --resume does the rest\n"), "\(run)")
      #expect(run.errors.contains(" of 6 done"), "\(run)")
    }
    let made = scratch.contents(ofFolder: "out")
    #expect(!made.isEmpty && Set(made).isSubset(of: ["p1.png", "p2.png"]), "\(made)")
    for name in made {
      #expect(try scratch.contents("out/\(name)") == scratch.contents("whole/\(name)"), "\(name)")
    }

    for (name, bytes) in held {
      unlink(scratch / name)
      try scratch.add(name, bytes)
    }
    let rest = try scratch.run(batch("out", "--resume"))
    #expect(rest.exitCode == 0, "\(rest)")
    #expect(rest.errors.contains("\(6 - made.count) done, \(made.count) skipped"), "\(rest)")
    #expect(scratch.contents(ofFolder: "out") == names)
    for name in names {
      #expect(try scratch.contents("out/\(name)") == scratch.contents("whole/\(name)"), "\(name)")
    }
  }

  /// To programs too: what they read is what the process ends with.
  @Test(arguments: [SIGINT, SIGTERM])
  func anInterruptedBatchTellsTheExitCodeThatAShellSees(_ signal: Int32) throws {
    let scratch = try BatchImages.scratch()
    for name in ["in/p3.png", "in/p4.png"] {
      unlink(scratch / name)
      #expect(mkfifo(scratch / name, 0o600) == 0)
    }
    let running = try RunningCommand(
      CommandRun.executable, batch("out", "--json"), in: scratch.path)
    try scratch.waitForFile(in: "out")
    running.send(signal)
    let run = try running.end()
    #expect(run.signal == signal && run.output.isEmpty, "\(run)")
    #expect(run.errors.contains("\"exitCode\":\(128 + signal),"), "\(run)")
  }

  /// Two of the images are pipes, so that the batch has looked at what is there and waits; then
  /// somebody else makes one that it has not come to, and one that it is at.
  @Test func whatAnotherBatchHasMadeIsSkipped() throws {
    let scratch = try BatchImages.scratch()
    let held = try ["p1.png", "p2.png"].map { ("in/\($0)", try scratch.contents("in/\($0)")) }
    for (name, _) in held {
      unlink(scratch / name)
      #expect(mkfifo(scratch / name, 0o600) == 0)
    }
    let running = try RunningCommand(
      CommandRun.executable, batch("out", "--resume"), in: scratch.path)
    // A pipe opens once the batch reads it.
    let pipes = held.map { open(scratch / $0.0, O_WRONLY) }
    try scratch.add("out/p1.png", [1])
    try scratch.add("out/p5.png", [5])
    for (pipe, (_, bytes)) in zip(pipes, held) {
      #expect(bytes.withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) } == bytes.count)
      close(pipe)
    }
    let run = try running.end()
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.contains("4 done, 2 skipped (there already) in "), "\(run)")
    #expect(try scratch.contents("out/p1.png") == [1])
    #expect(try scratch.contents("out/p5.png") == [5])
  }

  /// A shell sees 128 and the signal's number, and a loop ends with the command.
  @Test func aShellSeesTheSignal() throws {
    let scratch = try BatchImages.scratch()
    let run = try scratch.shell(
      """
      mkfifo in/p0.png
      "$frostglass" blur in/p0.png out.png --sigma 3 &
      child=$!
      # Once the pipe has a reader, the command waits for its data; then the open ends.
      exec 3> in/p0.png
      kill -TERM $child; wait $child; echo $?
      """)
    #expect(run.text == "143\n", "\(run)")
    #expect(!scratch.names.contains("out.png"))
  }

  /// Processes that a shell starts in the background do not end with the command in the foreground.
  @Test func anIgnoredSignalStaysIgnored() throws {
    let scratch = try BatchImages.scratch()
    let run = try scratch.shell(
      """
      trap '' INT; mkfifo in/p0.png
      "$frostglass" blur in/p0.png out.png --sigma 3 &
      child=$!
      exec 3> in/p0.png
      kill -INT $child; cat in/p1.png >&3; exec 3>&-; wait $child; echo $?
      """)
    #expect(run.text == "0\n", "\(run)")
    #expect(scratch.names.contains("out.png"))
  }
}

extension Scratch {
  /// The contents of one of the folders, hidden files included.
  fileprivate func contents(ofFolder folder: String) -> [String] {
    names.filter { $0.hasPrefix(folder + "/") && $0 != folder + "/" }
      .map { String($0.dropFirst(folder.count + 1)) }
  }

  /// Waits until a folder has a file; a minute is for machines that have much else to do.
  fileprivate func waitForFile(in folder: String) throws {
    for _ in 0..<6000 {
      if !contents(ofFolder: folder).isEmpty { return }
      usleep(10_000)
    }
    throw SystemFailure(call: "readdir", code: ENOENT)
  }
}
