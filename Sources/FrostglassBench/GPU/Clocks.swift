internal import Glibc

/// The machine's current clock rates, as far as it reports them: times mean little without.
enum Clocks {
  static var now: String {
    let known = [processor, nvidia, amd, intel].compactMap { $0 }
    return known.isEmpty ? "this machine tells no clocks" : known.joined(separator: "; ")
  }

  private static var processor: String? {
    let speeds = lines(of: "/proc/cpuinfo").filter { $0.hasPrefix("cpu MHz") }.compactMap {
      $0.split(separator: ":").last.flatMap { Double($0.drop { $0 == " " }) }
    }
    guard let least = speeds.min(), let most = speeds.max() else { return nil }
    let words = least == most ? "\(Int(most))" : "\(Int(least)) to \(Int(most))"
    return "\(speeds.count) processors at \(words) MHz"
  }

  /// The current and highest clock rates that `nvidia-smi` reports.
  private static var nvidia: String? {
    let fields = "clocks.sm,clocks.max.sm,clocks.mem,clocks.max.mem,clocks_throttle_reasons.active"
    guard
      let pipe = popen("nvidia-smi --query-gpu=\(fields) --format=csv,noheader 2>/dev/null", "r")
    else { return nil }
    defer { pclose(pipe) }
    let found = lines(of: pipe)
    guard !found.isEmpty else { return nil }
    return "GPU at (now, most; memory now, most; what holds it back) "
      + found.joined(separator: " and ")
  }

  /// The step that the driver is at, marked with a star.
  private static var amd: String? {
    first("pp_dpm_sclk") { $0.first { $0.hasSuffix("*") } }.map { "GPU at step \($0)" }
  }

  private static var intel: String? {
    first("../gt_cur_freq_mhz") { $0.first }.map { "GPU at \($0) MHz" }
  }

  private static func first(_ file: String, _ pick: ([String]) -> String?) -> String? {
    (0..<8).compactMap { pick(lines(of: "/sys/class/drm/card\($0)/device/\(file)")) }.first
  }

  private static func lines(of path: String) -> [String] {
    guard let file = fopen(path, "re") else { return [] }
    defer { fclose(file) }
    return lines(of: file)
  }

  private static func lines(of file: UnsafeMutablePointer<FILE>) -> [String] {
    var lines: [String] = []
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, Int32(line.count), file) != nil {
      let bytes = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
      lines.append(String(decoding: bytes, as: UTF8.self))
    }
    return lines
  }
}
