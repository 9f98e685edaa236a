import Frostglass
import TestSupport
import Testing

/// The files in `Tests/Fixtures/Detectors`, as each detector writes its own.
@Suite struct DetectorFileTests {
  /// A file with the regions that it means in an image of 640×480: `label score x,y width×height`.
  private static let table: [(file: String, regions: [String])] = [
    ("ultralytics.json", ["person 0.91234 100,50 120×250", "car 0.41 300,200 120×80"]),
    ("ultralytics-rotated.json", ["ship 0.8 80,60 60×60"]),
    (
      "rekognition-faces.json", ["face 0.995 80,120 160×240", "face 0.6025 0,432 32×48"]
    ),
    ("rekognition-labels.json", ["Car 0.925 160,240 320×120", "Car 0.98 0,240 80×60"]),
    ("rekognition-text.json", ["line 0.9 320,240 160×60", "word 0.8 320,240 80×60"]),
    (
      "google-vision.json",
      [
        "face 0.875 120,0 180×210", "Bus 0.75 0,240 320×120", "text - 10,10 32×22",
        "text - 50,40 40×20",
      ]
    ),
    ("azure-face.json", ["face - 394,54 78×79"]),
    ("azure-vision.json", ["face - 194,45 44×46", "dog 0.9 10,20 30×40"]),
    (
      "azure-vision-4.json",
      ["car 0.25 204,96 95×134", "person 0.5 0,41 95×189", "line - 20,30 60×22"]
    ),
    ("mediapipe.json", ["dog 0.75 126,100 463×330", "- 0.5 10,11 12×13"]),
    ("mediapipe-relative.json", ["face 0.875 160,240 80×120"]),
    ("mediapipe-python.json", ["cat 0.625 30,40 50×60"]),
    ("retinaface.json", ["face 0.9993440508842468 155,81 279×362", "face 0.5 10,20 20×20"]),
    ("deepface.json", ["face 0.93 40,50 60×70"]),
    ("deepface-analyze.json", ["face 0.9 230,120 36×45"]),
    ("pandas.csv", ["person 0.874023 none", "tie 0.624512 114,195 526×285"]),
    ("pandas-records.json", ["person 0.5 20,30 40×60"]),
  ]

  private func path(_ name: String) -> String { "\(Files.root)/Tests/Fixtures/Detectors/\(name)" }

  private func words(_ regions: [Region]) throws -> [String] {
    try regions.map { region in
      let bounds = try region.shape.bounds(in: Size(width: 640, height: 480), scale: 1)
      let place = bounds.map { "\($0.x),\($0.y) \($0.width)×\($0.height)" } ?? "none"
      return "\(region.label ?? "-") \(region.score.map { "\($0)" } ?? "-") \(place)"
    }
  }

  @Test(arguments: table)
  func aDetectorsFileIsReadAsItComes(_ file: String, _ regions: [String]) throws {
    let found = try Region.list(file: path(file))
    #expect(try words(found) == regions)
  }

  @Test func everyFormatHasAFileHereAndAFolderKnowsNoOther() throws {
    let files = Files.paths(below: path(""), ending: "").map {
      String($0.split(separator: "/").last ?? "")
    }
    let known =
      Self.table.map(\.file) + [
        "README.md", "ultralytics-normalized.json", "google-vision-several.json",
      ]
    #expect(Set(files) == Set(known))
    for format in RegionsFormat.allCases where format != .json && format != .csv {
      #expect(known.contains { $0.hasPrefix(format.rawValue) }, "\(format)")
    }
  }

  /// Numbers that could be fractions or pixels are not guessed: the format has to be named.
  @Test func fractionsThatDoNotSaySoAreRefusedUntilTheyAreNamed() throws {
    let file = path("ultralytics-normalized.json")
    let error = #expect(throws: RegionsError.self) { try Region.list(file: file) }
    #expect(error?.description.contains("--regions-format ultralytics-normalized") == true)
    let named = try Region.list(file: file, as: .ultralyticsNormalized)
    #expect(try words(named) == ["person 0.9 160,60 160×300"])
    // The whole image, as fractions, is the first pixel otherwise.
    let whole =
      #"[{"name": "a", "class": 0, "confidence": 1, "box": {"x1": 0, "y1": 0, "x2": 1, "y2": 1}}]"#
    #expect(throws: RegionsError.self) { try Region.list(text: whole) }
  }

