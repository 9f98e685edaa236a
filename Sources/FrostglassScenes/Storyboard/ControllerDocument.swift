package import FrostglassCore

/// A change to the tree of controllers that decides about a status bar.
package struct ControllerChange: Sendable, Hashable {
  private let kind: Kind
  private let place: TextPosition
  private let path: String
  /// The time in which a bar's content takes its new color, in seconds.
  private let duration: Double

  private enum Kind: Sendable, Hashable {
    case replace(StatusBarController)
    case present(StatusBarController, by: String)
    case dismiss(String)
    case push(StatusBarController, onto: String)
    case pop(String)
  }

  /// The members of an event that are one.
  static let names = ["controllers", "present", "dismiss", "push", "pop"]

  /// Reads an event's change of controllers; `nil` if it has none.
  ///
  /// - Parameter hasControllers: true if there is a tree to change.
  init?(_ object: inout DocumentObject, hasControllers: Bool) throws(DocumentError) {
    guard let (name, value) = try object.one(of: ControllerChange.names) else { return nil }
    guard hasControllers else {
      throw value.error("changes controllers, and the status bar has none; give \"controllers\"")
    }
    switch name {
    case "controllers": kind = .replace(try StatusBarController(value))
    case "present":
      kind = .present(
        try StatusBarController(value), by: try object.required("by").text())
    case "push":
      kind = .push(try StatusBarController(value), onto: try object.required("onto").text())
    case "dismiss": kind = .dismiss(try value.text())
    default: kind = .pop(try value.text())
    }
    duration = try object.number("duration", in: 0...60, default: 0.25)
    (place, path) = (value.value.place, value.path)
  }

  private func error(_ reason: String) -> DocumentError { DocumentError(place, path, reason) }

  /// Changes the tree.
  ///
  /// - Throws: for a controller that is not there or cannot do it, and one whose name is taken.
  private func apply(to root: inout StatusBarController) throws(DocumentError) {
    switch kind {
    case .replace(let other): root = other
    case .present(let modal, let name):
      let presenter = try controller(name, in: root)
      if let other = presenter.presented {
        throw error(
          "is presented by \(name), which presents \(other.name) already; dismiss that first")
      }
      root.change(name) { $0.presented = modal }
    case .dismiss(let name):
      guard let presenter = root.all.first(where: { $0.presented?.name == name }) else {
        _ = try controller(name, in: root)
        throw error("names \(name), which is not presented by any controller")
      }
      root.change(presenter.name) { $0.presented = nil }
    case .push(let next, let name): try push(next, name, &root)
    case .pop(let name): try push(nil, name, &root)
    }
    try root.checkNames { [self] reason in error(reason) }
  }

  /// Pushes a controller, or pops the topmost where there is none.
  private func push(
    _ next: StatusBarController?, _ name: String, _ root: inout StatusBarController
  ) throws(DocumentError) {
    guard case .navigation(let bar, var stack) = try controller(name, in: root).kind else {
      throw error("names \(name), which has no \"stack\"")
    }
    if let next {
      stack.append(next)
    } else if stack.count > 1 {
      stack.removeLast()
    } else {
      throw error("names \(name), which has only one controller left")
    }
    let kind = StatusBarController.Kind.navigation(bar: bar, stack: stack)
    root.change(name) { $0.kind = kind }
  }

  private func controller(
    _ name: String, in root: StatusBarController
  ) throws(DocumentError) -> StatusBarController {
    let all = root.all
    guard let found = all.first(where: { $0.name == name }) else {
      let names = all.map(\.name)
      throw error(
        "names \(name), which is no controller then\(DidYouMean.hint(for: name, in: names)); there are "
          + names.joined(separator: ", "))
    }
    return found
  }

  /// Returns a resolver's appearance of a status bar at first, and its events.
  ///
  /// - Parameters:
  ///   - events: in order of time; changes of controllers become the resulting appearances.
  ///   - isDark: true if the interface is dark.
  static func resolved(
    _ events: [(time: Double, event: StatusBarDocument.Event)], from root: StatusBarController,
    isDark: Bool
  ) throws(DocumentError) -> (
    first: StatusBarAppearance, events: [(time: Double, event: StatusBarDocument.Event)]
  ) {
    var root = root
    var resolver = StatusBarResolver()
    resolver.settings.isDarkInterface = isDark
    let first = resolver.resolve(root)
    var all: [(time: Double, event: StatusBarDocument.Event)] = []
    for (time, event) in events {
      var duration = 0.25
      switch event {
      case .controllers(let change):
        try change.apply(to: &root)
        duration = change.duration
      case .view(.willChangeOrientation(let orientation)):
        // On its side a phone has little height.
        resolver.settings.isVerticallyCompact = !orientation.isPortrait
        all.append((time, event))
      default:
        all.append((time, event))
        continue
      }
      all.append((time, .view(.appearance(resolver.resolve(root), duration: duration))))
    }
    return (first, all)
  }
}

