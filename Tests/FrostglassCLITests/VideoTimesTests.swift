import Testing

/// Frame rates of new videos, for programs that read them in the stream's own header.
@Suite(.enabled(if: Scratch.hasFFmpeg, "there is no ffmpeg")) struct VideoTimesTests {
  /// H.264 says a rate in its head: that of the video, and not the steps in which the file counts.
  @Test func theRateInTheHeadIsTheVideos() throws {
    let scratch = try Scratch()
    let run = try scratch.shell(
      """
      ffmpeg -v error -nostdin -f lavfi -i testsrc2=s=64x48:r=30000/1001:d=1 -c:v libx264 -bf 3 -pix_fmt yuv420p in.mp4 &&
      "$frostglass" video in.mp4 out.mp4 --sigma 2 &&
      for f in in out; do ffprobe -v error -select_streams v -show_entries packet=pts_time,duration_time -of csv=p=0 \
        $f.mp4 | sort -n > $f.txt; done
      cmp in.txt out.txt && cat out.txt
      """)
    #expect(run.exitCode == 0, "\(run)")
    let lines = run.text.split(separator: "\n")
    #expect(lines.count > 25 && lines.allSatisfy { $0.hasSuffix(",0.033367") }, "\(run)")
  }
}