  @Test func severalAnswersOfGoogleVisionAreToldApartByTheirNumber() throws {
    let file = try RegionsFile(file: path("google-vision-several.json"))
    #expect(throws: RegionsError.self) { try file.selection(.file("a.jpg")) }
    #expect(try words(file.selection(.called("1")).regions) == ["logo 0.5 5,6 20×40"])
    #expect(try words(file.selection(.called("3")).regions) == ["face 0.5 7,8 10×20"])
    let error = #expect(throws: RegionsError.self) { try file.selection(.called("2")) }
    #expect(
      error?.description.contains("no regions of id 2") == true, "\(String(describing: error))")
  }

  @Test func azureSaysHowLargeTheImageWas() throws {
    let selection = try RegionsFile(file: path("azure-vision.json")).selection(.file("any.jpg"))
    #expect(selection.imageSize == Size(width: 640, height: 480))
  }

  @Test(arguments: [
    ("ultralytics.json", [3, 4]), ("ultralytics-rotated.json", [4]),
    ("rekognition-text.json", [4, 4]),
    ("google-vision.json", [4, 4, 4, 4]), ("azure-vision-4.json", [4, 4, 4]),
  ])
  func outlinesAreTakenWhereTheyAreAskedFor(_ file: String, _ corners: [Int]) throws {
    let all = try RegionsFile(file: path(file))
    let boxes = try all.selection(.only).regions
    let outlines = try all.selection(.only, RegionFilter(takesOutlines: true)).regions
    #expect(boxes.count == outlines.count)
    let found = outlines.map { region in
      if case .polygon(let corners) = region.shape { corners.count } else { 4 }
    }
    #expect(found == corners)
    #expect(boxes != outlines)
  }

  @Test(arguments: [
    "[]", "{}", #"{"responses": [{}]}"#, #"{"FaceDetails": []}"#, #"{"detections": []}"#,
    #"{"Labels": [{"Name": "Sky", "Confidence": 99, "Instances": []}]}"#,
    #"{"objects": [], "metadata": {"width": 4, "height": 4}}"#,
    ",xmin,ymin,xmax,ymax,confidence,class,name\n",
  ])
  func aDetectorThatFoundNothingHasNoRegions(_ text: String) {
    #expect(throws: RegionsError.empty(path: "")) { try Region.list(text: text) }
  }

  @Test(arguments: [
    (#"{"FaceDetails": [], "responses": []}"#, "rekognition or google-vision; --regions-format"),
    (#"{"regions": [], "detections": []}"#, "json or mediapipe"),
    (#"[{"facial_area": {}, "faceRectangle": {}}]"#, "azure or deepface"),
    (
      #"{"FaceDetails": [{"BoundingBox": {"Left": 12.5, "Top": 10, "Width": 30, "Height": 40}}]}"#,
      "1:43: FaceDetails[0].BoundingBox.Left has 12.5; fractions of the image are from 0 to 1"
    ),
    (
      #"{"FaceDetails": [{"BoundingBox": {"Left": 0.5, "Top": 0.5, "Width": 0.3}}]}"#,
      "FaceDetails[0].BoundingBox has no Height"
    ),
    (#"{"FaceDetails": [{"Confidence": 5}]}"#, "FaceDetails[0] has no BoundingBox"),
    (#"{"FaceDetails": 3}"#, "FaceDetails must be an array, not a number"),
    (#"{"faceAnnotations": [{"boundingPoly": {"vertices": []}}]}"#, "has 0 corners"),
    (
      #"{"faceAnnotations": [{"boundingPoly": {"vertices": [{"x": 5, "y": 1}, {"y": 3}, {"x": 5, "y": 1}]}}]}"#,
      ""
    ),
    (
      #"{"faceAnnotations": [{"boundingPoly": {"vertices": [{"x": 5}, {"x": 9}]}}]}"#,
      "y2 is 0px; it must be over 0px, the top"
    ),
    (
      #"{"responses": [{"error": {"message": "Bad image data."}}]}"#,
      "no result but Bad image data."
    ),
    (#"{"objects": [{"bbox": [1, 2, 3, 4]}]}"#, "objects[0] has no rectangle"),
    (#"{"detections": [{"score": 0.5, "box": [1, 2, 3, 4]}]}"#, "detections[0] has no boundingBox"),
    (#"{"face_1": {"facial_area": [1, 2, 3]}}"#, "face_1.facial_area must be [x1, y1, x2, y2]"),
    (#"{"face_1": {"facial_area": [30, 20, 10, 40]}}"#, "second corner below and right"),
    (#"{"face_1": {"facial_area": [1, 2, 30, 40]}, "face_2": 5}"#, "face_2 has no facial_area"),
    (#"[{"facial_area": {"x": 0.1, "y": 0.1, "w": 0.2, "h": 0.2}}]"#, "multiply them by its size"),
    (#"[{"facial_area": {"x": 1, "y": 1, "w": 0, "h": 2}}]"#, "width is 0px; it must be over 0"),
    (
      #"[{"name": "a", "class": 0, "confidence": "high", "box": {"x1": 1, "y1": 1, "x2": 9, "y2": 9}}]"#,
      "[0].confidence must be a number, not a string"
    ),
    (
      #"[{"name": "a", "class": 0, "confidence": 1, "box": {"x1": 1, "y1": 1, "x2": 9, "y2": 9}, "#
        + #""segments": {"x": [1, 2, 3], "y": [1, 2]}}]"#,
      "[0].segments has 3 x and 2 y"
    ),
  ])
  func whatIsNotAsTheFormatHasItIsShownWhereItIs(_ text: String, _ words: String)
    throws
  {
    // A missing coordinate is 0, so that this one is a box all the same.
    guard !words.isEmpty else {
      #expect(try self.words(Region.list(text: text)) == ["face - 0,1 5×2"])
      return
    }
    let error = try #require(throws: RegionsError.self) { try Region.list(text: text) }
    #expect(error.description.contains(words), "\(error)")
  }

  @Test func aFormatThatIsNamedIsNotLookedFor() throws {
    let error = try #require(throws: RegionsError.self) {
      try Region.list(text: #"{"FaceDetails": []}"#, as: .azure)
    }
    #expect(error.description.contains("has none of faces, objects"), "\(error)")
    #expect(throws: RegionsError.self) { try Region.list(text: "[]\n1", as: .csv) }
  }

  private static let rows = """
    label,score,x,y,w,h
    face,0.9,1,1,5,5
    face,0.3,2,2,5,5
    Plate,0.6,3,3,5,5
    dog,0.8,4,4,5,5
    face,,5,5,5,5
    """

  @Test func aFilterTakesByScoreAndLabelAndCountsTheRest() throws {
    let file = try RegionsFile(text: Self.rows)
    func taken(_ filter: RegionFilter) throws -> ([Double], Int, Int) {
      let selection = try file.selection(.only, filter)
      let places = try selection.regions.map { region in
        Double(try region.shape.bounds(in: Size(width: 40, height: 40), scale: 1)?.x ?? -1)
      }
      return (places, selection.leftOut.byScore, selection.leftOut.byLabel)
    }
    #expect(try taken(RegionFilter()) == ([1, 2, 3, 4, 5], 0, 0))
    // Without a score it may be anything: it stays.
    #expect(try taken(RegionFilter(minimumScore: 0.5)) == ([1, 3, 4, 5], 1, 0))
    #expect(try taken(RegionFilter(minimumScore: 0.9)) == ([1, 5], 3, 0))
    #expect(try taken(RegionFilter(labels: ["FACE", "plate"])) == ([1, 2, 3, 5], 0, 1))
    #expect(
      try taken(RegionFilter(minimumScore: 0.7, labels: ["face", "plate"])) == ([1, 5], 2, 1))
    let strict = try RegionsFile(text: "label,score,x,y,w,h\nface,0.3,2,2,5,5\n")
    let error = #expect(throws: RegionsError.self) {
      try strict.selection(.only, RegionFilter(minimumScore: 0.5))
    }
    #expect(error?.description.contains("all regions are left out (1 by score)") == true)
  }

  @Test func aFilterThatCannotBeMeantIsRefused() throws {
    func refusal(_ text: String, _ filter: RegionFilter) throws -> String {
      try #require(throws: RegionsError.self) { try RegionsFile(text: text).check(filter) }
        .description
    }
    let half = RegionFilter(minimumScore: 0.5)
    #expect(try refusal("1,2,3,4", half).contains("no scores"))
    #expect(try refusal("score,x,y,w,h\n98,1,2,3,4", half).contains("a score of 98"))
    #expect(try refusal("1,2,3,4", RegionFilter(labels: ["face"])).contains("no labels"))
    let near = try refusal(Self.rows, RegionFilter(labels: ["plat"]))
    #expect(near.contains("no region has the label plat (did you mean Plate?)"), "\(near)")
    #expect(
      try RegionsFile(text: Self.rows).check(RegionFilter(labels: ["face", "plat"])) == ["plat"])
    #expect(try RegionsFile(text: Self.rows).check(half) == [])
  }
}