extension StatusBarController {
  /// A controller, with those below it and those that it presents.
  init(_ value: DocumentValue) throws(DocumentError) {
    var object = try value.object()
    try self.init(object.required("name").text())
    preferredStyle = try object.value("style")?.choice(StatusBarStyle.self) ?? .default
    prefersHidden = try object.value("hidden")?.bool()
    updateAnimation = try object.value("animation")?.choice(StatusBarAnimation.self) ?? .fade
    kind = try StatusBarController.kind(&object)
    presented = try object.value("presents").map { value throws(DocumentError) in
      try StatusBarController(value)
    }
    presentationStyle =
      try object.value("presentation")?.choice(PresentationStyle.self) ?? .pageSheet
    capturesStatusBarAppearance = try object.bool("captures", default: false)
    try object.finish()
    try checkNames { reason in value.error(reason) }
  }

  private static func kind(_ object: inout DocumentObject) throws(DocumentError) -> Kind {
    let bar = NavigationBar(
      isVisible: try object.bool("bar", default: true),
      style: try object.value("barStyle")?.choice(NavigationBar.Style.self) ?? .default)
    guard let value = object.value("stack") else {
      let child = try object.controller("child")
      let forStyle = try object.controller("childForStyle") ?? child
      let forHidden = try object.controller("childForHidden") ?? child
      guard forStyle != nil || forHidden != nil else { return .plain }
      return .container(childForStyle: forStyle, childForHidden: forHidden)
    }
    var stack: [StatusBarController] = []
    for controller in try value.array() { stack.append(try StatusBarController(controller)) }
    guard !stack.isEmpty else { throw value.error("is empty; a navigation has a controller") }
    return .navigation(bar: bar, stack: stack)
  }

  /// Itself and all that are below it.
  fileprivate var all: [StatusBarController] {
    var below: [StatusBarController] = []
    switch kind {
    case .plain: break
    case .navigation(_, let stack): below = stack
    case .container(let forStyle, let forHidden):
      // One child may serve for both.
      below = [forStyle, forHidden == forStyle ? nil : forHidden].compactMap(\.self)
    }
    return [self] + (below + [presented].compactMap(\.self)).flatMap(\.all)
  }

  fileprivate func checkNames(
    _ error: (String) -> DocumentError
  ) throws(DocumentError) {
    var seen: Set<String> = []
    for controller in all where !seen.insert(controller.name).inserted {
      throw error("has the name \"\(controller.name)\" twice; each controller needs its own")
    }
  }

  /// Changes the controller of a name.
  fileprivate mutating func change(_ name: String, _ body: (inout StatusBarController) -> Void) {
    if self.name == name { return body(&self) }
    presented?.change(name, body)
    switch kind {
    case .plain: break
    case .navigation(let bar, var stack):
      for index in stack.indices { stack[index].change(name, body) }
      kind = .navigation(bar: bar, stack: stack)
    case .container(var forStyle, var forHidden):
      forStyle?.change(name, body)
      forHidden?.change(name, body)
      kind = .container(childForStyle: forStyle, childForHidden: forHidden)
    }
  }
}

extension DocumentObject {
  fileprivate mutating func controller(
    _ name: String
  ) throws(DocumentError) -> StatusBarController? {
    try value(name).map { value throws(DocumentError) in try StatusBarController(value) }
  }
}

