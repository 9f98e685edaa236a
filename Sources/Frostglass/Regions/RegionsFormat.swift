/// How a file lists regions; docs/regions.md describes each and says where that is written.
public enum RegionsFormat: String, Sendable, Hashable, CaseIterable {
  /// JSON with `regions`, or with COCO's `annotations`.
  case json
  /// A table, as pandas writes it too.
  case csv
  /// `to_json()` of Ultralytics, in pixels.
  case ultralytics
  /// The same with fractions of the picture, which does not show in the file.
  case ultralyticsNormalized = "ultralytics-normalized"
  /// Faces, instances of labels, and texts of AWS Rekognition.
  case rekognition
  /// Faces, objects, logos and texts of Google Cloud Vision.
  case googleVision = "google-vision"
  /// Azure Face, and people, objects, brands and texts of Azure Vision.
  case azure
  /// Detections of MediaPipe, in pixels or as fractions, as they say.
  case mediapipe
  /// `detect_faces()` of RetinaFace.
  case retinaface
  /// `extract_faces()`, `represent()` and `analyze()` of DeepFace.
  case deepface
}

extension RegionsFormat {
  /// The format that a document's structure tells.
  ///
  /// - Throws: `RegionsError.malformed` where it could be several.
  init(recognizing document: JSONValue) throws(RegionsError) {
    let found =
      switch document.content {
      case .object(let members): Self.formats(of: members)
      case .array(let list): Self.formats(ofElements: list)
      default: [RegionsFormat]()
      }
    guard found.count <= 1 else {
      throw .malformed(
        path: "", place: document.place,
        reason: "it could be \(found.map(\.rawValue).joined(separator: " or ")); "
          + "--regions-format says which")
    }
    self = found.first ?? .json
  }

  private static func formats(of members: [JSONValue.Member]) -> [RegionsFormat] {
    let known: [(format: RegionsFormat, names: Set<String>)] = [
      (.json, ["regions", "annotations"]),
      (.rekognition, ["facedetails", "labels", "textdetections"]),
      (
        .googleVision,
        [
          "responses", "faceannotations", "localizedobjectannotations", "textannotations",
          "logoannotations",
        ]
      ),
      (.azure, ["faces", "objects", "brands", "objectsresult", "peopleresult", "readresult"]),
      (.mediapipe, ["detections"]),
    ]
    let names = members.map(\.name.withoutStyle)
    var found = known.filter { !$0.names.isDisjoint(with: names) }.map(\.format)
    if members.contains(where: { $0.value.member("facial_area") != nil }) {
      found.append(.retinaface)
    }
    return found
  }

  private static func formats(ofElements list: [JSONValue]) -> [RegionsFormat] {
    let known: [(format: RegionsFormat, names: [[String]])] = [
      (.ultralytics, [["name", "class", "confidence", "box"]]),
      (.azure, [["faceRectangle"]]),
      (.mediapipe, [["locationData"], ["boundingBox", "categories"]]),
      (.deepface, [["facial_area"], ["region"]]),
    ]
    return known.filter { row in
      list.contains { element in
        row.names.contains { $0.allSatisfy { element.member($0) != nil } }
      }
    }.map(\.format)
  }
}

extension JSONValue {
  /// A member of an object that is not `null`, however programs write its name: `faceRectangle`,
  /// `FaceRectangle` or `face_rectangle`.
  func member(_ name: String) -> JSONValue? {
    guard case .object(let members) = content else { return nil }
    let plain = name.withoutStyle
    guard let value = members.first(where: { $0.name.withoutStyle == plain })?.value,
      value.content != .null
    else { return nil }
    return value
  }

  /// A text, or a number as text.
  var label: String? {
    switch content {
    case .string(let text): text
    case .number(let number):
      number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
    default: nil
    }
  }
}

extension String {
  /// A name without capitals and underscores.
  fileprivate var withoutStyle: String { lowercased().filter { $0 != "_" } }
}
