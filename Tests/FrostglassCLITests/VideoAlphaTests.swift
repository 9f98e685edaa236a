import FrostglassCore
import FrostglassStills
import Testing

/// Videos with alpha: it stays where the new file has it, and is said or refused elsewhere.
@Suite(.enabled(if: Scratch.hasFFmpeg, "there is no ffmpeg")) struct VideoAlphaTests {
  private static let source =
    "-f lavfi -i \"color=red:s=96x64:r=25:d=0.12,format=rgba,geq=r='200':g='90':b='30'"
    + ":a='if(lt(X,32),4,if(lt(X,64),80,180))'\""
  /// Encoders, and which decoder reads their alpha where it is not the usual one.
  private static let videos: [String: (words: String, decoder: String)] = [
    "vp8.webm": ("-c:v libvpx -auto-alt-ref 0 -pix_fmt yuva420p", "-c:v libvpx"),
    "vp9.webm": ("-c:v libvpx-vp9 -pix_fmt yuva420p", "-c:v libvpx-vp9"),
    "qtrle.mov": ("-c:v qtrle -pix_fmt argb", ""), "png.mov": ("-c:v png -pix_fmt rgba", ""),
    "prores.mov": ("-c:v prores_ks -pix_fmt yuva444p10le", ""),
    "ffv1.mkv": ("-c:v ffv1 -pix_fmt yuva420p", ""),
  ]

  private func scratch(_ name: String) throws -> Scratch {
    try Scratch(ffmpeg: "\(Self.source) \(try #require(Self.videos[name]).words) \(name)")
  }

  /// Alpha in the middle of each third.
  private func alpha(_ picture: Still) throws -> [Int] {
    let image = picture.image
    try #require(image.format == .rgba8, "\(image.format)")
    return [16, 48, 80].map { x in
      Int(image.bytes[32 * image.bytesPerRow + 4 * x + 3])
    }
  }

  private func isNear(_ alpha: [Int]) -> Bool {
    zip(alpha, [4, 80, 180]).allSatisfy { abs($0 - $1) <= 2 }
  }

  @Test(arguments: videos.keys.sorted()) func imagesHaveIt(_ name: String) throws {
    let scratch = try scratch(name)
    _ = try scratch.video("video \(name) out.png --frames 1 --sigma 1")
    _ = try scratch.video("video \(name) out.apng --sigma 1")
    _ = try scratch.video("video \(name) out.webp --sigma 1")
    for file in ["out.png", "out.apng", "out.webp"] {
      let found = try alpha(try scratch.picture(file))
      #expect(isNear(found), "\(file): \(found)")
    }
    let jpeg = try scratch.video("video \(name) out.jpg --frames 1 --sigma 1")
    #expect(jpeg.errors.contains("its alpha is left out, as JPEG holds none"), "\(jpeg)")
    let gif = try scratch.video("video \(name) out.gif --sigma 1")
    #expect(gif.errors.contains("its alpha is rounded"), "\(gif)")
  }

  /// Videos keep it, with a codec that can; a container that has none for it is refused.
  @Test(arguments: videos.keys.sorted()) func videosHaveIt(_ name: String) throws {
    let scratch = try scratch(name)
    let ending = try #require(name.split(separator: ".").last)
    let decoder = try #require(Self.videos[name]).decoder
    for file in ["out.\(ending)", "out.mkv"] {
      _ = try scratch.video("video \(name) \(file) --sigma 1 --overwrite")
      // VP8 may become VP9, which has alpha of the same kind.
      let read = try scratch.shell(
        "ffmpeg -v error -y \(decoder.isEmpty ? "" : "-c:v libvpx-vp9") -i \(file) -frames:v 1 -pix_fmt rgba read.png"
          + (decoder.isEmpty
            ? ""
            : " || ffmpeg -v error -y \(decoder) -i \(file) -frames:v 1 -pix_fmt rgba read.png"))
      #expect(read.exitCode == 0, "\(file)\n\(read)")
      let found = try alpha(try scratch.picture("read.png"))
      #expect(isNear(found), "\(file): \(found)")
    }
    guard name != "png.mov" else { return }
    let refused = try scratch.video("video \(name) out.mp4 --sigma 1", exit: 65)
    #expect(refused.errors.contains("with alpha, for which there is no encoder"), "\(refused)")
  }
}
