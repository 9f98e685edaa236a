import Frostglass
import FrostglassCore
import TestSupport

/// Texts that read, from the catalog, the documentation and the examples.
enum TextSamples {
  static func all() -> [FuzzSample] {
    sample(.filter, filters) + sample(.css, declarations) + sample(.region, regions)
      + sample(.csv, tables) + sample(.json, lists) + detectors + sample(.preset, presets)
      + sample(.value, values)
      + Files.paths(below: Files.root + "/Examples/scenes", ending: ".json").compactMap { path in
        Files.text(of: path).map {
          FuzzSample(.scene, String(path.split(separator: "/").last ?? ""), Array($0.utf8))
        }
      }
  }

  /// The outputs of detectors.
  private static var detectors: [FuzzSample] {
    let files = Files.paths(below: Files.root + "/Tests/Fixtures/Detectors", ending: "").sorted()
    return files.compactMap { path in
      let name = String(path.split(separator: "/").last ?? "")
      // These need an option to be read.
      guard !name.contains("normalized"), !name.contains("several") else { return nil }
      let kind: FuzzKind? =
        name.hasSuffix(".json") ? .json : name.hasSuffix(".csv") ? .csv : nil
      return kind.flatMap { kind in
        Files.text(of: path).map { FuzzSample(kind, name, Array($0.utf8)) }
      }
    }
  }

  private static func sample(_ kind: FuzzKind, _ texts: [String]) -> [FuzzSample] {
    texts.enumerated().map { FuzzSample(kind, "\($0.offset + 1)", Array($0.element.utf8)) }
  }

  private static var filters: [String] {
    Catalog.filters.flatMap { [$0.info.example, "\($0.name)()"] } + [
      "gaussian(x=20, y=5, edge=mirror) /* then */ tint(hsl(120deg 50% 50%), alpha=30%) mix(50%)",
      "hue-rotate(0.25turn) blur(pillow:7.5) drop-shadow(x=1, y=2%, blur=3pt, color=#12345678)",
    ]
  }

  private static let declarations = [
    "filter: blur(4px) contrast(1.2) drop-shadow(rgb(0 0 0 / 50%) 2px -3px 4px) !important;",
    "-webkit-backdrop-filter: saturate(180%) blur(20px);\nbackdrop-filter: saturate(180%) blur(20px);",
    "backdrop-filter: none", "filter: hue-rotate(90deg) opacity(.5) invert(1)",
  ]

  private static let regions = [
    "40,30,200,100", "ellipse(10%,10%,30%,40%); rounded(1,2,30,40,5)",
    "continuous(1pt,2pt,30pt,40pt,50%)", "polygon(0 0, 10 0, 10 10.5, -3% 20px)",
    "gradient(0 0, 0 100%, ease-in)",
  ]

  private static let tables = [
    "x,y,width,height,label\n1,2,30,40,face\n5.5,6,7e1,8,\"a, plate\"\n",
    "x1;y1;x2;y2\n0.5;1;20;30px\n# no more\n", "x\ty\tw\th\n1\t2\t3\t4\r\n",
  ]

  private static let lists = [
    #"[{"x": 1, "y": 2, "width": 30, "height": 40, "label": "face"}, {"box": [1, 2, 3, 4]}]"#,
    #"{"normalized": true, "regions": [{"x": 0.1, "y": 0.2, "width": 0.3, "height": 0.4}]}"#,
    #"{"images": [], "annotations": [{"id": 1, "bbox": [1, 2, 3, 4], "category_id": 1, "#
      + #""segmentation": [[1, 1, 5, 1, 5, 5]], "iscrowd": 0}], "categories": []}"#,
    #"[{"polygon": [[0, 0], [10, 0], [10, 10]]}, {"ellipse": [1, 2, 3, 4], "score": 0.5}]"#,
  ]

  private static let presets = [
    #"{"filter": "blur(20px)"}"#,
    #"{"name": "Frost \u00fc", "description": "d", "filter": "dark() grain(0.02)", "edge": "mirror", "#
      + #""quality": "fast", "scale": 2.5, "linear": true}"#,
  ]

  private static let values = [
    "#12345678", "rgb(10% 20% 30% / 0.5)", "hsla(0.5turn, 50%, 25%, 1)", "rebeccapurple", "2.5%",
    "-1e3px", "12pt", "5mm", "pillow:10", "1.5GiB", "512m",
  ]
}