/// A flexible bar across the canvas.
package struct BarDocument: Sendable {
  package var id: String
  /// The bar's upper edge, in points.
  package var top: Double
  /// The bar as it is at first.
  package var bar: FlexibleBar
  package var behavior: any BarBehavior
  package var snapping: Snapping
  /// The times of taps on the bar, in seconds.
  package var taps: [Double]
  package var surface: SurfaceDocument
  package var items: [ItemDocument]
}

/// The surface of a bar or view, below its items.
package struct SurfaceDocument: Sendable, Hashable {
  /// Filters for what lies behind.
  package var material: FilterChain?
  /// A color over that, by its alpha.
  package var color: Color?
  package var cornerRadius = 0.0
  /// True if the surface clips its items.
  package var clips = false
  package var decoration = DecorationDocument()
}

extension SurfaceDocument {
  init(_ object: inout DocumentObject) throws(DocumentError) {
    material = try object.value("material")?.filters()
    color = try object.value("color")?.color()
    cornerRadius = try object.number("cornerRadius", in: 0...100_000, default: 0)
    clips = try object.bool("clips", default: false)
    decoration = try DecorationDocument(&object)
  }
}

extension BarDocument {
  init(_ object: inout DocumentObject, default id: String) throws(DocumentError) {
    self.id = try object.value("id")?.text() ?? id
    top = try object.number("y", in: DocumentValue.coordinates, default: 0)
    let heights = 0.0...100_000
    let least = try object.number("min", in: heights, default: 20)
    let most = try object.number("max", in: heights, default: 44)
    guard least <= most else {
      throw object.error("has a \"min\" of \(least) above its \"max\" of \(most)")
    }
    behavior = try BarDocument.behavior(object.value("behavior"))
    snapping = try BarDocument.snapping(object.value("snap"))
    taps = []
    for tap in try object.array("taps") { taps.append(try tap.number(in: 0...3600)) }
    surface = try SurfaceDocument(&object)
    items = try ItemDocument.list(object.array("items"))
    do {
      bar = try FlexibleBar(
        minimumHeight: least, maximumHeight: most, items: items.map(\.layout))
    } catch { throw object.error("\(error)") }
  }

  private enum Kind: String, CaseIterable {
    case scrollAway = "scroll-away"
    case reveal
    case velocity
    case fixed
  }

  private static func behavior(
    _ value: DocumentValue?
  ) throws(DocumentError) -> any BarBehavior {
    guard let value else { return FixedBehavior() }
    if case .string = value.value.content {
      // A kind by itself has the defaults of its parameters.
      var nothing = DocumentObject([], path: value.path, place: value.value.place)
      return try behavior(try value.choice(Kind.self), &nothing)
    }
    var object = try value.object()
    let kind = try object.required("kind").choice(Kind.self)
    let made = try behavior(kind, &object)
    try object.finish()
    return made
  }

  private static func behavior(
    _ kind: Kind, _ object: inout DocumentObject
  ) throws(DocumentError) -> any BarBehavior {
    let thresholds = 0.0...1_000_000
    switch kind {
    case .scrollAway:
      return ScrollAwayBehavior(isElasticAtTop: try object.bool("elastic", default: false))
    case .reveal:
      return RevealBehavior(
        thresholdFromTop: try object.number("thresholdFromTop", in: thresholds, default: 0),
        thresholdNegative: try object.number("thresholdNegative", in: thresholds, default: 0),
        thresholdPositive: try object.number("thresholdPositive", in: thresholds, default: 0))
    case .velocity:
      return VelocityBehavior(
        velocityThreshold: try object.number("velocity", in: thresholds, default: 400),
        reversalThreshold: try object.number("reversal", in: thresholds, default: 8))
    case .fixed: return FixedBehavior()
    }
  }

  /// `[[from, to, target], …]`.
  private static func snapping(_ value: DocumentValue?) throws(DocumentError) -> Snapping {
    guard let value else { return .none }
    var ranges: [SnapRange] = []
    for range in try value.array() {
      let numbers = try range.numbers(["from", "to", "target"], in: DocumentValue.coordinates)
      do {
        ranges.append(try SnapRange(from: numbers[0], to: numbers[1], target: numbers[2]))
      } catch { throw range.error("\(error)") }
    }
    do { return try Snapping(ranges) } catch { throw value.error("\(error)") }
  }
}
