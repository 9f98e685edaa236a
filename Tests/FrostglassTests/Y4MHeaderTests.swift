import Frostglass
import FrostglassCore
import Testing

/// The first line of a y4m stream, and what frames are called.
@Suite struct Y4MHeaderTests {
  private func header(_ text: String) throws -> Y4MHeader { try Y4MHeader(Array(text.utf8)) }

  private func refusal(_ text: String) -> String {
    do throws(VideoError) {
      _ = try Y4MHeader(Array(text.utf8))
      return "accepted"
    } catch { return "\(error)" }
  }

  @Test func wordsAreRead() throws {
    let header = try header(
      "YUV4MPEG2 W640 H480 F30000:1001 Ip A1:1 C420mpeg2 XYSCSS=420MPEG2 XCOLORRANGE=FULL Zown")
    #expect(header.size == Size(width: 640, height: 480))
    #expect(header.rate == FrameRate(30000, in: 1001))
    #expect(header.range == .full)
    #expect(header.layout.content == .planes(YCbCrFormat()))
    #expect(String(decoding: header.line, as: UTF8.self).hasSuffix(" Zown"))
    let least = try self.header("YUV4MPEG2 W2 H2")
    #expect(least.layout.name == "420jpeg" && least.rate == nil && least.range == nil)
  }

  @Test func everyColorSpaceHasItsBytes() throws {
    let bytes: [String: Int] = [
      "420jpeg": 7 * 5 + 24, "420mpeg2": 59, "420paldv": 59, "420": 59, "411": 7 * 5 + 20,
      "422": 7 * 5 + 40, "444": 105, "444alpha": 140, "mono": 35, "mono10": 70, "420p10": 118,
      "422p10": 150, "444p10": 210, "420p12": 118, "422p12": 150, "444p12": 210, "mono12": 70,
      "420p16": 118, "422p16": 150, "444p16": 210, "mono16": 70,
    ]
    #expect(Set(FrameLayout.y4m.map(\.name)) == Set(bytes.keys))
    for (name, count) in bytes {
      let header = try header("YUV4MPEG2 W7 H5 F25:1 C\(name)")
      #expect(header.layout.byteCount(of: header.size) == count, "\(name)")
    }
  }

  @Test func whatCannotBeMeantIsRefused() {
    let start = "standard input: "
    #expect(refusal("RIFF").hasPrefix(start + "it does not begin with YUV4MPEG2"))
    #expect(refusal("YUV4MPEG2 W4") == start + "its first line has no height")
    #expect(refusal("YUV4MPEG2 H4") == start + "its first line has no width")
    for side in ["0", "-4", "+4", "99999999999999999999", "1000001", "4x", ""] {
      #expect(
        refusal("YUV4MPEG2 W\(side) H4")
          == start + "its width is \(side); it must be from 1 to 1000000")
    }
    #expect(refusal("YUV4MPEG2 W4 H4 F25").contains("its frame rate is 25;"))
    #expect(
      refusal("YUV4MPEG2 W4 H4 C410").contains("its color space is 410; accepted are 420jpeg"))
    #expect(refusal("YUV4MPEG2 W4 H4 C420p14").contains("420p14; accepted are"))
    #expect(refusal("YUV4MPEG2 W4 H4 Ix").contains("its interlacing is x;"))
    for (letter, words) in [("t", "top field"), ("b", "bottom field"), ("m", "partly")] {
      #expect(refusal("YUV4MPEG2 W4 H4 I\(letter)").contains(words))
    }
    #expect(refusal("YUV4MPEG2 W4 H4 I? F0:0") == "accepted")
    for (one, other) in [
      ("W4", "W2"), ("H4", "H5"), ("F25:1", "F30:1"), ("C420jpeg", "C444"), ("Ip", "It"),
      ("XCOLORRANGE=FULL", "XCOLORRANGE=LIMITED"),
    ] {
      let words = "YUV4MPEG2 W4 H4 \(one) \(other)"
      #expect(
        refusal(words) == start
          + "its first line says both \(one) and \(other); leave one of them out")
    }
    #expect(refusal("YUV4MPEG2 W4 W4 H4 XYSCSS=420JPEG XOWN=1 XOWN=2 A1:1 A2:1") == "accepted")
    for words in ["YUV4MPEG2 W4 H4 C420jpeg\r", "YUV4MPEG2 W4 H4 XCOLORRANGE=FULL\r"] {
      #expect(refusal(words).hasPrefix(start + "its first line ends with a carriage return"))
    }
  }

  @Test func ratesAreFractions() {
    #expect(FrameRate(text: "25") == FrameRate(25, in: 1))
    for rate in ["0", "-25", "-1e300", "1e300", "nan", "-inf"] {
      #expect(FrameRate(text: rate) == nil)
    }
    for text in ["1/9223372036854775807", "9223372036854775807/1", "1/1001", "1000000/1"] {
      #expect(FrameRate(text: text) == nil, "\(text)")
    }
    #expect(FrameRate(text: "1/1000") == FrameRate(1, in: 1000))
    #expect(FrameRate(text: "30000/1001") == FrameRate(30000, in: 1001))
    #expect(FrameRate(text: "29.97") == FrameRate(30000, in: 1001))
    #expect(FrameRate(text: "23.976") == FrameRate(24000, in: 1001))
    #expect(FrameRate(text: "12.5") == FrameRate(12500, in: 1000))
    for text in ["", "0", "-1", "x", "1/0", "1/2/3", "inf", "nan", "1e9"] {
      #expect(FrameRate(text: text) == nil, "\(text)")
    }
    #expect(FrameRate(59.94) == FrameRate(60000, in: 1001))
    #expect(FrameRate(0.001) == FrameRate(1, in: 1000))
    for rate in [0, -1, 0.0001, 1e6, .infinity, .nan] { #expect(FrameRate(rate) == nil, "\(rate)") }
  }

  @Test func rawFramesGetALine() throws {
    let layout = try #require(FrameLayout.raw.first { $0.name == "yuv420p" }?.inY4M)
    #expect(layout.name == "420mpeg2")
    let made = Y4MHeader(
      size: Size(width: 4, height: 2), layout: layout,
      rate: try #require(FrameRate(25, in: 1)), range: .full)
    let text = String(decoding: made.line, as: UTF8.self)
    #expect(text == "YUV4MPEG2 W4 H2 F25:1 Ip A0:0 C420mpeg2 XCOLORRANGE=FULL")
    #expect(try header(text) == made)
    let without = FrameLayout.raw.filter { $0.inY4M == nil }.map(\.name)
    #expect(without == ["nv12", "rgb24", "rgba", "rgb48le", "rgba64le", "p010le"])
  }
}
