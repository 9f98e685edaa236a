internal import FrostglassCore

/// The numbers of a region by name, from a JSON object or a line of CSV.
struct RegionFields {
  /// The names of length fields, in the order used in messages.
  static let lengths = [
    "x", "y", "width", "height", "w", "h", "left", "top", "right", "bottom", "x1", "y1", "x2",
    "y2", "xmin", "ymin", "xmax", "ymax", "radius",
  ]
  /// The names of the detector's confidence. The first one present counts.
  static let scores = ["score", "confidence"]
  /// Fields that say nothing about the shape, as detectors write them.
  static let others = [
    "id", "area", "iscrowd", "class_id", "segmentation", "keypoints",
    "num_keypoints",
  ]
  /// The field with the number of a category, which has its name elsewhere.
  static let category = "category_id"
  /// The field with the number of the image that a region is in.
  static let pictureID = "image_id"
  /// Fields with the name of the image that a region is in.
  static let pictureNames = ["image", "file_name", "filename"]
  /// The names of all fields other than the shape's.
  static let beside =
    labels + scores + [category, pictureID] + pictureNames + others + ["normalized"]
  /// Fields that say what a region is; the first that is there counts.
  static let labels = ["label", "name", "class", "category"]

  /// The position of the region in the text, for messages about all of it.
  var place: TextPosition
  /// The region's name in messages, such as `regions[2]` or `the region`.
  var name: String
  var values: [String: (length: Length, place: TextPosition)] = [:]
  /// The remedy to suggest where numbers can only be fractions but were read as pixels.
  var fractionHint = "say normalized: true, in CSV in a column of that name"
  /// True if it comes from a detector, which finds nothing as small as a pixel.
  var isDetected = false

  /// The rectangle that the fields describe.
  ///
  /// - Throws: `RegionsError.malformed` when they describe none, or two.
  func rectangle() throws(RegionsError) -> MaskShape {
    let ways: [(x: String, y: String, farX: String, farY: String, isExtent: Bool)] = [
      ("x", "y", "width", "height", true), ("x", "y", "w", "h", true),
      ("left", "top", "right", "bottom", false), ("x1", "y1", "x2", "y2", false),
      ("left", "top", "width", "height", true), ("left", "top", "w", "h", true),
      ("xmin", "ymin", "xmax", "ymax", false), ("xmin", "ymin", "width", "height", true),
    ]
    let given = Set(values.keys).subtracting(["radius"])
    guard let way = ways.first(where: { Set([$0.x, $0.y, $0.farX, $0.farY]) == given }) else {
      throw error(
        place,
        "\(name) has " + (given.isEmpty ? "no numbers" : given.sorted().joined(separator: ", "))
          + "; a region has x, y, width, height, or left, top, right, bottom, or x1, y1, x2, y2, "
          + "or xmin, ymin, xmax, ymax, or one of bbox, box, polygon, ellipse")
    }
    let x = values[way.x]?.length ?? 0
    let y = values[way.y]?.length ?? 0
    let width = try extent(way.farX, from: x, "the left side", way.isExtent)
    let height = try extent(way.farY, from: y, "the top", way.isExtent)
    try checkUnits(x, y, width, height)
    return .rectangle(x: x, y: y, width: width, height: height, radius: try radius())
  }

  /// Refuses what can only be fractions taken for pixels: what they mean would stay uncovered.
  private func checkUnits(
    _ x: Length, _ y: Length, _ width: Length, _ height: Length
  ) throws(RegionsError) {
    let isPart = [width, height].contains { $0.unit == .pixels && $0.value < 1 }
    let isInFirstPixel =
      width.unit == .pixels && x.value + width.value <= 1 && y.value + height.value <= 1
    guard isPart || isDetected && isInFirstPixel else { return }
    throw error(
      place,
      "\(name) is \(width) × \(height); where these are fractions of the image, \(fractionHint)")
  }

  private func extent(
    _ part: String, from near: Length, _ side: String, _ isExtent: Bool
  ) throws(RegionsError) -> Length {
    guard let far = values[part] else { throw error(place, "\(name) has no \(part)") }
    if isExtent {
      guard far.length.value > 0 else {
        throw error(far.place, "\(name): \(part) is \(far.length); it must be over 0")
      }
      return far.length
    }
    guard far.length.unit == near.unit else {
      throw error(far.place, "\(name): \(part) must be in the same unit as \(side)")
    }
    guard far.length.value > near.value else {
      throw error(far.place, "\(name): \(part) is \(far.length); it must be over \(near), \(side)")
    }
    return Length(far.length.value - near.value, near.unit)
  }

  private func radius() throws(RegionsError) -> Length {
    guard let radius = values["radius"] else { return 0 }
    guard radius.length.value >= 0 else {
      throw error(radius.place, "\(name): radius is \(radius.length); it must be 0 or more")
    }
    return radius.length
  }

  func error(_ place: TextPosition, _ reason: String) -> RegionsError {
    .malformed(path: "", place: place, reason: reason)
  }
}

extension Length {
  /// A number from a file: pixels, or a fraction of the image where they are said to be.
  ///
  /// - Returns: `nil` for a fraction far outside the image, which is a number of pixels.
  init?(number: Double, isNormalized: Bool) {
    guard number.isFinite else { return nil }
    guard isNormalized else {
      self.init(number)
      return
    }
    guard (-1...2).contains(number) else { return nil }
    self.init(number * 100, .percent)
  }
}
