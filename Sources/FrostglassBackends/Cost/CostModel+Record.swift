internal import FrostglassGL

extension CostModel {
  private static let kind = "costs"

  /// What costs are remembered by: the machine, and which of its GPUs are used and how, where that
  /// is not left to Frostglass.
  ///
  /// - Parameter fingerprint: the GPUs and drivers, as they can be told without starting any.
  package static func place(_ fingerprint: String, _ options: BackendOptions) -> String {
    var lines = [fingerprint]
    if let devices = options.devices { lines.append("devices \(devices)") }
    if options.gl.device != .automatic { lines.append("device \(options.gl.device)") }
    if options.gl.stage != .automatic { lines.append("stage \(options.gl.stage)") }
    return lines.joined(separator: "\n")
  }

  /// What was measured earlier in this place; `nil` where nothing was, or it cannot be read.
  package static func remembered(_ place: String, in directory: String?) -> CostModel? {
    guard let directory,
      let record = CacheRecord(kind, of: subject(place), in: CacheDirectory(directory)),
      let fast = BackendCosts(record, "fast"), let gl = BackendCosts(record, "gl"),
      let threads = record.number("threads"), (1...65_536).contains(threads),
      let identity = record.values["identity"]
    else { return nil }
    return CostModel(fast: fast, threads: Int(threads), gl: gl, identity: identity)
  }

  /// Keeps what was measured, where that is possible.
  package func remember(_ place: String, in directory: String?) {
    guard let directory, let identity else { return }
    var record = CacheRecord(subject: CostModel.subject(place))
    record.values["threads"] = "\(threads)"
    record.values["identity"] = CostModel.line(identity)
    fast.write(to: &record, "fast")
    gl.write(to: &record, "gl")
    record.keep(as: CostModel.kind, in: CacheDirectory(directory))
  }

  /// Whether these are the costs of a device with a driver.
  package func isOf(_ identity: String) -> Bool {
    self.identity.map(CostModel.line) == CostModel.line(identity)
  }

  private static func subject(_ place: String) -> String {
    "\(place)\nfrostglass \(Version.current)"
  }

  private static func line(_ text: String) -> String {
    text.split { $0.isNewline || $0 == "\t" }.joined(separator: " | ")
  }
}

extension BackendCosts {
  fileprivate init?(_ record: CacheRecord, _ name: String) {
    let numbers = ["startUp", "perJob", "perMegabyte", "perGiga"].compactMap { part in
      record.number("\(name).\(part)").flatMap { $0 >= 0 ? $0 : nil }
    }
    guard numbers.count == 4 else { return nil }
    self.init(
      startUp: numbers[0], perJob: numbers[1], perMegabyte: numbers[2], perGiga: numbers[3])
  }

  fileprivate func write(to record: inout CacheRecord, _ name: String) {
    record.values["\(name).startUp"] = "\(startUp)"
    record.values["\(name).perJob"] = "\(perJob)"
    record.values["\(name).perMegabyte"] = "\(perMegabyte)"
    record.values["\(name).perGiga"] = "\(perGiga)"
  }
}
