internal import FrostglassBackends
internal import FrostglassGL
internal import Glibc

/// Writes what was measured.
enum GPUText {
  /// Prints a line at once, for whoever watches.
  static func say(_ line: String) { put(line, to: STDOUT_FILENO) }

  static func complain(_ line: String) { put(line, to: STDERR_FILENO) }

  private static func put(_ line: String, to file: Int32) {
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }

  static func line(_ row: DeviceRow, _ stage: GLOptions.Stage, _ sigma: Double) -> String {
    let cells = [
      "\(stage)", "\(sigma)", milliseconds(row.blur.wall),
      row.blur.device.map(milliseconds) ?? "–", milliseconds(row.copy.wall), fixed(row.ratio, 2),
      milliseconds(row.streamed), milliseconds(row.transfer), fixed(row.streamed / row.transfer, 2),
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  static func json(_ row: DeviceRow, _ stage: GLOptions.Stage, _ sigma: Double) -> String {
    let clock = row.blur.device.map(milliseconds) ?? "null"
    return
      "{\"stage\":\"\(stage.rawValue)\",\"sigma\":\(sigma),\"device_ms\":\(milliseconds(row.blur.wall)),"
      + "\"device_clock_ms\":\(clock),\"device_copy_ms\":\(milliseconds(row.copy.wall)),"
      + "\"streamed_ms\":\(milliseconds(row.streamed)),"
      + "\"transfer_ms\":\(milliseconds(row.transfer)),\"moved_bytes\":\(row.movedBytes)}"
  }

  private static func milliseconds(_ duration: Duration) -> String {
    fixed(duration / .milliseconds(1), 4)
  }

  /// A number with so many decimals.
  static func fixed(_ value: Double, _ places: Int) -> String {
    let scale = (0..<places).reduce(1.0) { power, _ in power * 10 }
    let whole = Int((value * scale).rounded())
    let digits = String(whole)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    return padded.dropLast(places) + "." + padded.suffix(places)
  }
}
