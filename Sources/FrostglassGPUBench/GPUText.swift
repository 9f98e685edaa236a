internal import FrostglassBackends
internal import FrostglassBench
internal import FrostglassGL
internal import Glibc

/// What a filter took on the device.
struct FilterRow {
  /// As text.
  var filter: String
  /// Once, with programs that were compiled for it.
  var first: Duration
  var time: GLTime
  /// A copy of the frame.
  var copy: Duration
}

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

  static let heading = """
    | stage | σ | on the device, ms | its clock, ms | copy there, ms | copies | \
    streamed, ms a frame | without a blur, ms | ratio |
    |---|---:|---:|---:|---:|---:|---:|---:|---:|
    """

  static let floorHeading = """
    | stage | asking for one pixel, ms | its clock, ms | copy, ms | its clock, ms | \
    copy by a pass, ms | its clock, ms |
    |---|---:|---:|---:|---:|---:|---:|
    """

  static let filterHeading = """
    | stage | filter | first run, ms | on the device, ms | its clock, ms | copies |
    |---|---|---:|---:|---:|---:|
    """

  static func line(_ row: FilterRow, _ stage: GLOptions.Stage) -> String {
    let cells = [
      "\(stage)", "`\(row.filter)`", milliseconds(row.first), milliseconds(row.time.wall),
      row.time.device.map(milliseconds) ?? "–", fixed(row.time.wall / row.copy, 2),
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  static func line(_ floor: DeviceFloor, _ stage: GLOptions.Stage) -> String {
    let times = [floor.submission, floor.copy, floor.drawnCopy].flatMap {
      [milliseconds($0.wall), $0.device.map(milliseconds) ?? "–"]
    }
    return "| \(stage) | \(times.joined(separator: " | ")) |"
  }

  static let drawHeading = """
    | of | draw | makes | alone, ms | its clock, ms | moves, MB | GB/s |
    |---|---|---:|---:|---:|---:|---:|
    """

  /// - Parameter name: of what the draw is a part.
  static func line(_ draw: DeviceDraw, of name: String) -> String {
    let (time, bytes) = (draw.time.time, draw.movedBytes.map(Double.init))
    let seconds = (time.device ?? time.wall) / .seconds(1)
    let cells = [
      name, draw.time.name, "\(draw.time.size)", milliseconds(time.wall),
      time.device.map(milliseconds) ?? "–", bytes.map { fixed($0 / 1e6, 2) } ?? "–",
      bytes.map { fixed($0 / 1e9 / max(seconds, 1e-9), 2) } ?? "–",
    ]
    return "| \(cells.joined(separator: " | ")) |"
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
