import FrostglassCore
import FrostglassStills
import Glibc
import TestSupport
import Testing

/// The service as a process: how it starts, what it answers, and how it ends.
@Suite(.enabled(if: RunningService.has("curl"), "needs curl")) struct ServeCommandTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
  }

  @Test func itStartsBlursAndEnds() throws {
    let service = try RunningService(scratch)
    #expect(service.address.hasPrefix("http://127.0.0.1:"))
    let reply = try service.curl("/v1/blur?sigma=2", ["--data-binary", "@in.png"])
    #expect(reply.status == 200)
    #expect(StillFormat(signature: reply.body) == .png)
    // Its first try of itself may take longer than a client's request.
    #expect(try service.waits("/health/ready") { $0.contains("\"ready\"") })
    service.send(SIGTERM)
    let run = try service.end()
    #expect(run.exitCode == 0 && run.output.isEmpty, "\(run)")
  }

  /// The same image as the command makes.
  @Test func itAnswersWhatTheCommandWrites() throws {
    let service = try RunningService(scratch)
    let reply = try service.curl(
      "/v1/blur?filter=blur(3px)%20saturate(180%25)&edge=mirror", ["--data-binary", "@in.png"])
    let run = try scratch.run(
      "blur", "in.png", "out.png", "--filter", "blur(3px) saturate(180%)", "--edge", "mirror",
      "--strip", "--backend", "fast")
    #expect(run.exitCode == 0, "\(run)")
    try scratch.add("reply.png", reply.body)
    #expect(
      try scratch.picture("reply.png").image.bytes == scratch.picture("out.png").image.bytes)
  }

  @Test func aSlowUploadIsAnsweredAfterSIGTERM() throws {
    let service = try RunningService(scratch)
    try scratch.add("large.bmp", [UInt8](repeating: 0, count: 200_000))
    let upload = try RunningCommand(
      "curl",
      [
        "-s", "-w", "%{http_code}", "-o", "reply", "--limit-rate", "100K", "--data-binary",
        "@large.bmp", service.address + "/v1/blur?sigma=2",
      ], in: scratch.path)
    #expect(try service.waits("/metrics") { !$0.contains("frostglass_body_bytes 0\n") })
    service.send(SIGTERM)
    // It is no image, which is said when all of it is there.
    #expect(try upload.end().text == "415")
    #expect(try service.end().exitCode == 0)
  }

  @Test func theSecondSIGTERMEndsItAtOnce() throws {
    let service = try RunningService(scratch)
    let endless = try RunningCommand(
      "bash",
      [
        "-c",
        "exec 3<>/dev/tcp/127.0.0.1/\(service.address.split(separator: ":").last ?? "");"
          + "printf 'POST /v1/blur HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 9\\r\\n\\r\\nPart' >&3;"
          + "sleep 600",
      ], in: scratch.path)
    #expect(try service.waits("/metrics") { $0.contains("frostglass_body_bytes 4\n") })
    service.send(SIGTERM)
    for _ in 0..<1200 where !service.errors.contains("shutting down") { usleep(50_000) }
    service.send(SIGTERM)
    #expect(try service.end().signal == SIGTERM)
    endless.send(SIGKILL)
    _ = try endless.end()
  }

  /// Keys and presets are read anew; what is broken changes nothing, and other signals end nothing.
  @Test func reloadingTakesNewKeysAndPresets() throws {
    func preset(_ name: String, _ text: String) throws {
      try scratch.add("presets/\(name).json", Array(text.utf8))
    }
    try scratch.addFolder("presets")
    let soft = try scratch.run("blur", "--sigma", "2", "--save-preset", "presets/soft.json")
    #expect(soft.exitCode == 0, "\(soft)")
    try scratch.add("keys", Array("k1:0123456789abcdef0123\n".utf8))
    let service = try RunningService(scratch, ["--presets", "presets", "--keys", "keys"])
    func reload(_ count: Int) throws {
      service.send(SIGHUP)
      for _ in 0..<1200
      where service.errors.ranges(of: "keys and presets").count < count {
        usleep(50_000)
      }
    }
    func ask(_ keys: String, _ name: String) throws -> Int {
      let signed = try scratch.run("sign", "--keys", keys, "/v1/blur?preset=\(name)")
      return try service.curl(
        signed.text.filter { !$0.isNewline }, ["--data-binary", "@in.png"]
      ).status
    }
    #expect(try ask("keys", "soft") == 200 && ask("keys", "other") == 400)
    for signal in [SIGUSR1, SIGUSR2] { service.send(signal) }
    try scratch.add("old", Array("k1:0123456789abcdef0123\n".utf8))
    try scratch.add("keys", Array("k2:abcdef0123456789abcd\n".utf8))
    try scratch.add(
      "presets/other.json", try #require(Files.bytes(of: scratch / "presets/soft.json")))
    try reload(1)
    #expect(try ask("keys", "other") == 200 && ask("old", "other") == 403)
    #expect(try service.waits("/v1/presets") { $0.contains("other") })
    try preset("other", "{")
    try reload(2)
    #expect(service.errors.contains("were not reloaded"))
    #expect(try ask("keys", "other") == 200)
    service.send(SIGTERM)
    #expect(try service.end().exitCode == 0)
  }

  /// A configuration that starts passes the check, another one fails with the reason. A service that already runs
  /// there is no error.
  @Test func aCheckedConfigurationStarts() throws {
    try scratch.addFolder("pictures")
    try scratch.addFolder("presets")
    let good = ["--listen", "127.0.0.1:0", "--pictures", "pictures", "--presets", "presets"]
    let run = try scratch.run(["serve", "--check-config"] + good)
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
    let service = try RunningService(scratch)
    let port = service.address.split(separator: ":").last ?? ""
    #expect(
      try scratch.run(["serve", "--check-config", "--listen", "127.0.0.1:\(port)"]).exitCode == 0)
    service.send(SIGTERM)
    #expect(try service.end().exitCode == 0)
    try scratch.add("presets/broken.json", Array("{".utf8))
    for (options, words) in [
      (["--listen", "0.0.0.0:0"], "no keys"), (["--pictures", "nowhere"], "no such folder"),
      (["--presets", "presets"], "broken.json"),
      (["--listen", "203.0.113.1:80", "--keys", "keys"], "keys"),
      (["--listen", "unix:/nowhere/s"], "cannot be bound"),
      (["--backend", "reference"], "--workers 0"),
      (["--listen", "example.org:80", "--workers", "0"], "example.org"),
    ] {
      let refused = try scratch.run(["serve", "--check-config"] + options)
      #expect(refused.exitCode != 0 && refused.errors.contains(words), "\(options): \(refused)")
    }
  }

  @Test func unixSocketsServeAndGo() throws {
    let path = scratch / "s.sock"
    let service = try RunningService(scratch, listen: "unix:\(path)")
    #expect(service.address == "unix:\(path)")
    let run = try CommandRun(
      "curl", ["-s", "--unix-socket", path, "http://localhost/health/live"], in: scratch.path)
    #expect(run.text == "{\"status\":\"live\"}")
    service.send(SIGKILL)
    _ = try service.end()
    // What a killed one has left is no obstacle.
    let next = try RunningService(scratch, listen: "unix:\(path)")
    next.send(SIGTERM)
    let end = try next.end()
    #expect(end.exitCode == 0, "\(end)")
    #expect(access(path, F_OK) != 0)
  }

  @Test func signedAddressesHold() throws {
    try scratch.add("keys", Array("# mine\nk1:0123456789abcdef0123\n".utf8))
    let service = try RunningService(scratch, ["--keys", "keys"])
    let post = ["--data-binary", "@in.png"]
    #expect(try service.curl("/v1/blur?sigma=2", post).status == 403)
    let signed = try scratch.run("sign", "--keys", "keys", "/v1/blur?sigma=2")
    #expect(signed.exitCode == 0, "\(signed)")
    let target = signed.text.filter { !$0.isNewline }
    #expect(try service.curl(target, post).status == 200)
    #expect(try service.curl(target.replacing("sigma=2", with: "sigma=3"), post).status == 403)
    let url = try scratch.run("sign", "--keys", "keys", service.address + "/v1/blur?sigma=2")
    #expect(url.text.hasPrefix(service.address + "/v1/blur?sigma=2&expires="))
  }

  @Test func addressesBehindAPrefixAreSigned() throws {
    try scratch.add("keys", Array("k1:0123456789abcdef0123\n".utf8))
    try scratch.addFolder("pictures")
    try scratch.add("pictures/a.png", SampleImage.file())
    let service = try RunningService(
      scratch, ["--keys", "keys", "--pictures", "pictures", "--path-prefix", "/img"])
    for (address, options) in [
      ("/img/v1/pictures/a.png?sigma=2", []),
      ("/img/v1/blur?sigma=2", ["--data-binary", "@in.png"]),
    ] {
      let signed = try scratch.run("sign", "--keys", "keys", address)
      let target = signed.text.filter { !$0.isNewline }
      #expect(try service.curl(target, options).status == 200, "\(address)")
      #expect(try service.curl(String(target.dropFirst(4)), options).status == 404, "\(address)")
    }
  }

  @Test(arguments: [
    ("/v1/pictures/a b.jpg", "a space", "%20"), ("/v1/pictures/é.jpg", "é", "%C3%A9"),
    ("/v1/pictures/a\t.jpg", "a control character", "%09"),
  ])
  func whatNoRequestCanHaveIsNotSigned(_ address: String, _ what: String, _ code: String) throws {
    try scratch.add("keys", Array("k1:0123456789abcdef0123\n".utf8))
    try scratch.refusal(
      ["sign", "--keys", "keys", address], exit: 64, [what, "percent-encode", code])
  }

  @Test func whatIsWrongIsSaidBeforeItStarts() throws {
    try scratch.addFolder("broken")
    try scratch.add("broken/p.json", Array("{".utf8))
    let cases: [([String], Int32, String)] = [
      (["serve", "--listen", "0.0.0.0:0"], 69, "keys"),
      (["serve", "--listen", "nowhere"], 64, "HOST:PORT"),
      (["serve", "--queue", "-1"], 64, "queue"),
      (["serve", "extra"], 64, "operands"),
      (["serve", "--pictures", "/nowhere", "--listen", "127.0.0.1:0"], 66, "/nowhere"),
      (["serve", "--presets", "/nowhere", "--listen", "127.0.0.1:0"], 66, "/nowhere"),
      (["serve", "--presets", "broken", "--listen", "127.0.0.1:0"], 65, "broken/p.json"),
      (["serve", "--config", "/nowhere"], 66, "/nowhere"),
      (["serve", "--worker-memory", "1M"], 64, "256M"),
      (["sign", "/v1/blur"], 64, "--keys"),
      (["sign", "--keys", "/nowhere", "/v1/blur"], 66, "/nowhere"),
    ]
    for (arguments, code, word) in cases {
      let run = try scratch.run(arguments)
      #expect(run.exitCode == code, "\(arguments): \(run)")
      #expect(run.errors.contains(word), "\(run)")
    }
  }

  @Test func decisionsArePrinted() throws {
    try scratch.add("serve.conf", Array("queue = 7\nmax-body = 2M\n".utf8))
    let run = try scratch.run(
      ["serve", "--print-config", "--config", "serve.conf", "--max-body", "3M"],
      environment: ["FROSTGLASS_SECONDS": "5"])
    #expect(run.exitCode == 0, "\(run)")
    for line in ["queue = 7", "max-body = 3145728", "seconds = 5.0", "listen = 127.0.0.1:8080"] {
      #expect(run.text.contains(line + "\n"), "\(line)")
    }
    // What computes, too, which is looked at as on a command line.
    let other = try scratch.run(
      ["serve", "--workers", "2"], environment: ["FROSTGLASS_BACKEND": "reference"])
    #expect(other.exitCode == 64 && other.errors.contains("--workers 0"), "\(other)")
    try scratch.add("serve.conf", Array("backend = fast\ndevice = 0\n".utf8))
    let both = try scratch.run(["serve", "--config", "serve.conf"])
    #expect(both.exitCode == 64 && both.errors.contains("exclude each other"), "\(both)")
  }

  /// The page names the options that the file has no place for, and no others.
  @Test func whatTheFileDoesNotTakeIsDocumented() throws {
    let help = try scratch.run("serve", "--help").text
    let options = help.split(separator: "\n").filter { $0.hasPrefix("  --") }
      .map { $0.dropFirst(4).prefix { $0.isLetter || $0 == "-" } }
    #expect(options.count > 25, "\(help)")
    let refused = try options.filter { option in
      try scratch.add("serve.conf", Array("\(option) =\n".utf8))
      let run = try scratch.run("serve", "--print-config", "--config", "serve.conf")
      return run.errors.contains("there is no option \(option)")
    }
    let page = try #require(Files.text(of: "\(Files.root)/docs/operate/service.md"))
    let end = try #require(page.firstRange(of: " are not in that file"))
    let sentence = page[..<end.lowerBound].split(separator: "\n").last ?? ""
    let named = sentence.split(separator: "`").filter { $0.hasPrefix("--") }.map { $0.dropFirst(2) }
    #expect(Set(refused) == Set(named))
  }

  @Test func aSwitchOfTheEnvironmentIsTurnedOff() throws {
    try scratch.addFolder("presets")
    let words = ["serve", "--print-config", "--presets", "presets"]
    let environment = ["FROSTGLASS_PRESETS_ONLY": "on"]
    let on = try scratch.run(words, environment: environment)
    #expect(on.exitCode == 0 && on.text.contains("presets-only = true\n"), "\(on)")
    let off = try scratch.run(words + ["--presets-only=off"], environment: environment)
    #expect(off.exitCode == 0 && off.text.contains("presets-only = false\n"), "\(off)")
    let flag = try scratch.run(words + ["--presets-only", "--queue", "3"])
    #expect(flag.exitCode == 0 && flag.text.contains("presets-only = true\n"), "\(flag)")
  }

  /// Bombs are refused before memory is spent on them.
  @Test func bombsCostNoMemory() throws {
    try scratch.add("30000.png", PNGBomb.file(width: 30_000, height: 30_000))
    try scratch.add("9000.png", PNGBomb.file(width: 9_000, height: 9_000))
    func touched(_ files: [String]) throws -> Int {
      let service = try RunningService(scratch, ["--workers", "0"])
      for file in files {
        let reply = try service.curl("/v1/blur?sigma=2", ["--data-binary", "@\(file)"])
        #expect(reply.status == (file == "in.png" ? 200 : 413))
      }
      service.send(SIGTERM)
      return try service.end().memoryTouched
    }
    let usual = try touched(["in.png", "in.png", "in.png", "in.png"])
    let bombs = try touched(["30000.png", "9000.png", "30000.png", "9000.png"])
    // 81 million pixels are 243 MB.
    #expect(bombs < usual + 32 << 20, "\(bombs) after \(usual)")
  }
}
