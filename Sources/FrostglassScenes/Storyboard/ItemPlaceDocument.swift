internal import FrostglassCore
internal import Glibc

extension BarItem {
  /// An item's place and looks, and its keyframes.
  init(id: String, _ object: inout DocumentObject) throws(DocumentError) {
    let resting = try ItemPose(&object, from: ItemPose(.wholeBar), id: id)
    self.init(id: id, resting: resting)
    var known: String?
    var springs: [Double: DocumentValue] = [:]
    for value in try object.array("keyframes") {
      var frame = try value.object()
      guard let (name, when) = try frame.one(of: ["progress", "at"]) else {
        throw frame.lacking(["progress", "at"])
      }
      guard known ?? name == name else {
        throw value.error("has \"\(name)\"; the keyframes before it have \"\(known ?? name)\"")
      }
      known = name
      followsTime = name == "at"
      // What lies outside counts as the nearer end.
      let number = try when.number(in: followsTime ? 0...3600 : DocumentValue.coordinates)
      let pose = try ItemPose(&frame, from: resting, id: id)
      let spread = frame.value("easing")
      let easing = try spread?.easing() ?? .linear
      try frame.finish()
      let keyframe =
        followsTime
        ? Keyframe(time: number, pose, easing: easing)
        : Keyframe(progress: number, pose, easing: easing)
      setKeyframe(keyframe)
      springs[keyframe.progress] = followsTime && easing.duration != nil ? spread : nil
    }
    try check(springs)
  }

  /// A spring has to be at rest at the next keyframe, or what it moves would jump there.
  private func check(_ springs: [Double: DocumentValue]) throws(DocumentError) {
    for (lower, upper) in zip(keyframes, keyframes.dropFirst()) {
      guard let value = springs[lower.progress], let needed = lower.easing.duration else {
        continue
      }
      let start = Keyframe.time(atProgress: lower.progress)
      let given = Keyframe.time(atProgress: upper.progress - lower.progress)
      guard needed > given + 1e-6 else { continue }
      let least = ((start + needed) * 100).rounded(.up) / 100
      throw value.error(
        "is a spring that rests after \(decimal(needed, places: 2)) s, and the next keyframe comes "
          + "after \(decimal(given, places: 2)) s; give that one at \(decimal(least, places: 2)) or "
          + "later, or make the spring shorter")
    }
  }
}

extension ItemPose {
  /// A pose that differs from another in what is given.
  fileprivate init(
    _ object: inout DocumentObject, from base: ItemPose, id: String
  ) throws(DocumentError) {
    self = base
    layout = try ItemLayout(&object, from: base.layout ?? .wholeBar, id: id)
    attributes.alpha = try object.number("alpha", in: 0...1, default: attributes.alpha)
    attributes.isHidden = try object.bool("hidden", default: attributes.isHidden)
    let depth = try object.number(
      "z", in: -1_000_000...1_000_000, default: Double(attributes.zIndex))
    attributes.zIndex = Int(depth.rounded())
    let radius = attributes.cornerRadius
    attributes.cornerRadius = try object.number("cornerRadius", in: 0...100_000, default: radius)
    let strength = attributes.blurStrength
    attributes.blurStrength = try object.number("blur", in: 0...1, default: strength)
    attributes.tintAlpha = try object.number("tintAlpha", in: 0...1, default: attributes.tintAlpha)
    if let value = object.value("transform") { attributes.transform = try Transform3D(value) }
    if let anchor = object.value("anchor") {
      let shares = try anchor.numbers(["x", "y"], in: -10...10)
      attributes.anchorPoint = LayoutPoint(x: shares[0], y: shares[1])
    }
  }
}

