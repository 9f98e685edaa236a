import Frostglass
import FrostglassScenes
import Testing

/// An object of a scene that can be read, in a document around it.
struct SchemaSample: Sendable, CustomTestStringConvertible {
  /// The name of the definition in docs/scene.schema.json.
  let definition: String
  /// The given properties, as JSON.
  let given: [(name: String, json: String)]
  /// The document; `@` stands for the object.
  let document: String

  init(_ definition: String, _ given: KeyValuePairs<String, String>, in document: String) {
    self.definition = definition
    self.given = given.map { ($0.key, $0.value) }
    self.document = document
  }

  var testDescription: String { "\(definition) with \(given.map(\.name))" }

  /// Returns the reader's error for the document with another value in the object, or none.
  func error(with name: String, _ json: String) -> DocumentError? {
    let members =
      given.filter { $0.name != name }.map { "\"\($0.name)\": \($0.json)" } + [
        "\"\(name)\": \(json)"
      ]
    let object = "{" + members.joined(separator: ", ") + "}"
    do throws(DocumentError) {
      _ = try SceneDocument(json: document.replacing("@", with: object))
      return nil
    } catch { return error }
  }
}

extension SchemaSample {
  private static let layer = #"{"canvas": {"width": 9, "height": 9}, "layers": [@]}"#

  private static func inCanvas(_ member: String) -> String {
    #"{"canvas": {"width": 9, "height": 9}, \#(member)}"#
  }

  private static func inLayer(_ member: String) -> String { layer.replacing("@", with: member) }

  private static let item = inLayer(#"{"kind": "bar", "items": [@]}"#)
  private static let easing =
    item.replacing("@", with: #"{"fill": "red", "keyframes": [{"at": 0, "easing": @}]}"#)
  private static let behavior = inLayer(#"{"kind": "bar", "behavior": @}"#)
  private static let gesture = inCanvas(#""scroll": {"gestures": [@]}"#)

  /// Every object of the format, where its names depend on each other in each form.
  static let all =
    [
      SchemaSample("scene", ["canvas": #"{"width": 9, "height": 9}"#], in: "@"),
      SchemaSample("canvas", ["width": "9", "height": "9"], in: #"{"canvas": @}"#),
      SchemaSample("content", ["height": "9"], in: inCanvas(#""content": @"#)),
      SchemaSample(
        "rows", ["count": "1", "height": "9", "items": "[]"],
        in: inCanvas(#""content": {"rows": @}"#)),
      SchemaSample(
        "header", ["height": "9"],
        in: inCanvas(#""content": {"rows": [{"count": 1, "height": 9, "items": [], "header": @}]}"#)
      ),
      SchemaSample("scroll", [:], in: inCanvas(#""scroll": @"#)),
      SchemaSample("indicator", [:], in: inCanvas(#""scroll": {"indicator": @}"#)),
      SchemaSample("gesture", ["at": "0", "drag": "9"], in: gesture),
      SchemaSample("gesture", ["at": "0", "tapToTop": "true"], in: gesture),
      SchemaSample("gesture", ["at": "0", "scrollTo": "9"], in: gesture),
      SchemaSample("itemLayer", ["fill": #""red""#], in: layer),
      SchemaSample("item", ["image": #""a.png""#], in: item),
      SchemaSample("item", ["text": #""a""#], in: item),
      SchemaSample("item", ["fill": #""red""#], in: item),
      SchemaSample("item", ["material": #""blur(2pt)""#], in: item),
      SchemaSample("item", ["symbol": #""wifi""#], in: item),
      SchemaSample("item", ["gradient": #"["red", "blue"]"#], in: item),
      SchemaSample("item", ["items": "[]"], in: item),
      SchemaSample(
        "border", ["color": #""red""#],
        in: item.replacing("@", with: #"{"fill": "red", "border": @}"#)),
      SchemaSample("shadow", [:], in: item.replacing("@", with: #"{"fill": "red", "shadow": @}"#)),
      SchemaSample(
        "keyframe", ["progress": "0"],
        in: item.replacing("@", with: #"{"fill": "red", "keyframes": [@]}"#)),
      SchemaSample(
        "keyframe", ["at": "0"],
        in: item.replacing("@", with: #"{"fill": "red", "keyframes": [@]}"#)),
      SchemaSample("spring", ["duration": "0.5"], in: easing),
      SchemaSample("spring", ["stiffness": "90", "damping": "20"], in: easing),
      SchemaSample(
        "transform", [:], in: item.replacing("@", with: #"{"fill": "red", "transform": @}"#)),
      SchemaSample("bar", ["kind": #""bar""#], in: layer),
      SchemaSample("scrollAwayBehavior", ["kind": #""scroll-away""#], in: behavior),
      SchemaSample("revealBehavior", ["kind": #""reveal""#], in: behavior),
      SchemaSample("velocityBehavior", ["kind": #""velocity""#], in: behavior),
      SchemaSample("fixedBehavior", ["kind": #""fixed""#], in: behavior),
      SchemaSample("statusBar", ["kind": #""status-bar""#], in: layer),
    ] + events

  private static let statusEvent = inLayer(#"{"kind": "status-bar", "events": [@]}"#)
  private static let viewEvent =
    inLayer(#"{"kind": "backdrop", "frame": [0, 0, 9, 9], "events": [@]}"#)

  private static let events = [
    SchemaSample("statusBarEvent", ["at": "0", "activity": #""call""#], in: statusEvent),
    SchemaSample("statusBarEvent", ["at": "0", "style": #""dark""#], in: statusEvent),
    SchemaSample("statusBarEvent", ["at": "0", "hidden": "true"], in: statusEvent),
    SchemaSample(
      "controller", ["name": #""root""#],
      in: inLayer(#"{"kind": "status-bar", "controllers": @}"#)),
    SchemaSample(
      "statusBarEvent", ["at": "0", "present": #"{"name": "b"}"#, "by": #""a""#],
      in: inLayer(#"{"kind": "status-bar", "controllers": {"name": "a"}, "events": [@]}"#)),
    SchemaSample(
      "statusBarEvent", ["at": "0", "push": #"{"name": "b"}"#, "onto": #""a""#],
      in: inLayer(
        #"{"kind": "status-bar", "controllers": {"name": "a", "stack": [{"name": "c"}]}, "events": [@]}"#
      )),
    SchemaSample("backdrop", ["kind": #""backdrop""#, "frame": "[0, 0, 9, 9]"], in: layer),
    SchemaSample("backdropEvent", ["at": "0", "shown": "true"], in: viewEvent),
    SchemaSample("backdropEvent", ["at": "0", "frame": "[0, 0, 9, 9]"], in: viewEvent),
  ]
}
