internal import FrostglassCore
internal import FrostglassGL
internal import Glibc

/// A filter's times on the device.
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
    _ = Array((line + "\n").utf8).withUnsafeBytes { writeAll($0, to: file) }
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
      row.time.device.map(milliseconds) ?? "–", (row.time.wall / row.copy).text(places: 2),
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
      time.device.map(milliseconds) ?? "–", bytes.map { ($0 / 1e6).text(places: 2) } ?? "–",
      bytes.map { ($0 / 1e9 / max(seconds, 1e-9)).text(places: 2) } ?? "–",
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  static func line(_ row: DeviceRow, _ stage: GLOptions.Stage, _ sigma: Double) -> String {
    let cells = [
      "\(stage)", "\(sigma)", milliseconds(row.blur.wall),
      row.blur.device.map(milliseconds) ?? "–", milliseconds(row.copy.wall),
      row.ratio.text(places: 2),
      milliseconds(row.streamed), milliseconds(row.transfer),
      (row.streamed / row.transfer).text(places: 2),
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  static func json(_ row: DeviceRow, _ stage: GLOptions.Stage, _ sigma: Double) -> String {
    JSONText.object(
      [("stage", JSONText.string(stage.rawValue)), ("sigma", "\(sigma)")] + BenchText.device(row))
  }

  private static func milliseconds(_ duration: Duration) -> String {
    (duration / .milliseconds(1)).text(places: 4)
  }
}
