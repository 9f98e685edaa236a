import Foundation
import FrostglassCore
import Frostglass
import Testing

/// Tracks in every form.
@Suite struct TracksTests {
  private typealias Key = Tracks.Key

  private static func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> MaskShape
  {
    .rectangle(x: Length(x), y: Length(y), width: Length(width), height: Length(height))
  }

  /// A face in the frames 0 and 2 of a video.
  private static let face = Tracks.Track(
    id: "7", label: "face",
    keys: [Key(at: 0, shape: box(10, 20, 30, 40)), Key(at: 2, shape: box(14, 20, 30, 40))])

  private static let texts: [(name: String, text: String, tracks: Tracks)] = [
    (
      "csv",
      "frame,x,y,w,h,id,label\n0,10,20,30,40,7,face\n2,14,20,30,40,7,face\n",
      Tracks(.frames, [face])
    ),
    (
      "csv with shapes",
      "id;frame;shape;until;outside\n7;0;ellipse(1,2,3,4);;\n7;3;;;1\n8;1;polygon(1 2, 3 4, 5 0);end;\n",
      Tracks(
        .frames,
        [
          Tracks.Track(
            id: "7",
            keys: [
              Key(at: 0, shape: .ellipse(x: 1, y: 2, width: 3, height: 4)), Key(at: 3, shape: nil),
            ]),
          Tracks.Track(
            id: "8",
            keys: [
              Key(
                at: 1, until: .infinity,
                shape: .polygon([.init(x: 1, y: 2), .init(x: 3, y: 4), .init(x: 5, y: 0)]))
            ]),
        ])
    ),
    (
      "csv with times",
      "time,left,top,right,bottom,id,label,score\n0.5,10,20,40,60,7,face,0.5\n",
      Tracks(
        .seconds,
        [
          Tracks.Track(
            id: "7", label: "face", keys: [Key(at: 0.5, shape: box(10, 20, 30, 40), score: 0.5)])
        ])
    ),
    (
      "json",
      #"""
      {"frames": 9, "size": [64, 48], "longestStep": 2, "tracks": [{"id": 7, "label": "face", "keys": [
        {"frame": 0, "bbox": [10, 20, 30, 40], "until": 2},
        {"frame": 4, "x": 1, "y": 2, "w": 30, "h": 40, "radius": 4}, {"frame": 6, "outside": true}]}]}
      """#,
      Tracks(
        .frames,
        [
          Tracks.Track(
            id: "7", label: "face",
            keys: [
              Key(at: 0, until: 2, shape: box(10, 20, 30, 40)),
              Key(at: 4, shape: .rectangle(x: 1, y: 2, width: 30, height: 40, radius: 4)),
              Key(at: 6, shape: nil),
            ])
        ], longestStep: 2, size: Size(width: 64, height: 48), length: 9)
    ),
    (
      "mot",
      "1,7,11,21,30,40,0.5,-1,-1,-1\n3, 7, 15, 21, 30, 40, 1, -1, -1, -1\n1,-1,2,2,3,4,-1\n",
      Tracks(
        .frames,
        [
          Tracks.Track(
            id: "7",
            keys: [
              Key(at: 0, shape: box(10, 20, 30, 40), score: 0.5),
              Key(at: 2, shape: box(14, 20, 30, 40), score: 1),
            ]), Tracks.Track(keys: [Key(at: 0, shape: box(1, 1, 3, 4))]),
        ], longestStep: 1)
    ),
    (
      "YouTube-VIS",
      #"""
      {"videos": [{"id": 1, "width": 64, "height": 48, "length": 4, "file_names": ["a", "b", "c", "d"]}],
       "categories": [{"id": 3, "name": "face"}],
       "annotations": [{"id": 7, "video_id": 1, "category_id": 3, "iscrowd": 0,
         "bboxes": [[10, 20, 30, 40], null, [14, 20, 30, 40], null]}]}
      """#,
      Tracks(
        .frames, [face], longestStep: 1, size: Size(width: 64, height: 48), length: 4)
    ),
    (
      "CocoVID",
      #"""
      {"videos": [{"id": 1, "name": "film"}],
       "images": [{"id": 5, "video_id": 1, "frame_id": 0, "width": 64, "height": 48},
                  {"id": 6, "video_id": 1, "frame_id": 1}, {"id": 9, "video_id": 1, "frame_id": 2}],
       "categories": [{"id": 3, "name": "face"}],
       "annotations": [
         {"id": 1, "image_id": 5, "instance_id": 7, "category_id": 3, "bbox": [10, 20, 30, 40]},
         {"id": 2, "image_id": 9, "instance_id": 7, "category_id": 3, "bbox": [14, 20, 30, 40]}]}
      """#,
      Tracks(
        .frames, [face], longestStep: 1, size: Size(width: 64, height: 48), length: 3)
    ),
    (
      "cvat",
      #"""
      <?xml version="1.0" encoding="utf-8"?>
      <annotations><version>1.1</version>
        <meta><task><size>9</size><start_frame>0</start_frame><frame_filter></frame_filter>
          <original_size><width>64</width><height>48</height></original_size></task></meta>
        <track id="7" label="face" source="manual">
          <box frame="0" keyframe="1" outside="0" occluded="0" xtl="10" ytl="20" xbr="40" ybr="60">
            <attribute name="a">b &amp; c</attribute></box>
          <box frame="4" keyframe="1" outside="1" xtl="10" ytl="20" xbr="40" ybr="60"/>
        </track>
        <!-- open to the end -->
        <track id="8" label="a&lt;b"><polygon frame="2" outside="0" points="1.0,2.0;3,4;5,0"/></track>
        <track id="9"><ellipse frame="1" outside="0" cx="10" cy="8" rx="4" ry="2"/>
          <ellipse frame="2" outside="1" cx="10" cy="8" rx="4" ry="2"/></track>
      </annotations>
      """#,
      Tracks(
        .frames,
        [
          Tracks.Track(
            id: "7", label: "face",
            keys: [Key(at: 0, shape: box(10, 20, 30, 40)), Key(at: 4, shape: nil)]),
          Tracks.Track(
            id: "8", label: "a<b",
            keys: [
              Key(
                at: 2, until: .infinity,
                shape: .polygon([.init(x: 1, y: 2), .init(x: 3, y: 4), .init(x: 5, y: 0)]))
            ]),
          Tracks.Track(
            id: "9",
            keys: [
              Key(at: 1, shape: .ellipse(x: 6, y: 6, width: 8, height: 4)), Key(at: 2, shape: nil),
            ]),
        ], size: Size(width: 64, height: 48), length: 9)
    ),
    (
      "webvtt",
      """
      WEBVTT - faces

      NOTE nothing of this

      a
      00:01.000 --> 00:02.500 line:0
      the driver #xywh=10,20,30,40

      01:00:00.000 --> 01:00:00.500
      #xywh=percent:25,50,12.5,5
      #xywh=pixel:1,2,3,4
      """,
      Tracks(
        .seconds,
        [
          Tracks.Track(
            id: "a", label: "the driver",
            keys: [Key(at: 1, until: 2.5, shape: box(10, 20, 30, 40))]),
          Tracks.Track(
            keys: [
              Key(
                at: 3600, until: 3600.5,
                shape: .rectangle(
                  x: Length(25, .percent), y: Length(50, .percent), width: Length(12.5, .percent),
                  height: Length(5, .percent)))
            ]), Tracks.Track(keys: [Key(at: 3600, until: 3600.5, shape: box(1, 2, 3, 4))]),
        ])
    ),
  ]

  @Test(arguments: texts.indices) func everyFormIsRead(_ index: Int) throws {
    let (name, text, tracks) = Self.texts[index]
    #expect(try Tracks(text: text) == tracks, "\(name)")
    let windows = text.replacingOccurrences(of: "\n", with: "\r\n")
    #expect(try Tracks(text: "\u{FEFF}" + windows) == tracks, "\(name)")
  }

  /// Each cue's times are a cue, also where a line of blanks, or none, is before them.
  @Test(
    arguments: [
      "1\n00:00:01,000 --> 00:00:02,000\nHello\n \n2\n00:00:03,000 --> 00:00:04,000\nthere\n",
      "1\n00:00:01,000 --> 00:00:02,000\n2\n00:00:03,000 --> 00:00:04,000\nHello\n",
      "WEBVTT\n \n00:01.000 --> 00:02.000\nHello\n\t\n00:03.000 --> 00:04.000\nthere\n",
      "WEBVTT\n00:01.000 --> 00:02.000\nHello\n\nNOTE a\nb\n\nc\n00:03.000 --> 00:04.000",
      "WEBVTT\n\nNOTE a\n \n00:01.000 --> 00:02.000\nHello\n\nSTYLE\nb {}\n\t\n00:03.000 --> 00:04.000\nc\n",
      "WEBVTT\n\nREGION\nid:a\n \nc\n00:01.000 --> 00:02.000\nHello\n\nNOTE\n00:03.000 --> 00:04.000\nd\n",
      "WEBVTT\n\nNOTE\ta --> b\n\n00:01.000 --> 00:02.000\nHello\nNOTE\n00:03.000 --> 00:04.000\nd\n",
    ])
  func noCueIsAnothersWords(_ text: String) throws {
    var reading = TracksReading()
    reading.cuesAt = [Self.box(1, 2, 3, 4)]
    for text in [text, text.replacingOccurrences(of: "\n", with: "\r\n")] {
      let keys = try Tracks(text: text, reading).tracks.flatMap(\.keys)
      #expect(keys.map(\.at) == [1, 3] && keys.map(\.until) == [2, 4], "\(text)")
    }
    // Words with an arrow are taken for times, rather than times for words.
    #expect(throws: RegionsError.self) {
      try Tracks(text: text.replacingOccurrences(of: "Hello", with: "one --> two"), reading)
    }
  }

  /// Written tracks read back the same, as far as the form holds them.
  @Test(arguments: texts.indices) func whatIsWrittenIsRead(_ index: Int) throws {
    let tracks = Self.texts[index].tracks
    let written = try WrittenTracks(tracks, as: .json)
    let back = try Tracks(text: written.files[0].text)
    // In JSON each has an id.
    var named = tracks
    for track in named.tracks.indices {
      named.tracks[track].id = tracks.tracks[track].id ?? "\(track)"
    }
    #expect(back == named && written.losses.isEmpty, "\(written)")
    let csv = try Tracks(text: WrittenTracks(tracks, as: .csv).files[0].text)
    #expect(Set(csv.tracks.flatMap(\.keys)) == Set(tracks.tracks.flatMap(\.keys)))
    for format in [TracksFormat.mot, .cocoVideo, .cvat, .webvtt] {
      let size = Size(width: 64, height: 48)
      let written = try WrittenTracks(tracks, as: format, size: size, rate: FrameRate(25, in: 1))
      let other = try Tracks(text: written.files[0].text)
      // The first key of each box is where it was.
      let first = tracks.tracks[0].keys[0].shape?.inPixels(of: size, scale: 1)
      guard case .rectangle(_, _, _, _, 0, _)? = first else { continue }
      #expect(
        other.tracks.contains { $0.keys.contains { $0.shape == first } }, "\(format) \(written)")
    }
  }

  @Test(arguments: [TracksFormat.cvat, .webvtt]) func theSizeThatTracksTellIsUsed(
    _ format: TracksFormat
  ) throws {
    let text = #"""
      {"size": [64, 50], "tracks": [{"keys": [
        {"frame": 0, "x": "25%", "y": "10%", "w": "50%", "h": "20%", "until": 5}]}]}
      """#
    let written = try WrittenTracks(Tracks(text: text), as: format, rate: FrameRate(25, in: 1))
    let back = try Tracks(text: written.files[0].text)
    #expect(back.tracks[0].keys[0].shape == Self.box(16, 5, 32, 10), "\(written)")
    #expect(back.size == (format == .cvat ? Size(width: 64, height: 50) : nil))
    #expect(written.losses.contains { $0.contains("how large") } == (format == .webvtt))
  }

  /// Numbers of frames and pixels in CVAT's file that cannot be.
  @Test(arguments: ["nan", "inf", "1e300", "-3", "0", "9000000000000000000"])
  func aSizeThatCannotBeIsNotKnown(_ size: String) throws {
    let text = """
      <annotations><meta><task><size>\(size)</size><original_size><width>\(size)</width>
      <height>80</height></original_size></task></meta><track id="0" label="face">
      <box frame="0" xtl="1" ytl="2" xbr="30" ybr="40"/></track></annotations>
      """
    let tracks = try Tracks(text: text)
    #expect(tracks.length == nil && tracks.size == nil)
    for format in [TracksFormat.cvat, .cocoVideo, .mot] {
      let written = try WrittenTracks(tracks, as: format, size: Size(width: 100, height: 80))
      #expect(try Tracks(text: written.files[0].text).tracks.count == 1, "\(format)")
    }
  }

  /// Forms that have a line for each frame, or a cue for each in which something moves.
  @Test(arguments: [TracksFormat.mot, .cocoVideo, .webvtt])
  func whatWouldHaveTooManyLinesIsNotWritten(_ format: TracksFormat) throws {
    let keys =
      format == .webvtt
      ? #"{"time": 0, "bbox": [1, 2, 9, 9]}, {"time": 999999999, "bbox": [5, 2, 9, 9]}"#
      : #"{"frame": 0, "bbox": [1, 2, 9, 9], "until": 999999999}"#
    let clock = format == .webvtt ? #""clock": "seconds", "# : ""
    let tracks = try Tracks(text: "{\(clock)\"tracks\": [{\"id\": 1, \"keys\": [\(keys)]}]}")
    let error = #expect(throws: RegionsError.self) {
      try WrittenTracks(
        tracks, as: format, size: Size(width: 64, height: 48), rate: FrameRate(25, in: 1))
    }
    #expect(error.map { "\($0)".contains("at most 10000000") } == true)
  }

  private func folder(
    _ files: [String: String], _ reading: TracksReading = TracksReading()
  ) throws -> Tracks {
    let path = FileManager.default.temporaryDirectory.path + "/frostglass-tracks-\(UUID())"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    for (name, text) in files {
      try text.write(toFile: path + "/" + name, atomically: false, encoding: .utf8)
    }
    do { return try Tracks(path: path, reading) } catch {
      throw Told(text: "\(error)".replacingOccurrences(of: path, with: "folder"))
    }
  }

  private struct Told: Error { var text: String }

  /// A key far off would make a line for every frame before it.
  @Test(arguments: [TracksFormat.mot, .cocoVideo, .yolo, .kitti])
  func absurdLengthsAreRefused(_ format: TracksFormat) throws {
    let text = "frame,x,y,width,height,id\n0,1,2,3,4,1\n900000000,1,2,3,4,1\n"
    let tracks = try Tracks(text: text)
    let error = #expect(throws: RegionsError.self) {
      try WrittenTracks(tracks, as: format, size: Size(width: 90, height: 60))
    }
    #expect(error.map { "\($0)".contains("at most 10000000") } == true)
    #expect(try WrittenTracks(tracks, as: .json).files.count == 1)
  }

  private func reading(_ change: (inout TracksReading) -> Void) -> TracksReading {
    var reading = TracksReading()
    change(&reading)
    return reading
  }

  @Test func foldersWithAFileForEachFrame() throws {
    let percent = MaskShape.rectangle(
      x: Length(25, .percent), y: Length(50, .percent), width: Length(50, .percent),
      height: Length(25, .percent))
    let yolo = try folder([
      "clip_0.txt": "1 0.5 0.625 0.5 0.25\n", "clip_2.txt": "0 0.1 0.1 0.2 0.1 0.2 0.2 0.3 0.3\n",
      "classes.txt": "face\nplate\n",
    ])
    #expect(yolo.tracks[0] == Tracks.Track(label: "plate", keys: [Key(at: 0, shape: percent)]))
    #expect(yolo.tracks[1].label == "face" && yolo.tracks[1].keys[0].at == 2)
    let tracked = try folder(
      ["clip_1.txt": "0 0.5 0.625 0.5 0.25 3\n", "clip_2.txt": "0 0.5 0.625 0.5 0.25 3\n"],
      reading {
        $0.base = 1
        $0.columns = .id
      })
    #expect(
      tracked.tracks == [
        Tracks.Track(
          id: "3", label: "0", keys: [Key(at: 0, shape: percent), Key(at: 1, shape: percent)])
      ])
    let both = try folder([
      "0.txt": "0 0.5 0.625 0.5 0.25 0.9 1\n", "1.txt": "0 0.5 0.625 0.5 0.25 0.5 12\n",
    ])
    #expect(both.tracks.map(\.id) == ["1", "12"] && both.tracks[0].keys[0].score == 0.9)
    let rest = " 0.0 0.0 0.0 0.0 0.0 0.0 0.0"
    let kitti = try folder([
      "00_000_000001.txt": "face 5 0.0 0 0.0 10 20 40 60\(rest) 0.5\n",
      "00_000_000002.txt": "face 5 0.0 0 0.0 14 20 44 60\(rest) 0.5\n",
      "00_000_000003.txt": "car 0.0 0 0.0 1 2 4 6\(rest)\n",
    ])
    #expect(kitti.tracks.map(\.id) == ["5", nil] && kitti.tracks[0].keys.map(\.at) == [1, 2])
    #expect(kitti.tracks[0].keys[0].shape == Self.box(10, 20, 30, 40))
    #expect(
      kitti.tracks[1] == Tracks.Track(label: "car", keys: [Key(at: 3, shape: Self.box(1, 2, 3, 4))])
    )
    // They are written as they are read.
    let size = Size(width: 64, height: 48)
    for (format, columns) in [(TracksFormat.kitti, nil), (.yolo, TracksReading.Columns.scoreAndID)]
    {
      var tracks = kitti
      tracks.tracks.removeLast()
      let written = try WrittenTracks(tracks, as: format, size: size)
      let files = Dictionary(written.files.map { ($0.name, $0.text) }) { $1 }
      let back = try folder(files, reading { $0.columns = columns })
      #expect(back.tracks[0].id == "5" && back.tracks[0].keys.map(\.at) == [1, 2], "\(written)")
      // Shares of the video come back but for rounding.
      let shape = try #require(back.tracks[0].keys[0].shape?.inPixels(of: size, scale: 1))
      guard case .rectangle(let x, let y, let width, let height, 0, _) = shape else {
        Issue.record("\(shape)")
        continue
      }
      for (side, exact) in zip([x, y, width, height], [10.0, 20, 30, 40]) {
        #expect(abs(side.value - exact) < 1e-9, "\(shape)")
      }
    }
  }

  /// A score that is missing is none of 0, which `--min-score` would leave uncovered.
  @Test(
    arguments: [
      ("id,score", ["1,", "2,"], [nil]), ("id,score", ["1,0.5", "2,"], [0.5, nil]),
      ("label,score", ["a,0.5", "b,"], [0.5, nil]), ("label,score", ["a,0", "b,0.5"], [0, 0.5]),
    ] as [(String, [String], Set<Double?>)])
  func aMissingScoreStaysMissingInKITTI(
    _ names: String, _ rows: [String], _ scores: Set<Double?>
  ) throws {
    let boxes = rows.enumerated().map { "0,\($0 * 50),20,30,40,\($1)\n" }
    let tracks = try Tracks(text: "frame,x,y,w,h,\(names)\n" + boxes.joined())
    let written = try WrittenTracks(tracks, as: .kitti)
    #expect(!written.losses.contains { $0.contains("score") }, "\(written)")
    let back = try folder(Dictionary(written.files.map { ($0.name, $0.text) }) { $1 })
    #expect(back.tracks.count == 2 && Set(back.tracks.flatMap(\.keys).map(\.score)) == scores)
  }

  @Test(arguments: [
    (["7.txt": "0 0.5 0.5 0.5 0.5\n"], "--tracks-base 0 or 1"),
    (["a_0.txt": "0 0.5 0.5 0.5 0.5\n", "b_0.txt": ""], "--tracks-of says which video"),
    (["0.txt": "0 0.5 0.5 0.5 0.5 1\n"], "--tracks-columns score or id"),
    (["0.txt": "0 0.5 0.5 0.5 0.5 0.5 1\n"], "--tracks-columns score-id"),
    (["0.txt": "0 50 50 20 20\n"], "from 0 to 1"), (["0.txt": "face 1 2\n"], "KITTI's; it must be"),
    (["film.txt": ""], "does not end with the number of a frame"),
    (["0.txt": ""], "no regions in it"),
    ([:], "there are no texts"),
    (["0.txt": "0 0.0 0 0 1 2 3 4 0 0 0 0 0 0 0\n"], "--tracks-format yolo or kitti"),
  ])
  func foldersThatCouldBeAnything(_ files: [String: String], _ words: String) {
    let error = #expect(throws: Told.self) { try folder(files) }
    #expect(error?.text.contains(words) == true, "\(String(describing: error))")
  }

  @Test(arguments: [
    ("0,1,2,3,4,5,1,-1,-1,-1", "--tracks-base 0 says"), ("1,2,3,4", "no line of MOT"),
    ("1,1,5,5,0,4,1,-1,-1,-1", "both must be over 0"),
    ("1,1,5,5,4,4,1\n1,1,6,6,4,4,1", "2:1: track 1 is in two places at frame 0"),
    ("x,y,w,h\n1,2,3,4", "there is no column frame"),
    ("frame,time,x,y,w,h\n1,1,1,2,3,4", "one of them is too much"),
    ("frame,x,y,w,h,lable\n1,1,2,3,4,a", "did you mean label"),
    ("frame,x,y,w,h\n1.5,1,2,3,4", "a whole number from 0 on"),
    ("frame,x,y,w,h\n1,0.1,0.2,0.3,0.4", "fractions"),
    ("frame,shape\n1,\"gradient(1 2, 3 4)\"", "one rectangle, ellipse or polygon"),
    (#"{"regions": []}"#, "neither tracks nor"),
    (#"{"tracks": [{"id": 1, "keys": [{"frame": 0, "bbox": [1, 2, 3, 4], "scor": 1}]}]}"#, "score"),
    (
      #"{"tracks": [{"id": 1, "keys": [{"frame": 1, "bbox": [1, 2, 3, 4]}, {"frame": 1, "outside": true}]}]}"#,
      "after one at"
    ),
    (#"{"tracks": [], "frame": 3}"#, "did you mean frames"),
    (
      #"{"size": [0, 9], "tracks": [{"id": 1, "keys": [{"frame": 0, "bbox": [1, 2, 3, 4]}]}]}"#,
      "size is 0×9; both must be over 0"
    ),
    (
      #"{"frames": 1e300, "tracks": [{"id": 1, "keys": [{"frame": 0, "bbox": [1, 2, 3, 4]}]}]}"#,
      "frames is 1e+300; it must be over 0, and under a billion"
    ),
    (
      #"{"tracks": [{"id": 1, "keys": [{"frame": 0, "time": 2, "bbox": [1, 2, 3, 4]}]}]}"#,
      "tracks[0].keys[0]"
    ),
    (
      #"{"tracks": [{"id": 1, "keys": [{"frame": 0, "bbox": [1, 2, 3, 4], "until": 1e300}]}]}"#,
      "under a billion"
    ),
    (#"{"videos": [{"id": 1}, {"id": 2}], "annotations": []}"#, "--tracks-of"),
    (
      #"{"videos": [{"id": 1}], "images": [{"id": 1, "video_id": 1, "frame_id": 1}]}"#,
      "--tracks-base 0 or 1"
    ),
    (
      #"{"videos": [{"id": 1}], "annotations": [{"id": 1, "video_id": 1, "segmentations": []}]}"#,
      "--outlines takes its segmentations"
    ),
    ("<annotations><image id=\"0\"/></annotations>", "CVAT for images"),
    (
      "<annotations><track id=\"0\"><points frame=\"0\" points=\"1,2\"/></track></annotations>",
      "no area"
    ),
    (
      "<annotations><track id=\"0\"><box frame=\"0\" xtl=\"1\"/></track></annotations>",
      "has no ytl"
    ),
    (
      "<annotations><track id=\"0\"><polygon frame=\"0\" points=\"1,2;nan,4;5,1e300\"/></track></annotations>",
      "no three corners"
    ),
    ("<!DOCTYPE a [<!ENTITY b \"c\">]><annotations/>", "document types are not read"),
    ("<annotations><track></annotations>", "“annotations” was closed"),
    ("<annotations", "ended unexpectedly"), ("<annotations/><annotations/>", "there is more"),
    ("<annotations a=\"1\" a=\"2\"/>", "a is given twice"),
    (String(repeating: "<a>", count: 65), "nested more than 64 deep"),
    ("<annotations>&b;</annotations>", "Entity name “b” is not known"),
    ("WEBVTT\n\n00:01.000 --> 00:02.000\nsprite.jpg#xywh=0,0,10,10", "a part of another image"),
    ("WEBVTT\n\n00:01.000 --> 00:02.000\nHello", "has no #xywh="),
    ("WEBVTT\n\n00:03.000 --> 00:02.000\n#xywh=0,0,10,10", "must be times"),
    ("WEBVTT\n\n00:01.000 --> 00:02.000\n#xywh=percent:90,0,20,10", "must be #xywh="),
  ])
  func whatIsWrongIsNamed(_ text: String, _ words: String) {
    let error = #expect(throws: RegionsError.self) { try Tracks(text: text) }
    #expect(error.map { "\($0)".contains(words) } == true, "\(String(describing: error))")
  }
}
