import FrostglassCore
import Glibc
import Testing

/// Changes in the middle of a video: its clock, the shape of its pixels, its range.
@Suite(.enabled(if: Scratch.hasFFmpeg, "there is no ffmpeg")) struct VideoChangesTests {
  private static func part(_ name: String, at seconds: Int, _ words: String = "") -> String {
    "-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -f lavfi -i sine=d=0.4 -c:v libx264 -preset ultrafast -bf 2 "
      + "-pix_fmt yuv420p -c:a aac \(words) -output_ts_offset \(seconds) \(name).ts"
  }

  /// Parts of a transport stream, by when their clocks begin: ahead, back, the same again, and where it wraps.
  private static let clocks = [
    [1000, 5], [5, 1000], [1000, 5, 3000], [7, 7], [5, 1000, 5, 1000, 5], [95_443], [95_443, 10],
  ]

  /// Joins parts of a transport stream without a gap in the packet counts.
  private func join(_ scratch: Scratch, _ names: [String]) throws {
    var bytes = try names.flatMap { try scratch.contents("\($0).ts") }
    var counts: [Int: UInt8] = [:]
    for place in stride(from: 0, to: bytes.count, by: 188) where bytes[place + 3] & 0x10 != 0 {
      let packets = Int(bytes[place + 1] & 0x1F) << 8 | Int(bytes[place + 2])
      let count = counts[packets].map { ($0 + 1) & 15 } ?? bytes[place + 3] & 15
      counts[packets] = count
      bytes[place + 3] = bytes[place + 3] & 0xF0 | count
    }
    try scratch.add("in.ts", bytes)
  }

  /// Frames and sound go on where the clock of a transport stream jumps, and stay together.
  @Test(arguments: clocks) func aClockThatJumpsIsFollowed(_ starts: [Int]) throws {
    let names = starts.indices.map { "p\($0)" }
    let scratch = try Scratch(ffmpeg: zip(names, starts).map { Self.part($0, at: $1) })
    try join(scratch, names)
    let run = try scratch.shell(
      """
      "$frostglass" video in.ts out.mkv --sigma 1 --speed ultrafast --backend fast && \
      for kind in v a; do ffprobe -v error -select_streams $kind -show_entries packet=pts_time -of csv=p=0 out.mkv | \
        sort -n | tr '\\n' ' '; echo; done
      """)
    #expect(run.exitCode == 0, "\(run)")
    let times = run.text.split(separator: "\n").map {
      $0.split(separator: " ").compactMap { Double($0) }
    }
    try #require(times.count == 2 && times[0].count == 10 * starts.count, "\(run)")
    for (own, longest) in zip(times, [0.0401, 0.06]) {
      for (near, far) in zip(own, own.dropFirst()) {
        #expect(far - near < longest + 0.03, "\(own)")
      }
    }
    let (frames, sound) = (times[0], times[1])
    #expect(abs(frames[frames.count - 1] - sound[sound.count - 1]) < 0.15, "\(run)")
    #expect(run.errors.contains("timestamps jump") == (starts.count > 1), "\(run)")
  }

  /// A part by time, and an image of a moment, count by the clock that goes on.
  @Test func partsCountByTheClockThatGoesOn() throws {
    let scratch = try Scratch(ffmpeg: [Self.part("a", at: 1000), Self.part("b", at: 5)])
    try join(scratch, ["a", "b"])
    let run = try scratch.shell(
      """
      "$frostglass" video in.ts out.mkv --sigma 1 --time 0.2..0.6 --backend fast && \
      "$frostglass" video in.ts out.png --sigma 1 --time 0.7 --backend fast && \
      ffprobe -v error -count_packets -select_streams v -show_entries stream=nb_read_packets -of csv=p=0 out.mkv
      """)
    #expect(run.exitCode == 0 && run.text.contains("10"), "\(run)")
  }

  /// Pixels of another shape, and another range, in the middle are refused by name, as another size is.
  @Test(arguments: [
    ("-aspect 4:3", "-aspect 16:9", "its pixels change from"),
    (
      "-x264-params fullrange=off", "-x264-params fullrange=on",
      "its color range changes from narrow to full"
    ),
  ]) func changesOfPixelsAreRefused(_ first: String, _ second: String, _ words: String) throws {
    func part(_ name: String, _ words: String) -> String {
      "-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v libx264 -preset ultrafast -pix_fmt yuv420p \(words) \(name).h264"
    }
    let scratch = try Scratch(ffmpeg: [part("a", first), part("b", second)])
    _ = try scratch.shell("cat a.h264 b.h264 > in.h264; rm a.h264 b.h264")
    let run = try scratch.video("video in.h264 out.mkv --sigma 1", exit: 65)
    #expect(run.errors.contains(words) && run.errors.contains("at frame 11"), "\(run)")
    #expect(scratch.names == ["in.h264"])
  }
}
