/// How high a status bar is, in points.
public struct StatusBarMetrics: Sendable, Hashable {
  /// What it is called, such as `classic` or `notch-47`.
  public var name: String
  /// The height as a rule.
  public var height: Double
  /// The height during a call or while an application uses the location in the background.
  public var extendedHeight: Double
  /// How well the heights are known.
  public var source: Source

  /// How well a height is known.
  public enum Source: String, Sendable, Hashable, CaseIterable {
    /// Described by the platform's documentation or by those who measured it.
    case documented
    /// Reported, but not checked on a device.
    case unverified
  }

  /// What makes a status bar higher.
  public enum Activity: String, Sendable, Hashable, CaseIterable {
    case none, call, location
  }

  /// - Parameters:
  ///   - name: what it is called.
  ///   - height: in points; 0 for no bar.
  ///   - extendedHeight: the height during a call; the same without one.
  ///   - source: how well the heights are known.
  public init(
    name: String, height: Double, extendedHeight: Double? = nil, source: Source = .unverified
  ) {
    self.name = name
    self.height = height
    self.extendedHeight = extendedHeight ?? height
    self.source = source
  }

  /// Phones with a home button: 20 points, 40 in a call.
  public static let classic = StatusBarMetrics(
    name: "classic", height: 20, extendedHeight: 40, source: .documented)

  /// Every height that is known. A notched phone has room for a mark beside its clock: its bar does
  /// not grow in a call.
  public static let all =
    [classic]
    + [44, 47, 48, 50, 54, 59].map { height in
      StatusBarMetrics(name: "notch-\(Int(height))", height: height)
    }

  /// The metrics of a name.
  ///
  /// - Throws: `StatusBarError.unknownMetrics` with the names there are.
  public init(named name: String) throws(StatusBarError) {
    guard let metrics = StatusBarMetrics.all.first(where: { $0.name == name }) else {
      throw .unknownMetrics(name, known: StatusBarMetrics.all.map(\.name))
    }
    self = metrics
  }

  /// The height while something goes on.
  public func height(during activity: Activity) -> Double {
    activity == .none ? height : extendedHeight
  }
}

/// Why there is no such status bar.
public enum StatusBarError: Error, Sendable, Hashable, CustomStringConvertible {
  case unknownMetrics(String, known: [String])
  case badValue(name: String, value: Double, accepted: String)

  /// What happened, in words for the one who asked for it.
  public var description: String {
    switch self {
    case .unknownMetrics(let name, let known):
      "no status bar is called “\(name)”; there are \(known.joined(separator: ", "))"
    case .badValue(let name, let value, let accepted):
      "a status bar's \(name) cannot be \(value); it can be \(accepted)"
    }
  }
}
