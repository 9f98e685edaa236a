import Frostglass
import FrostglassCore
import TestSupport
import Testing

/// Masks of COCO as what they cover.
@Suite struct COCOMaskTests {
  private static let (width, height) = (90, 40)

  /// The mask's runs, down the columns, the first of them outside.
  private func runs(_ covers: (Int, Int) -> Bool) -> [Int] {
    var runs = [0]
    var isInside = false
    for x in 0..<Self.width {
      for y in 0..<Self.height {
        if covers(x, y) != isInside {
          isInside.toggle()
          runs.append(0)
        }
        runs[runs.count - 1] += 1
      }
    }
    return runs
  }

  /// As COCO's own `rleToString` writes them.
  private func text(_ runs: [Int]) -> String {
    var bytes: [UInt8] = []
    for (index, run) in runs.enumerated() {
      var value = index > 2 ? run - runs[index - 2] : run
      while true {
        let bits = value & 31
        value >>= 5
        let goesOn = bits & 16 != 0 ? value != -1 : value != 0
        bytes.append(UInt8(bits + (goesOn ? 32 : 0) + 48))
        if !goesOn { break }
      }
    }
    return String(decoding: bytes, as: UTF8.self).replacing("\\", with: "\\\\")
  }

  private func corners(_ segmentation: String, youTube: Bool = false) throws -> [(Double, Double)] {
    let annotation =
      youTube
      ? "\"video_id\": 1, \"id\": 7, \"segmentations\": [null, \(segmentation)]"
      : "\"image_id\": 6, \"instance_id\": 7, \"bbox\": [1, 2, 3, 4], \"segmentation\": \(segmentation)"
    var reading = TracksReading()
    reading.takesOutlines = true
    let tracks = try Tracks(
      text: """
        {"videos": [{"id": 1, "length": 2, "width": \(Self.width), "height": \(Self.height)}],
         "images": [{"id": 5, "video_id": 1, "frame_id": 0}, {"id": 6, "video_id": 1, "frame_id": 1}],
         "annotations": [{\(annotation), "category_id": 1}]}
        """, reading)
    let keys = tracks.tracks[0].keys
    try #require(keys.count == 1 && keys[0].at == 1 && tracks.tracks[0].id == "7")
    guard case .polygon(let corners)? = keys[0].shape else {
      Issue.record("\(keys[0])")
      return []
    }
    return corners.map { ($0.x.value, $0.y.value) }
  }

  private func covers(_ corners: [(Double, Double)], _ x: Double, _ y: Double) -> Bool {
    var isInside = false
    for (one, other) in zip(corners, corners[1...] + corners[..<1])
    where (one.1 > y) != (other.1 > y) {
      let crossing = one.0 + (other.0 - one.0) * (y - one.1) / (other.1 - one.1)
      if x < crossing { isInside.toggle() }
    }
    return isInside
  }

  private static let masks: [(String, @Sendable (Int, Int) -> Bool)] = [
    ("disc", { ($0 - 30) * ($0 - 30) + ($1 - 20) * ($1 - 20) < 200 }),
    ("ring", { (100..<300).contains(($0 - 40) * ($0 - 40) + ($1 - 20) * ($1 - 20)) }),
    ("two", { $0 < 8 && $1 > 30 || $0 > 80 && $1 < 9 }),
    ("all", { _, _ in true }),
    ("dot", { $0 == 3 && $1 == 4 }),
    ("wide", { x, y in y == x / 4 + 3 }),
  ]

  /// All of a mask is covered, and nothing that is far from it.
  @Test(arguments: masks.map(\.0)) func runsAreCovered(_ name: String) throws {
    let mask = try #require(Self.masks.first { $0.0 == name }).1
    let runs = runs(mask)
    let size = "\"size\": [\(Self.height), \(Self.width)]"
    let plain = try corners("{\"counts\": \(runs), \(size)}")
    let packed = try corners("{\"counts\": \"\(text(runs))\", \(size)}", youTube: true)
    #expect(plain.map(\.0) == packed.map(\.0) && plain.map(\.1) == packed.map(\.1))
    #expect(plain.count <= 256)
    for x in 0..<Self.width {
      let column = (0..<Self.height).filter { mask(x, $0) }
      for y in 0..<Self.height {
        let isCovered = covers(plain, Double(x) + 0.5, Double(y) + 0.5)
        if mask(x, y) { #expect(isCovered, "\(name) \(x) \(y)") }
        guard isCovered else { continue }
        // Between the ends of this column of the mask, or of one of its neighbors.
        let near = (max(x - 2, 0)...min(x + 2, Self.width - 1)).flatMap { x in
          (0..<Self.height).filter { mask(x, $0) }
        }
        let rows = (near + column)
        #expect((rows.min() ?? 99) <= y && y <= (rows.max() ?? -1), "\(name) \(x) \(y)")
      }
    }
  }

  /// Polygons cover the union of their areas, also where two of them overlap.
  @Test func polygonsAreCovered() throws {
    let corners = try corners("[[10, 5, 40.5, 5, 40.5, 30, 10, 30], [30, 10, 80, 20, 30, 35.5]]")
    for x in 0..<Self.width {
      for y in 0..<Self.height {
        let (px, py) = (Double(x) + 0.5, Double(y) + 0.5)
        let isInFirst = (10...40.5).contains(px) && (5...30).contains(py)
        let isInSecond =
          px >= 30 && py >= 10 + (px - 30) / 5 && py <= 35.5 - (px - 30) * 15.5 / 50
        if isInFirst || isInSecond { #expect(self.covers(corners, px, py), "\(x) \(y)") }
      }
    }
    #expect(!covers(corners, 5, 20) && !covers(corners, 85, 20) && !covers(corners, 60, 5))
  }

  /// The example of COCO's own description: 0 0 1 1 1 0 1 has the runs 2 3 1 1.
  @Test func runsOfTheDescription() throws {
    #expect(text([2, 3, 1, 1]) == "231N")
  }

  @Test(
    arguments: [
      ("{\"counts\": [5, 4000], \"size\": [40, 90]}", "goes beyond 90×40 pixels"),
      ("{\"counts\": \"2~\", \"size\": [40, 90]}", "no text of runs"),
      ("{\"counts\": \"P\", \"size\": [40, 90]}", "no text of runs"),
      ("{\"counts\": [1, -2], \"size\": [40, 90]}", "must be a whole number"),
      ("{\"counts\": [1, 2], \"size\": [40]}", "must have a size"),
      ("{\"counts\": [1, 2], \"size\": [90, 40]}", "is of 40×90, and the video has 90×40"),
      ("[[1, 2, 3, 4]]", "three corners or more"),
    ])
  func brokenMasksAreNamed(_ text: String, _ told: String) throws {
    let error = #expect(throws: RegionsError.self) { try corners(text) }
    #expect(error.map { "\($0)".contains(told) } == true, "\(String(describing: error))")
  }
}
