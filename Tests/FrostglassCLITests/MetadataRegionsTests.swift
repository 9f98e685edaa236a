import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// `--regions-from metadata`: faces that an image's own XMP names.
@Suite struct MetadataRegionsTests {
  /// A JPEG of one gray, 64 × 32 as stored, with a face at 16, 8 that is 8 wide and high, and its orientation.
  private static func jpeg(
    orientation: Int, kind: String = "Face", dimensions: String = "stDim:w='64' stDim:h='32'",
    properties: String = ""
  ) throws -> [UInt8] {
    let packet = Array(
      ("<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
        + "<rdf:Description rdf:about='' xmlns:tiff='http://ns.adobe.com/tiff/1.0/' "
        + "xmlns:mwg-rs='http://www.metadataworkinggroup.com/schemas/regions/' "
        + "xmlns:stArea='http://ns.adobe.com/xmp/sType/Area#' "
        + "xmlns:stDim='http://ns.adobe.com/xap/1.0/sType/Dimensions#' tiff:Orientation='\(orientation)' \(properties)>"
        + "<mwg-rs:Regions rdf:parseType='Resource'><mwg-rs:AppliedToDimensions \(dimensions) stDim:unit='pixel'/>"
        + "<mwg-rs:RegionList><rdf:Bag><rdf:li><rdf:Description mwg-rs:Type='\(kind)'>"
        + "<mwg-rs:Area stArea:x='0.3125' stArea:y='0.375' stArea:w='0.125' stArea:h='0.25'/></rdf:Description>"
        + "</rdf:li></rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions></rdf:Description></rdf:RDF></x:xmpmeta>")
        .utf8)
    let size = Size(width: 64, height: 32)
    let gray = try Image(
      size: size, format: .rgb8, bytes: [UInt8](repeating: 128, count: 3 * size.area))
    let plain = try StillEncoder().encode(gray, as: .jpeg)
    let body = Array("http://ns.adobe.com/xap/1.0/\0".utf8) + packet
    let length = body.count + 2
    let segment = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + body
    return Array(plain[..<2]) + segment + plain[2...]
  }

  /// The corner of the face after each turn.
  private static let corners = [
    (16, 8), (40, 8), (40, 16), (16, 16), (8, 16), (16, 16), (16, 40), (8, 40),
  ]

  @Test(arguments: 1...8) func theFaceIsCoveredWhateverTheOrientation(_ orientation: Int) throws {
    let scratch = try Scratch()
    try scratch.add("in.jpg", Self.jpeg(orientation: orientation))
    let words = [
      "--regions-from", "metadata", "--fill", "solid", "--color", "black", "--grow", "0",
    ]
    let run = try scratch.run(["redact", "in.jpg", "x.png", "--audit", "a.json"] + words)
    #expect(run.exitCode == 0, "\(run)")
    let image = try scratch.picture("x.png").image
    let (left, top) = Self.corners[orientation - 1]
    for y in 0..<image.size.height {
      for x in 0..<image.size.width {
        let isFace = (left..<left + 8).contains(x) && (top..<top + 8).contains(y)
        let isBlack = image.sample(x: x, y: y, channel: 0) < 0.1
        #expect(isFace == isBlack, "orientation \(orientation): \(x), \(y)")
      }
    }
    #expect(String(decoding: try scratch.contents("a.json"), as: UTF8.self).contains("\"face\""))
  }

  @Test func whatCannotBeMeantIsRefused() throws {
    let scratch = try Scratch()
    try scratch.add("in.jpg", Self.jpeg(orientation: 1, kind: "Pet"))
    try scratch.add("cut.jpg", Self.jpeg(orientation: 1, dimensions: "stDim:w='64' stDim:h='64'"))
    try scratch.add(
      "part.jpg",
      Self.jpeg(
        orientation: 1,
        properties: "xmlns:xmpNote='http://ns.adobe.com/xmp/note/' "
          + "xmpNote:HasExtendedXMP='0123456789ABCDEF0123456789ABCDEF'"))
    try scratch.add("odd.jpg", Self.jpeg(orientation: 1, dimensions: "stDim:w='64' stDim:h='?'"))
    func regions(_ name: String, _ width: Int) throws {
      let text =
        "{\"images\":[{\"id\":1,\"file_name\":\"\(name).jpg\",\"width\":\(width),\"height\":32}],"
        + "\"annotations\":[{\"image_id\":1,\"bbox\":[1,1,5,5]}]}"
      try scratch.add("\(name)-\(width).json", Array(text.utf8))
    }
    for name in ["in", "cut"] { for width in [64, 32] { try regions(name, width) } }
    let plain = Image(zeros: Size(width: 64, height: 32), format: .rgb8)
    try scratch.add("none.jpg", StillEncoder().encode(plain, as: .jpeg))
    let base = ["--regions-from", "metadata"]
    for (words, code, explained) in [
      (["redact", "none.jpg", "x.jpg"] + base, 65, ["none.jpg", "no regions"]),
      (["redact", "cut.jpg", "x.jpg"] + base, 65, ["--allow-other-size"]),
      (["redact", "part.jpg", "x.jpg"] + base, 65, ["part.jpg", "XMP is missing", "--regions"]),
      (["redact", "odd.jpg", "x.jpg"] + base, 65, ["odd.jpg", "cannot all be understood"]),
      (
        ["redact", "cut.jpg", "x.jpg", "--regions", "cut-64.json"] + base, 65,
        ["64×64", "--allow-other-size"]
      ),
      (
        ["redact", "in.jpg", "x.jpg", "--regions", "in-64.json", "--regions", "in-32.json"], 65,
        ["32×32", "--allow-other-size"]
      ),
      (["redact", "in.jpg", "x.jpg", "--labels", "face"] + base, 65, ["left out", "by label"]),
      (["redact", "in.jpg", "x.jpg", "--regions-from", "exif"], 64, ["exif", "metadata"]),
      (["redact", "-", "x.jpg"] + base, 64, ["give a file"]),
      (["redact", "film.mp4", "x.mp4"] + base, 64, ["--regions-from", "images"]),
      (
        ["blur", "in.jpg", "x.jpg", "--sigma", "3", "--resize", "20x20"] + base, 64,
        ["--regions-from"]
      ),
    ] as [([String], Int32, [String])] {
      try scratch.refusal(words, exit: code, explained)
    }
  }

  @Test func aBatchTakesEachImagesOwn() throws {
    let scratch = try Scratch()
    try scratch.add("a.jpg", Self.jpeg(orientation: 1))
    try scratch.add("b.jpg", Self.jpeg(orientation: 6))
    let plain = Image(zeros: Size(width: 64, height: 32), format: .rgb8)
    try scratch.add("none.jpg", StillEncoder().encode(plain, as: .jpeg))
    let run = try scratch.run(
      "redact", "a.jpg", "b.jpg", "none.jpg", "--out-dir", "out", "--regions-from", "metadata",
      "--format", "png")
    #expect(run.errors.contains("none.jpg"), "\(run)")
    #expect(
      scratch.names.filter { $0.hasPrefix("out/") } == ["out/", "out/a.png", "out/b.png"], "\(run)")
  }
}
