import Foundation
import TestSupport
import Testing

private let deploy = "\(Files.root)/deploy"

/// The files in deploy/ for systemd, by systemd's own tools and without systemd running.
@Suite(
  .enabled(
    if: RunningService.has("systemd-analyze", "systemd-socket-activate", "python3", "curl"),
    "needs systemd and curl"))
struct SystemdTests {
  private let scratch: Scratch
  /// The unit's lines, as `NAME=value`.
  private let lines: [Substring]

  init() throws {
    scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    try scratch.add("keys", Array("k1:0123456789abcdef0123\n".utf8))
    try scratch.add("serve.conf", Array("queue = 7\n".utf8))
    let unit = try #require(Files.text(of: "\(deploy)/frostglass.service"))
    lines = unit.split(separator: "\n")
    let program = "/usr/local/bin/frostglass"
    try #require(unit.contains("ExecStart=\(program) "))
    try scratch.add(
      "frostglass.service", Array(unit.replacing(program, with: CommandRun.executable).utf8))
    let socket = try #require(Files.text(of: "\(deploy)/frostglass.socket"))
    try scratch.add("frostglass.socket", Array(socket.utf8))
  }

  private func value(_ name: String) throws -> String {
    let line = try #require(lines.first { $0.hasPrefix("\(name)=") })
    return String(line.dropFirst(name.count + 1))
  }

  @Test func unitsAreUnderstoodAndLeaveLittleOpen() throws {
    let units = ["./frostglass.service", "./frostglass.socket"]
    let run = try CommandRun(
      "systemd-analyze", ["verify", "--man=no"] + units, in: scratch.path)
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
    func exposure(_ unit: String) throws -> CommandRun {
      try CommandRun(
        "systemd-analyze", ["security", "--offline=true", "--threshold=15", unit], in: scratch.path)
    }
    let security = try exposure(units[0])
    #expect(security.exitCode == 0, "\(security)")
    // Or it would take anything.
    let words = "[Service]\nExecStart=\(CommandRun.executable) serve\nNoSuchOption=1\n"
    try scratch.add("open.service", Array(words.utf8))
    let wrong = try CommandRun(
      "systemd-analyze", ["verify", "--man=no", "./open.service"], in: scratch.path)
    #expect(wrong.errors.contains("NoSuchOption"))
    #expect(try exposure("./open.service").exitCode != 0)
  }

  /// Starts the unit's command with a socket that another process listens on, behind the unit's filter of system
  /// calls.
  @Test func itAnswersOnSystemdsSocketWithTheCallsThatAreLeft() throws {
    try scratch.add("filter.py", Array(Self.filter.utf8))
    let start = try value("ExecStart").split(separator: " ").map(String.init)
    let words = start.dropFirst().map { $0.replacing("/etc/frostglass", with: scratch.path) }
    #expect(words.starts(with: ["serve", "--listen", "systemd"]))
    #expect(try value("Environment") == "FROSTGLASS_KEYS=%d/keys")
    let port = try freePort()
    let service = try RunningCommand(
      "systemd-socket-activate",
      [
        "-l", "127.0.0.1:\(port)", "-E", "FROSTGLASS_KEYS=\(scratch / "keys")", "python3",
        scratch / "filter.py", try value("SystemCallFilter"), CommandRun.executable,
      ] + words, in: scratch.path)
    let address = "http://127.0.0.1:\(port)"
    func ask(_ target: String, _ arguments: [String] = []) throws -> String {
      try CommandRun(
        "curl",
        [
          "-s", "--max-time", "60", "-o", "reply", "-w", "%{http_code} %{content_type}",
        ] + arguments + [address + target], in: scratch.path
      ).text
    }
    // The first one starts it.
    for _ in 0..<200 where try !ask("/health/live").hasPrefix("200") { usleep(50_000) }
    let picture = ["--data-binary", "@in.png"]
    #expect(try ask("/v1/blur?sigma=2", picture).hasPrefix("403"))
    for format in ["png", "avif", "jxl", "heic"] {
      let signed = try scratch.run(
        "sign", "--keys", "keys", "/v1/blur?sigma=2&format=\(format)")
      let answer = try ask(signed.text.filter { !$0.isNewline }, picture)
      #expect(answer == "200 image/\(format)", "\(service.errorsSoFar)")
    }
    service.send(SIGTERM)
    let end = try service.end()
    #expect(end.exitCode == 0, "\(end)")
    #expect(end.errors.contains(", seccomp, resource limits"), "\(end)")
    #expect(!end.errors.contains("ended by signal"), "\(end)")
  }

