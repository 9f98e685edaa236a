import Foundation
import FrostglassCore
import FrostglassFind
import FrostglassStills
import TestSupport
import Testing

/// `frostglass find`.
@Suite(.enabled(if: FindModels.areThere, "\(FindModels.advice)")) struct FindCommandTests {
  private struct Document: Decodable {
    struct Info: Decodable {
      struct Model: Decodable {
        var name: String
        var sha256: String
      }
      var models: [Model]
    }
    struct Image: Decodable {
      var fileName: String
      var width: Int
    }
    struct Annotation: Decodable {
      var imageId: Int
      var bbox: [Double]
      var score: Double
      var keypoints: [Double]
    }
    var info: Info
    var images: [Image]
    var annotations: [Annotation]
  }

  private func document(_ bytes: [UInt8]) throws -> Document {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Document.self, from: Data(bytes))
  }

  /// Returns true if a box is where onnxruntime and the prototype's decoders find the face, with 15 percent around
  /// it. The tolerance is 8 pixels times the scale (at least 1), because each model has its own box.
  private func isFace(_ box: [Double], at scale: Double = 1) -> Bool {
    let expected = [164.2, 45.6, 118.2, 148.0].map { $0 * scale }
    return zip(box, expected).allSatisfy { abs($0 - $1) < 8 * max(scale, 1) }
  }

  @Test func theAstronautsFaceIsFoundWithItsPoints() throws {
    let run = try Scratch().run("find", FindModels.face)
    #expect(run.exitCode == 0 && run.errors.hasPrefix("frostglass find: 1 face; lowest score 0.9"))
    let found = try document(run.output)
    let face = try #require(found.annotations.first)
    #expect(found.annotations.count == 1 && isFace(face.bbox) && face.score > 0.9, "\(face)")
    #expect(found.images.map(\.width) == [512] && found.images[0].fileName == FindModels.face)
    // Eyes above the nose above the mouth, left ones first, all within the box.
    let points = stride(from: 0, to: 15, by: 3).map { (face.keypoints[$0], face.keypoints[$0 + 1]) }
    #expect(points[0].0 < points[1].0 && points[3].0 < points[4].0)
    #expect(points[0].1 < points[2].1 && points[2].1 < points[3].1)
    #expect(
      points.allSatisfy { x, y in
        (face.bbox[0]...face.bbox[0] + face.bbox[2]).contains(x)
          && (face.bbox[1]...face.bbox[1] + face.bbox[3]).contains(y)
      })
    for (model, path) in zip(found.info.models, [FindModels.yunet, FindModels.centerface]) {
      #expect(path.hasSuffix("/\(model.name)") && model.sha256 == FileDigest.sha256(of: path))
    }
  }

  @Test(arguments: FindEffort.allCases) func everyEffortFindsIt(_ effort: FindEffort) throws {
    let run = try Scratch().run("find", FindModels.face, "--find-effort", effort.rawValue)
    #expect(run.exitCode == 0, "\(run)")
    let face = try #require(try document(run.output).annotations.first, "\(run)")
    #expect(isFace(face.bbox), "\(run)")
  }

  /// Findings in one image do not depend on the images before it, nor on their sizes.
  @Test func severalImagesAreOneFile() throws {
    let scratch = try Scratch()
    try scratch.addFolder("in")
    let image = try Photographs.load("astronaut.jpg")
    for (index, width) in [512, 300, 700, 512].enumerated() {
      let other = try image.scaled(to: Size(width: width, height: width), .soft)
      try StillEncoder().encode(
        other, as: .png, to: .file(scratch / "in/\(index).png", overwrite: false))
    }
    let run = try scratch.run("find", "in", "--recursive", "out.json", "--json")
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
    let found = try document(scratch.contents("out.json"))
    #expect(found.images.map(\.fileName) == (0..<4).map { "in/\($0).png" })
    try #require(found.annotations.map(\.imageId) == [1, 2, 3, 4], "\(found)")
    for (annotation, scale) in zip(found.annotations, [1, 300.0 / 512, 700.0 / 512, 1]) {
      #expect(isFace(annotation.bbox, at: scale), "\(annotation)")
    }
    #expect(found.annotations[0].bbox == found.annotations[3].bbox)
    let twice = try scratch.run("find", "in/0.png", "out.json")
    #expect(twice.exitCode == 73 && twice.explains(["out.json", "exists"]), "\(twice)")
    #expect(try scratch.run("find", "in/0.png", "out.json", "--overwrite").exitCode == 0)
  }

  @Test func tablesHaveALineForEachFace() throws {
    let scratch = try Scratch()
    try scratch.add(
      "a, b.jpg", [UInt8](Data(contentsOf: URL(fileURLWithPath: FindModels.face))))
    let run = try scratch.run("find", "a, b.jpg", "faces.csv")
    #expect(run.exitCode == 0, "\(run)")
    let lines = String(decoding: try scratch.contents("faces.csv"), as: UTF8.self)
      .split(separator: "\n")
    try #require(lines.count == 2 && lines[0] == "image,x,y,width,height,label,score", "\(lines)")
    #expect(lines[1].hasPrefix("\"a, b.jpg\",") && lines[1].contains(",face,0.9"))
    let redacted = try scratch.run("redact", "a, b.jpg", "safe.png", "--regions", "faces.csv")
    #expect(redacted.exitCode == 0, "\(redacted)")
  }

  @Test func imagesTurnedToASideAreFoundWithMoreEffort() throws {
    let scratch = try Scratch()
    let image = try Photographs.load("astronaut.jpg")
    let look = Look(.yunet, at: image.size, side: 640, quarters: 1)
    let turned = try Image(
      size: image.size, format: .rgb8, bytes: look.turned([UInt8](image.bytes)))
    try StillEncoder().encode(turned, as: .png, to: .file(scratch / "turned.png", overwrite: false))
    let run = try scratch.run("find", "turned.png", "--find-effort", "thorough")
    #expect(run.exitCode == 0, "\(run)")
    let box = try #require(try document(run.output).annotations.first, "\(run)").bbox
    // Clockwise: the top is now at the right. Around what all looks saw, and not much more.
    let (left, top, right, bottom) = (box[1], 512 - box[0] - box[2], box[1] + box[3], 512 - box[0])
    #expect(left < 172 && top < 54 && right > 275 && bottom > 186, "\(box)")
    #expect((right - left) * (bottom - top) < 1.4 * 118.2 * 148, "\(box)")
  }

  /// OpenCV computes garbage where a network's last maps have one row.
  @Test(arguments: [(640, 32), (30_000, 1), (1, 3000)])
  func flatImagesHaveNoFaces(_ width: Int, _ height: Int) throws {
    let scratch = try Scratch()
    let size = Size(width: width, height: height)
    try scratch.add("flat.png", StillEncoder().encode(Image(zeros: size, format: .rgb8), as: .png))
    for _ in 0..<3 {
      let run = try scratch.run("find", "flat.png")
      #expect(run.exitCode == 65 && run.errors.contains("no face was found"), "\(run)")
    }
  }

  @Test func whereNothingIsFoundNothingIsWritten() throws {
    let scratch = try Scratch()
    try scratch.refusal(
      ["find", FindModels.noFace, "out.json"], exit: 65,
      ["rocket.jpg", "no face", "nothing is written", "--allow-none"])
    try scratch.refusal(
      ["find", FindModels.face, "out.json", "--find-score", "0.999"], exit: 65,
      ["0.999", "the best has 0.9"])
    let run = try scratch.run("find", FindModels.noFace, "out.json", "--allow-none")
    #expect(run.exitCode == 0 && run.errors.hasPrefix("frostglass find: 0 faces"), "\(run)")
    #expect(try document(scratch.contents("out.json")).annotations.isEmpty)
    let several = try scratch.run("find", FindModels.noFace, FindModels.face, "two.json")
    #expect(several.exitCode == 0 && several.errors.contains("rocket.jpg: no face was found"))
    let unread = try scratch.run("find", FindModels.face, scratch / "none.jpg", "three.json")
    #expect(unread.exitCode == 65 && unread.errors.contains("none.jpg"), "\(unread)")
    #expect(!scratch.names.contains("three.json"))
  }

  @Test func placesAreChosen() throws {
    let scratch = try Scratch()
    for (words, code) in [
      (["--find-in", "0,0,300,300"], Int32(0)), (["--find-in", "0,0,190,512"], 0),
      (["--find-in", "300,0,200,512"], 65), (["--find-not-in", "300,0,200,512"], 0),
      // What is only touched stays covered.
      (["--find-not-in", "0,0,200,512"], 0), (["--find-not-in", "50%,0,50%,512"], 0),
      (["--find-not-in", "100,0,200,300"], 65),
      (["--find-not-in", "0,0,9,9", "--find-not-in", "100,0,200,300"], 65),
    ] {
      let run = try scratch.run(["find", FindModels.face] + words)
      #expect(run.exitCode == code, "\(words) \(run)")
    }
  }

  @Test func theSheetShowsWhatIsLeftAlone() throws {
    let scratch = try Scratch()
    let run = try scratch.run(
      "find", FindModels.face, "out.json", "--find-score", "0.99", "--allow-none", "--review",
      "s.png")
    #expect(run.exitCode == 0 && run.errors.contains("review s.png\n"), "\(run)")
    #expect(run.errors.hasSuffix("left alone: see the sheet\n"), "\(run)")
    // A tile of the face, which is not covered.
    let sheet = try scratch.picture("s.png").image
    #expect(sheet.size.width >= 520 && sheet.size.height >= 48 + 172 + 40 + 32)
  }

  @Test func whatCannotBeMeantIsRefused() throws {
    let scratch = try Scratch()
    let face = FindModels.face
    for (words, explained) in [
      (["find"], ["INPUT"]), (["find", "-"], ["standard input", "a file"]),
      (["find", face, "--find-score", "0.1"], ["--find-score", "0.2"]),
      (["find", face, "--find-effort", "hard"], ["--find-effort", "thorough"]),
      (["find", face, "--find-in", "ellipse(1,2,3,4)"], ["--find-in", "rectangles"]),
      (["find", face, "--find-not-in", "1,2"], ["--find-not-in"]),
      (["find", face, "--model", face], ["--model-kind"]),
      (["find", face, "--model-kind", "yunet"], ["--model"]),
      (["find", face, "--model", face, "--model-kind", "scrfd"], ["--model-kind", "centerface"]),
      (["find", face, "--overwrite"], ["--overwrite", "OUTPUT"]),
      (
        ["find", face, "--find-effort", "quick", "a.json", "b.json", "--to", "xml"],
        ["--to", "csv"]
      ),
      (["find", Photographs.folder], ["--recursive"]),
    ] { try scratch.refusal(words, exit: 64, explained) }
    try scratch.refusal(["find", "none.jpg"], exit: 66, ["none.jpg", "no such file"])
    try scratch.refusal(
      ["redact", "none.jpg", "x.jpg", "--find", "faces"], exit: 66, ["none.jpg", "no such file"])
  }
}
