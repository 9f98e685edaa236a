internal import FrostglassCore
internal import FrostglassFind
internal import FrostglassOptions

/// The faces of some images as a file that `--regions` reads.
struct FoundFile {
  /// The format of the file.
  enum Form: String, CaseIterable {
    /// JSON as COCO has it, with scores and the models that looked.
    case json
    /// The same.
    case coco
    /// A line for each face.
    case csv

    /// The form by a name's ending; `nil` for any other name.
    init?(path: String) {
      switch path.split(separator: ".").last?.lowercased() {
      case "json": self = .json
      case "csv": self = .csv
      default: return nil
      }
    }
  }

  /// An image with what was found in it.
  struct Entry {
    var path: String
    var record: FindRecord
  }

  let entries: [Entry]

  /// The whole file.
  func text(_ form: Form) -> String {
    switch form {
    case .json, .coco: coco
    case .csv: csv
    }
  }

  private var csv: String {
    let rows = entries.flatMap { entry in
      entry.record.found.covered.map { face in
        let fields = face.box.map { "\($0)" } + [face.label, "\(face.score.rounded(places: 3))"]
        return ([entry.path.csvQuoted] + fields).joined(separator: ",")
      }
    }
    return (["image,x,y,width,height,label,score"] + rows).joined(separator: "\n") + "\n"
  }

  /// An image or a face in each line.
  private var coco: String {
    var (images, faces): ([String], [String]) = ([], [])
    for (index, entry) in entries.enumerated() {
      let size = entry.record.found.size
      images.append(
        JSONText.object([
          ("id", "\(index + 1)"), ("file_name", entry.path.jsonPath), ("width", "\(size.width)"),
          ("height", "\(size.height)"),
        ]))
      for face in entry.record.found.covered {
        faces.append(Self.annotation(face, id: faces.count + 1, image: index + 1))
      }
    }
    func list(_ rows: [String]) -> String {
      rows.isEmpty ? "[]" : "[\n    " + rows.joined(separator: ",\n    ") + "\n  ]"
    }
    let category = JSONText.object([
      ("id", "1"), ("name", JSONText.string("face")),
      (
        "keypoints",
        JSONText.array(
          ["left_eye", "right_eye", "nose", "left_mouth", "right_mouth"].map(JSONText.string))
      ),
    ])
    let search = entries.first.map { entry in
      JSONText.object([
        ("description", JSONText.string("faces found by frostglass \(CommandLineTool.version)")),
        ("effort", JSONText.string(entry.record.effort.rawValue)),
        ("score", "\(entry.record.score)"),
        (
          "models",
          JSONText.array(
            entry.record.models.map {
              JSONText.object([
                ("name", $0.name.jsonPath), ("sha256", JSONText.string($0.digest)),
              ])
            })
        ),
      ])
    }
    return """
      {
        "info": \(search ?? "{}"),
        "images": \(list(images)),
        "annotations": \(list(faces)),
        "categories": \(list([category]))
      }

      """
  }

  private static func annotation(_ face: Found, id: Int, image: Int) -> String {
    let box = face.box
    let points: [Double] = face.points.flatMap { point -> [Double] in
      [point.x.rounded(places: 1), point.y.rounded(places: 1), 2]
    }
    return JSONText.object([
      ("id", "\(id)"), ("image_id", "\(image)"), ("category_id", "1"),
      ("bbox", JSONText.array(box.map { "\($0)" })),
      ("area", "\((box[2] * box[3]).rounded(places: 1))"), ("iscrowd", "0"),
      ("score", "\(face.score.rounded(places: 3))"),
      ("keypoints", JSONText.array(points.map { shortest($0) })),
      ("num_keypoints", "\(face.points.count)"),
    ])
  }

  /// The members of the JSON that `--json` prints.
  var report: [(String, String)] {
    [
      (
        "images",
        JSONText.array(
          entries.map {
            JSONText.object([("input", $0.path.jsonPath), ("found", $0.record.json)])
          })
      )
    ]
  }
}
