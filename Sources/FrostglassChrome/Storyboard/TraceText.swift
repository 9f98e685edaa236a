internal import FrostglassCore

/// Numbers in a trace.
enum TraceText {
  /// To a thousandth, without needless zeros.
  static func number(_ value: Double) -> String {
    let rounded = (value * 1000).rounded() / 1000
    return rounded == rounded.rounded() && abs(rounded) < 1e15
      ? "\(Int(rounded))" : "\(rounded)"
  }

  /// The four columns of a frame.
  static func frame(_ name: String, _ frame: LayoutRect) -> [(column: String, value: String)] {
    [
      ("\(name).x", number(frame.x)), ("\(name).y", number(frame.y)),
      ("\(name).width", number(frame.width)), ("\(name).height", number(frame.height)),
    ]
  }

  /// Frames and alphas of items laid out in a bar or view.
  static func items(
    of parent: String, _ bar: FlexibleBar, width: Double
  ) -> [(column: String, value: String)] {
    bar.layout(width: width).sorted { $0.id < $1.id }.flatMap { placed in
      frame("\(parent)/\(placed.id)", placed.attributes.untransformedFrame)
        + [("\(parent)/\(placed.id).alpha", number(placed.attributes.alpha))]
    }
  }
}