  /// Nobody else gets to a socket on loopback, so there is no need of keys.
  @Test func aSocketOnLoopbackNeedsNoKeys() throws {
    let port = try freePort()
    let service = try RunningCommand(
      "systemd-socket-activate",
      ["-l", "127.0.0.1:\(port)", CommandRun.executable, "serve", "--listen", "systemd"],
      in: scratch.path)
    func ask() throws -> String {
      try CommandRun(
        "curl",
        [
          "-s", "--max-time", "60", "-o", "reply", "-w", "%{http_code}", "--data-binary", "@in.png",
          "http://127.0.0.1:\(port)/v1/blur?sigma=2",
        ], in: scratch.path
      ).text
    }
    var status = ""
    for _ in 0..<200 where status != "200" {
      status = try ask()
      usleep(50_000)
    }
    #expect(status == "200", "\(service.errorsSoFar)")
    service.send(SIGTERM)
    #expect(try service.end().exitCode == 0)
  }

  /// Becomes a program that has only the system calls that a unit's line lets through.
  private static let filter = """
    import ctypes, errno, os, subprocess, sys
    seccomp = ctypes.CDLL("libseccomp.so.2")
    seccomp.seccomp_init.restype = ctypes.c_void_p
    def calls(word):
        if not word.startswith("@"):
            return {word}
        text = subprocess.check_output(["systemd-analyze", "syscall-filter", word], text=True)
        lines = [line.strip() for line in text.splitlines()[1:]]
        return set().union(*(calls(line) for line in lines if line and line[0] != "#"))
    filter = ctypes.c_void_p(seccomp.seccomp_init(0x00050000 | errno.EPERM))
    for name in set().union(*map(calls, sys.argv[1].split())):
        number = seccomp.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:
            assert seccomp.seccomp_rule_add_array(filter, 0x7FFF0000, number, 0, None) == 0
    assert seccomp.seccomp_load(filter) == 0
    # The process is the one that was started, with the socket that it was given.
    os.execv(sys.argv[2], sys.argv[2:])
    """
}

/// The files in deploy/ for Prometheus, by its own tool.
@Suite(.enabled(if: RunningService.has("promtool", "curl"), "needs promtool and curl"))
struct PrometheusTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func rulesAreUnderstoodAndWakeWhomTheyShould() throws {
    let rules = "\(deploy)/alerts.yaml"
    let check = try CommandRun("promtool", ["check", "rules", rules], in: scratch.path)
    #expect(check.exitCode == 0 && check.text.contains("SUCCESS"), "\(check)")
    func test(_ crashes: String) throws -> CommandRun {
      try scratch.add("test.yaml", Array(Self.test(rules, crashes).utf8))
      return try CommandRun("promtool", ["test", "rules", "test.yaml"], in: scratch.path)
    }
    let crashed = try test("0x10 1x20")
    #expect(crashed.exitCode == 0, "\(crashed)")
    // Or it would find anything.
    #expect(try test("0x30").exitCode != 0)
  }

  /// Ten minutes of a service that is ready, answers every tenth request with 500, and one of whose workers crashes.
  private static func test(_ rules: String, _ crashes: String) -> String {
    """
    rule_files: [\(rules)]
    evaluation_interval: 1m
    tests:
      - interval: 1m
        input_series:
          - {series: 'frostglass_worker_ends_total{instance="a",reason="crashed"}', values: "\(crashes)"}
          - {series: 'frostglass_worker_ends_total{instance="a",reason="served"}', values: "0+1x30"}
          - {series: 'frostglass_ready{instance="a"}', values: "1x30"}
          - {series: 'frostglass_requests_total{instance="a",job="frostglass",status="200"}', values: "0+90x30"}
          - {series: 'frostglass_requests_total{instance="a",job="frostglass",status="500"}', values: "0+10x30"}
        alert_rule_test:
          - alertname: FrostglassWorkersCrash
            eval_time: 15m
            exp_alerts:
              - exp_labels: {severity: page, instance: a, reason: crashed}
                exp_annotations: {summary: "a: a worker has crashed"}
          - {alertname: FrostglassNotReady, eval_time: 15m, exp_alerts: []}
          - alertname: FrostglassFails
            eval_time: 25m
            exp_alerts:
              - exp_labels: {severity: page, instance: a, job: frostglass}
                exp_annotations: {summary: "a answers 10% of all requests with 5xx"}
    """
  }

  /// Its linter has nothing to say of what the service answers.
  @Test func metricsAreWellFormed() throws {
    try scratch.add("in.png", SampleImage.file())
    let service = try RunningService(scratch)
    #expect(try service.waits("/health/ready") { $0.contains("\"ready\"") })
    let picture = ["--data-binary", "@\(scratch / "in.png")"]
    #expect(try service.curl("/v1/blur?sigma=2", picture).status == 200)
    try scratch.add("metrics", try service.curl("/metrics").body)
    let lint = try scratch.shell("promtool check metrics < metrics")
    #expect(lint.exitCode == 0 && lint.text.isEmpty && lint.errors.isEmpty, "\(lint)")
    service.send(SIGTERM)
    #expect(try service.end().exitCode == 0)
  }
}