extension ItemLayout {
  /// A `frame`, or lines by their names; an axis of which nothing is said stays as it was.
  fileprivate init(
    _ object: inout DocumentObject, from base: ItemLayout, id: String
  ) throws(DocumentError) {
    let frame = object.value("frame")
    self =
      try frame.map { value throws(DocumentError) in ItemLayout(frame: try value.frame()) } ?? base
    var given: [LayoutLine: LayoutValue] = [:]
    for line in LayoutLine.allCases {
      guard let value = object.value(line.rawValue) else { continue }
      guard frame == nil else {
        throw value.error("is given beside \"frame\"; one of them is too much")
      }
      given[line] = try LayoutValue(value)
    }
    for axis in LayoutAxis.allCases {
      let lines = LayoutLine.lines(of: axis)
      let named = lines.filter { given[$0] != nil }
      guard !named.isEmpty else { continue }
      guard named.count == 2 else {
        let error = LayoutError.wrongNumberOfLines(item: id, axis: axis, given: named)
        throw object.error("\(error)")
      }
      for line in lines { self[line] = given[line] }
    }
  }
}

extension Transform3D {
  /// `{"scale": 2, "rotate": 30, "translate": [10, 0]}`: applied in this order, around the anchor.
  fileprivate init(_ value: DocumentValue) throws(DocumentError) {
    var object = try value.object()
    self = .identity
    if let scale = object.value("scale") {
      if case .number = scale.value.content {
        let both = try scale.number(in: 0.001...1000)
        self = .scale(x: both, y: both)
      } else {
        let numbers = try scale.numbers(["x", "y"], in: 0.001...1000)
        self = .scale(x: numbers[0], y: numbers[1])
      }
    }
    if let turn = object.value("rotate") {
      self = followed(by: .rotation(degrees: try turn.number(in: -36_000...36_000)))
    }
    if let move = object.value("translate") {
      let numbers = try move.numbers(["x", "y"], in: DocumentValue.coordinates)
      self = followed(by: .translation(x: numbers[0], y: numbers[1]))
    }
    try object.finish()
  }
}

extension LayoutValue {
  /// A number of points, or a text such as `bar.right - 16`, `title.bottom + 8` or
  /// `bar.width * 0.5 + 10`.
  fileprivate init(_ value: DocumentValue) throws(DocumentError) {
    if case .number = value.value.content {
      self = .points(try value.number(in: DocumentValue.coordinates))
      return
    }
    guard case .string(let text) = value.value.content else { throw Self.wrong(value) }
    var words = text.split(whereSeparator: \.isWhitespace)
    guard let first = words.first, let dot = first.lastIndex(of: ".") else {
      throw Self.wrong(value)
    }
    let (owner, name) = (String(first[..<dot]), String(first[first.index(after: dot)...]))
    guard let line = LayoutLine(rawValue: name) else {
      let lines = LayoutLine.allCases.map(\.rawValue)
      throw value.error(
        "names \(name), which is no line" + DidYouMean.hint(for: name, in: lines)
          + "; lines are \(lines.joined(separator: ", "))")
    }
    words.removeFirst()
    let factor = try Self.number(after: ["*"], in: &words, value) ?? 1
    let offset = try Self.number(after: ["+", "-"], in: &words, value) ?? 0
    guard words.isEmpty, !owner.isEmpty else { throw Self.wrong(value) }
    self.init(
      anchor: owner == "bar" ? .bar(line) : .item(owner, line), factor: factor, offset: offset)
  }

  /// The number behind one of some signs, which are taken away.
  private static func number(
    after signs: [Substring], in words: inout [Substring], _ value: DocumentValue
  ) throws(DocumentError) -> Double? {
    guard let sign = words.first, signs.contains(sign) else { return nil }
    guard words.count >= 2, let number = Double(words[1]), DocumentValue.coordinates ~= number
    else { throw wrong(value) }
    words.removeFirst(2)
    return sign == "-" ? -number : number
  }

  private static func wrong(_ value: DocumentValue) -> DocumentError {
    value.wrong(
      "a number of points, or such as \"bar.right - 16\", \"title.bottom + 8\" or "
        + "\"bar.width * 0.5 + 10\"")
  }
}
