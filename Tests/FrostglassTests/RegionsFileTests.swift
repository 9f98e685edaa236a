import Frostglass
import FrostglassCore
import Testing

/// Regions as detectors write them.
@Suite struct RegionsFileTests {
  private static let box = MaskShape.rectangle(x: 10, y: 20, width: 30, height: 40)

  private static func many(_ count: Int, _ text: String, between: String = "") -> String {
    [String](repeating: text, count: count).joined(separator: between)
  }

  private static func list(_ count: Int, _ element: String) -> String {
    "[" + many(count, element, between: ",") + "]"
  }

  private static let longTexts: [String] = [
    many(5000, "1,2,3,4\n"), many(5000, "# nothing\n"), many(5000, ","), list(500, "[1,2,3]"),
    list(70, "{\"x\":1,\"y\":2,\"width\":3,\"height\":4}"),
    list(70, "{\"facial_area\":{\"x\":1,\"y\":2,\"w\":3,\"h\":4}}"),
  ]

  /// Reading ends at its deadline, whatever the text.
  @Test(arguments: longTexts)
  func readingEndsWithItsTime(_ text: String) {
    let error = #expect(throws: RegionsError.self) {
      try ReadingTime.$end.withValue(.now - .seconds(1)) { try RegionsFile(text: text) }
    }
    #expect("\(error as Any)".contains(ReadingTime.words), "\(error as Any)")
  }

  @Test(arguments: [
    #"[{"x": 10, "y": 20, "width": 30, "height": 40}]"#,
    #"{"regions": [{"x": 10, "y": 20, "w": 30, "h": 40}]}"#,
    #"{"annotations": [{"bbox": [10, 20, 30, 40], "category_id": 3, "iscrowd": 0, "segmentation": [[1, 2, 3, 4]]}], "images": []}"#,
    #"[{"left": 10, "top": 20, "right": 40, "bottom": 60, "score": 0.9}]"#,
    #"[{"x1": 10, "y1": 20, "x2": 40, "y2": 60}]"#, #"[{"box": [10, 20, 40, 60]}]"#,
    #"[{"bbox": {"x1": 10, "y1": 20, "x2": 40, "y2": 60}}]"#,
    #"[{"x": "10", "y": "20px", "width": 3e1, "height": 40.0}]"#,
    "10,20,30,40", "x,y,width,height\n10,20,30,40\n", "y;x;h;w\r\n20;10;40;30\r\n",
    "# found\n\nleft,top,right,bottom\n10, 20, 40, 60\n", "x1\ty1\tx2\ty2\n10\t20\t40\t60",
    "score,bottom,right,top,left\n0.3,60,40,20,10", "\u{FEFF}x,y,w,h\n10,20,30,40",
  ])
  func everyWayToWriteABox(text: String) throws {
    #expect(try Region.list(text: text).map(\.shape) == [Self.box])
  }

  @Test(arguments: [
    (#""a, ""b"".jpg""#, #"a, "b".jpg"#), ("\"\"\"\"", "\""), (#"a "b" c"#, "a b c"), ("\"\"", ""),
  ])
  func doubledQuotesStandForOne(_ field: String, _ label: String) throws {
    let regions = try Region.list(text: "label,x,y,w,h\n\(field),1,2,3,4\n")
    #expect(regions.map(\.label) == [label.isEmpty ? nil : label])
  }

  @Test func fractionsAndPercentagesScaleWithTheImage() throws {
    let expected = MaskShape.rectangle(
      x: Length(10, .percent), y: Length(25, .percent), width: Length(50, .percent),
      height: Length(12.5, .percent))
    for text in [
      #"{"normalized": true, "regions": [{"x": 0.1, "y": 0.25, "width": 0.5, "height": 0.125}]}"#,
      #"[{"x": 0.1, "y": 0.25, "width": 0.5, "height": 0.125, "normalized": true}]"#,
      #"[{"x": "10%", "y": "25%", "width": "50%", "height": "12.5%"}]"#,
      "10%,25%,50%,12.5%",
      "x,y,width,height,normalized\n0.1,0.25,0.5,0.125,true",
    ] {
      #expect(try Region.list(text: text).map(\.shape) == [expected], "\(text)")
    }
  }

  /// Fractions that are not said to be any would leave what they mean uncovered.
  @Test(arguments: [
    #"[{"x": 0.1, "y": 0.1, "width": 0.2, "height": 0.3}]"#, "0.1,0.1,0.2,0.3",
  ])
  func fractionsTakenForPixelsAreRefused(text: String) {
    let error = #expect(throws: RegionsError.self) { try Region.list(text: text) }
    #expect(error.map { "\($0)".contains("normalized") } == true)
  }

  @Test func otherShapesAndLabels() throws {
    let text = #"""
      [{"polygon": [[1, 2], [3, 4], [5, 0]], "label": "plate", "score": 1},
       {"ellipse": [1, 2, 3, 4], "name": "face"},
       {"bbox": [1, 2, 3, 4], "radius": 5, "class": 7},
       {"x": 1, "y": 2, "w": 3, "h": 4, "radius": "2%"}]
      """#
    let corners: [MaskShape.Corner] = [.init(x: 1, y: 2), .init(x: 3, y: 4), .init(x: 5, y: 0)]
    #expect(
      try Region.list(text: text) == [
        Region(.polygon(corners), label: "plate", score: 1),
        Region(.ellipse(x: 1, y: 2, width: 3, height: 4), label: "face"),
        Region(.rectangle(x: 1, y: 2, width: 3, height: 4, radius: 5), label: "7"),
        Region(.rectangle(x: 1, y: 2, width: 3, height: 4, radius: Length(2, .percent))),
      ])
    #expect(
      try Region.list(text: "label,x,y,w,h,radius\n\"a, b\",1,2,3,4,\n") == [
        Region(.rectangle(x: 1, y: 2, width: 3, height: 4), label: "a, b")
      ])
  }

  @Test(arguments: [
    ("", "no regions"), ("[]", "no regions"), ("x,y,w,h\n", "no regions"),
    ("[{\"x\": 1,\n\"y\": }]", "2:6: a value was expected"),
    ("[{\"x\": 1, \"y\": 2, \"widht\": 3, \"height\": 4}]", "1:19: [0] has a key"),
    ("[{\"x\": 1, \"y\": 2, \"widht\": 3, \"height\": 4}]", "did you mean width?"),
    ("{\"region\": []}", "1:2: the document has a key"),
    ("{\"region\": []}", "did you mean regions"),
    ("{\"normalized\": true}", "no \"regions\""), ("{\"regions\": 3}", "1:13: regions must be"),
    ("{\"regions\": [\n {\"x\": 1}]}", "2:2: regions[0] has x; a region has x, y, width, height"),
    ("[{}]", "[0] has no numbers"), ("[5]", "1:2: [0] must be an object"),
    ("[{\"bbox\": [1, 2, 3]}]", "1:11: [0].bbox must be [x, y, width, height]"),
    ("[{\"box\": [5, 2, 3, 4]}]", "x2 is 3px; it must be over 5px, the left side"),
    ("[{\"bbox\": [1, 2, 0, 4]}]", "1:18: [0].bbox: width is 0px; it must be over 0"),
    ("[{\"bbox\": [1, 2, 3, 4], \"x\": 1}]", "also x; one of them is too much"),
    ("[{\"polygon\": [[1, 2], [3, 4]]}]", "3 or more corners"),
    ("[{\"polygon\": [[1, 2], [3, 4], 5]}]", "[0].polygon[2] must be [x, y]"),
    ("[{\"x\": true, \"y\": 2, \"w\": 3, \"h\": 4}]", "x must be a number, not true or false"),
    ("{\"normalized\": true, \"regions\": [{\"bbox\": [10, 2, 3, 4]}]}", "from 0 to 1"),
    ("[{\"left\": \"1%\", \"top\": 2, \"right\": 3, \"bottom\": 4}]", "same unit as the left side"),
    ("x,y,widht,height\n1,2,3,4", "1:5: there is no column widht (did you mean width?)"),
    ("x,y,x,h\n1,2,3,4", "1:5: the column x is there twice"),
    ("x,y,w,h\n1,2,3", "2:5: the line has 3 fields; it must have 4"),
    ("x,y,w,h\n1,2,3,4,5", "2:9: the line has 5 fields"),
    ("x,y,w,h,normalized\n0.1,0.2,3,0.5,true", "2:9: w is 3; normalized values are from 0 to 1"),
    ("x,y,w,h\n1,2,,4", "2:5: w is empty"), ("x,y,w,h\n1,2,three,4", "2:5: w is three"),
    ("label,x,y,w,h\n\"a,1,2,3,4", "2:1: a closing quote is missing"),
    ("1,2,3", "1:5: the line has 3 fields"), ("hello", "there is no column hello"),
  ])
  func mistakesAreShownWhereTheyAre(text: String, words: String) throws {
    let error = try #require(throws: RegionsError.self) { try Region.list(text: text) }
    #expect(error.description.contains(words), "\(error)")
  }

  /// Two images with one name in two folders, and one with a name of its own.
  private static let coco = #"""
    {"images": [{"id": 7, "file_name": "a/1.jpg", "width": 40, "height": 30},
                {"id": 8, "file_name": "b/1.jpg"}, {"id": 9, "file_name": "2.jpg"},
                {"id": 10, "file_name": "none.jpg"}],
     "categories": [{"id": 3, "name": "face"}, {"id": 4, "name": "plate"}],
     "annotations": [
       {"image_id": 7, "category_id": 3, "bbox": [1, 1, 5, 5]},
       {"image_id": 8, "category_id": 4, "bbox": [2, 2, 5, 5]},
       {"image_id": 9, "category_id": 5, "bbox": [3, 3, 5, 5], "label": "own"},
       {"image_id": 7, "category_id": 9, "bbox": [4, 4, 5, 5]}]}
    """#

  private func region(_ at: Double, _ label: String?) -> Region {
    Region(.rectangle(x: Length(at), y: Length(at), width: 5, height: 5), label: label)
  }

  @Test func anImageGetsItsOwnRegionsWithTheNamesOfTheirCategories() throws {
    let file = try RegionsFile(text: Self.coco)
    #expect(file.hasSeveralImages)
    let first = try file.selection(.file("/photos/a/1.jpg"))
    #expect(first.regions == [region(1, "face"), region(4, nil)])
    #expect(first.imageSize == Size(width: 40, height: 30))
    for choice in [RegionsImage.file("./b/1.jpg"), .called("b/1.jpg"), .called("8")] {
      #expect(try file.selection(choice).regions == [region(2, "plate")], "\(choice)")
    }
    let third = try file.selection(.file("2.jpg"))
    #expect(third.regions == [region(3, "own")] && third.imageSize == nil)
  }

  @Test(arguments: [
    (RegionsImage.only, "not said which"), (.file("1.jpg"), "could be each"),
    (.file("c/1.jpg"), "could be each"), (.file("3.jpg"), "3.jpg is none of them"),
    (.file("x2.jpg"), "x2.jpg is none of them"), (.called("11"), "11 is none of them"),
    (.file("none.jpg"), "no regions of none.jpg"),
  ])
  func whatCouldBeAnotherImageIsRefused(_ choice: RegionsImage, _ words: String) throws {
    let file = try RegionsFile(text: Self.coco)
    let error = #expect(throws: RegionsError.self) { try file.selection(choice) }
    #expect(error?.description.contains(words) == true, "\(String(describing: error))")
  }

  @Test func onlyIdsOrNamesInAColumnTellImagesApartToo() throws {
    let results = #"[{"image_id": 1, "bbox": [1, 1, 5, 5]}, {"image_id": 2, "bbox": [2, 2, 5, 5]}]"#
    #expect(throws: RegionsError.self) { try Region.list(text: results, of: .file("1.jpg")) }
    #expect(try Region.list(text: results, of: .called("2")) == [region(2, nil)])
    let one = #"[{"image_id": 1, "bbox": [1, 1, 5, 5]}, {"image_id": 1, "bbox": [2, 2, 5, 5]}]"#
    #expect(try Region.list(text: one, of: .file("any.jpg")).count == 2)
    let rows = "image,label,x,y,w,h\na.jpg,face,1,1,5,5\nb.jpg,,2,2,5,5\n"
    #expect(try Region.list(text: rows, of: .file("in/a.jpg")) == [region(1, "face")])
    #expect(throws: RegionsError.self) { try Region.list(text: rows) }
    #expect(throws: RegionsError.self) { try Region.list(text: rows, of: .file("c.jpg")) }
  }

  @Test(arguments: [
    #"[{"image_id": 1, "bbox": [1, 1, 5, 5]}, {"image_id": 2, "bbox": [1, 1, 5, 5]}, {"bbox": [1, 1, 5, 5]}]"#,
    #"{"images": [{"id": 1, "file_name": "a"}, {"id": 1, "file_name": "b"}], "annotations": [{"image_id": 1, "bbox": [1, 1, 5, 5]}]}"#,
  ])
  func aRegionThatCouldBeInAnyOfSeveralImagesIsRefused(_ text: String) {
    #expect(throws: RegionsError.self) { try RegionsFile(text: text) }
  }

  /// No text, however garbled, does anything but read or throw.
  @Test func garbledTextNeverTraps() {
    let pieces = [
      "[", "]", "{", "}", "\"x\":", "\"bbox\":", "1", ",", "\n", "\"", "x,y,w,h\n", "-", "é", " ",
      "1e999", "\"polygon\":", "[1,2]", "true", "\\u12",
    ]
    var state: UInt64 = 11
    for _ in 0..<20000 {
      var text = ""
      for _ in 0..<12 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text += pieces[Int(state >> 33) % pieces.count]
      }
      _ = try? Region.list(text: text)
    }
  }

  /// Texts with too many numbers are no lists of regions. Millions of them would take hundreds of megabytes.
  @Test func moreRegionsThanAreKeptAreRefused() throws {
    let lines = String(repeating: "0,0,1,1\n", count: 100_001)
    let error = #expect(throws: RegionsError.self) { try RegionsFile(text: lines) }
    #expect("\(try #require(error))".contains("more than 100000 regions"))
    let numbers = "[" + String(repeating: "0,", count: 2_000_000) + "0]"
    let other = #expect(throws: RegionsError.self) { try RegionsFile(text: numbers) }
    #expect("\(try #require(other))".contains("more than 2000000 values"))
  }
}