/// The files in deploy/ for containers, without anything that runs containers.
@Suite struct ContainerTests {
  private static let compose = "\(deploy)/compose.yaml"
  private static let validator = "\(Files.root)/.build/service-venv/bin/kubernetes-validate"
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(
    .enabled(if: RunningService.has("docker-compose", "python3", "curl"), "needs docker-compose"))
  func composeTakesItsFileAndItsHealthCheckTellsHealth() throws {
    let arguments = ["-f", Self.compose, "config"]
    let refused = try CommandRun(
      "docker-compose", arguments, in: scratch.path,
      environment: ["FROSTGLASS_SIGNING_KEYS": ""])
    #expect(refused.exitCode != 0 && refused.errors.contains("FROSTGLASS_SIGNING_KEYS"))
    let keys = "k1:0123456789abcdef0123"
    let run = try CommandRun(
      "docker-compose", arguments, in: scratch.path,
      environment: ["FROSTGLASS_SIGNING_KEYS": keys])
    #expect(run.exitCode == 0, "\(run)")
    // As Compose understood it.
    let service = try frostglass(in: run.output, "['services']['frostglass']")
    let command = try #require(service["command"] as? [String])
    try check(command, memory: try #require(service["mem_limit"] as? String))
    let health = try #require(service["healthcheck"] as? [String: Any])
    let test = try #require(health["test"] as? [String])
    #expect(test.first == "CMD")
    let image = try imageHealthCheck()
    let running = try RunningService(scratch)
    let port = try #require(running.address.split(separator: ":").last)
    #expect(try running.waits("/health/ready") { $0.contains("\"ready\"") })
    func isHealthy(_ check: [String]) throws -> Bool {
      // Compose doubles what would be a variable of its own.
      let words = check.map {
        $0.replacing("$$", with: "$").replacing("/8080", with: "/\(port)")
          .replacing("/proc/1/cmdline", with: scratch / "words")
      }
      return try CommandRun(words[0], Array(words.dropFirst()), in: scratch.path).exitCode == 0
    }
    try scratch.add("words", Array("frostglass\0serve\0--listen\0".utf8))
    #expect(try isHealthy(Array(test.dropFirst())))
    #expect(try isHealthy(image))
    running.send(SIGTERM)
    _ = try running.end()
    #expect(try !isHealthy(Array(test.dropFirst())))
    #expect(try !isHealthy(image))
    // A container that blurs one file is no service.
    try scratch.add("words", Array("frostglass\0blur\0serve.jpg\0".utf8))
    #expect(try isHealthy(image))
  }

  /// Returns the command of the image's default health check.
  private func imageHealthCheck() throws -> [String] {
    let text = try #require(Files.text(of: "\(Files.root)/Dockerfile"))
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("HEALTHCHECK ") })
    let words = try #require(line.firstIndex(of: "[").map { line[$0...] })
    return try JSONDecoder().decode([String].self, from: Data(words.utf8))
  }

  @Test(.enabled(if: access(validator, X_OK) == 0, "needs scripts/service-venv.sh"))
  func kubernetesTakesItsManifests() throws {
    let path = "\(deploy)/kubernetes.yaml"
    let run = try CommandRun(Self.validator, ["--strict", path], in: scratch.path)
    #expect(run.exitCode == 0, "\(run)")
    // Or it would take anything.
    let text = try #require(Files.text(of: path))
    try scratch.add("broken.yaml", Array(text.replacing("replicas: 2", with: "replicas: two").utf8))
    try scratch.add("unknown.yaml", Array(text.replacing("replicas:", with: "copies:").utf8))
    for file in ["broken.yaml", "unknown.yaml"] {
      #expect(try CommandRun(Self.validator, ["--strict", file], in: scratch.path).exitCode != 0)
    }
    let pod = try frostglass(
      in: Array(text.split(separator: "\n---")[0].utf8), "['spec']['template']['spec']",
      "\(Files.root)/.build/service-venv/bin/python")
    let container = try #require((pod["containers"] as? [[String: Any]])?.first)
    let limits = (container["resources"] as? [String: Any])?["limits"] as? [String: Any]
    let memory = try #require(limits?["memory"] as? String)
    try check(try #require(container["args"] as? [String]), memory: memory)
    let running = try RunningService(scratch)
    for probe in ["livenessProbe", "readinessProbe"] {
      let request = try #require(
        (container[probe] as? [String: Any])?["httpGet"] as? [String: Any])
      let path = try #require(request["path"] as? String)
      #expect(try running.waits(path) { $0.contains("\"live\"") || $0.contains("\"ready\"") })
    }
    running.send(SIGTERM)
    #expect(try running.end().exitCode == 0)
  }

  /// Each index of the job is a part of the list, and together they are all of it.
  @Test(.enabled(if: access(validator, X_OK) == 0, "needs scripts/service-venv.sh"))
  func kubernetesTakesTheJobAndItsCommandRuns() throws {
    let path = "\(deploy)/kubernetes-job.yaml"
    let run = try CommandRun(Self.validator, ["--strict", path], in: scratch.path)
    #expect(run.exitCode == 0, "\(run)")
    let job = try frostglass(
      in: Array(try #require(Files.text(of: path)).utf8), "['spec']",
      "\(Files.root)/.build/service-venv/bin/python")
    let pod = try #require((job["template"] as? [String: Any])?["spec"] as? [String: Any])
    let container = try #require((pod["containers"] as? [[String: Any]])?.first)
    #expect(container["command"] as? [String] == ["sh", "-c"])
    let script = try #require((container["args"] as? [String])?.first)
    #expect(script.contains("/\(try #require(job["completions"] as? Int))\""))
    for index in 0..<10 { try scratch.add("\(index).png", SampleImage.file()) }
    try scratch.add("list.jsonl", Array((0..<10).map { "\($0).png\n" }.joined().utf8))
    for index in 0..<4 {
      let part = try scratch.shell(
        "PATH=\"$(dirname \"$frostglass\"):$PATH\"; \(script.replacing("/64", with: "/4"))",
        environment: ["JOB_COMPLETION_INDEX": "\(index)"])
      #expect(part.exitCode == 0, "\(part)")
    }
    let made = scratch.names.filter { $0.hasPrefix("blurred/") && $0.hasSuffix(".png") }
    #expect(made.count == 10)
  }

  /// A part of a YAML document.
  private func frostglass(
    in document: [UInt8], _ place: String, _ python: String = "python3"
  ) throws -> [String: Any] {
    try scratch.add("document.yaml", document)
    let run = try CommandRun(
      python,
      [
        "-c", "import json, yaml; print(json.dumps(yaml.safe_load(open('document.yaml'))\(place)))",
      ],
      in: scratch.path)
    #expect(run.exitCode == 0, "\(run)")
    return try #require(
      try JSONSerialization.jsonObject(with: Data(run.output)) as? [String: Any])
  }

  /// The service knows all of these words, and all its workers, that for scenes among them, have memory.
  private func check(_ command: [String], memory: String) throws {
    #expect(command.first == "serve" && command.contains("--workers"))
    let run = try scratch.run(command + ["--print-config"])
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.text.contains("listen = 0.0.0.0:8080\n"))
    let place = try #require(command.firstIndex(of: "--workers"))
    let workers = try #require(Int(command[place + 1]))
    // 1.5 GiB each, and 0.5 GiB for bodies.
    let number = try #require(Int(memory.prefix { $0.isNumber }))
    let bytes = ["g", "Gi"].contains { memory.hasSuffix($0) } ? number << 30 : number
    #expect(bytes >= (3 * (workers + 1) + 1) << 29, "\(memory)")
  }
}

/// Returns a free port of loopback.
private func freePort() throws -> Int {
  let run = try CommandRun(
    "python3",
    [
      "-c",
      "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])",
    ], in: "/tmp")
  return try #require(Int(run.text.filter { !$0.isNewline }))
}
