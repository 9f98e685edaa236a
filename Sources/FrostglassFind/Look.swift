package import FrostglassCore

/// The care that is taken to find things in an image.
package enum FindEffort: String, Sendable, Hashable, CaseIterable {
  /// One look of each detector at a small image.
  case quick
  /// A further one at a larger image, for small faces.
  case normal
  /// Both detectors at large images, and at the image turned to each side.
  case thorough

  /// Returns the looks that are taken at an image.
  ///
  /// - Parameter detectors: those that there are; looks of others are taken by the first of these.
  package func looks(at size: Size, by detectors: [Detector] = Detector.allCases) -> [Look] {
    var looks = [Look(.yunet, at: size, side: 640), Look(.centerface, at: size, side: 640)]
    if self != .quick {
      // On a large image YuNet sees faces in shirts and walls.
      looks.append(Look(.yunet, at: size, side: 1280, most: 96))
    }
    if self == .thorough {
      looks.append(Look(.centerface, at: size, side: 1920))
      for quarters in 1...3 {
        looks.append(Look(.yunet, at: size, side: 640, quarters: quarters))
      }
    }
    var distinct: [Look] = []
    for var look in looks {
      if !detectors.contains(look.detector), let first = detectors.first { look.detector = first }
      if !distinct.contains(look) { distinct.append(look) }
    }
    return distinct
  }
}

/// A detector's look at an image of some size.
package struct Look: Sendable, Hashable {
  /// The network that looks.
  package var detector: Detector
  /// The size of the whole image.
  package let whole: Size
  /// The size to which the image is made smaller; it is not made larger.
  package let size: Size
  /// The number of clockwise quarter turns applied to the smaller image first.
  package let quarters: Int
  /// The longest side of a face that is taken, in pixels of the smaller image.
  private let most: Double

  /// Creates a look.
  ///
  /// - Parameters:
  ///   - side: the longest side of the smaller image.
  ///   - most: the longest side of a face that is kept; no limit for images of at most 640 pixels a side.
  package init(
    _ detector: Detector, at whole: Size, side: Int, most: Double = .infinity, quarters: Int = 0
  ) {
    self.detector = detector
    self.whole = whole
    self.quarters = quarters
    let longest = max(whole.width, whole.height)
    let scale = min(Double(side) / Double(longest), 1)
    func scaled(_ length: Int) -> Int { max(Int((Double(length) * scale).rounded()), 1) }
    size = Size(width: scaled(whole.width), height: scaled(whole.height))
    self.most = longest > 640 ? most : .infinity
  }

  /// Returns the size of the image that the detector sees.
  package var seen: Size {
    quarters % 2 == 0 ? size : Size(width: size.height, height: size.width)
  }

  /// Returns the faces of the detector in the whole image.
  package func inWhole(_ found: [Found]) -> [Found] {
    found.filter { max($0.width, $0.height) < most }
      .map { $0.turnedBack(quarters, in: seen).scaled(from: size, to: whole) }
  }

  /// Returns the image turned for the detector.
  ///
  /// - Parameter rgb: an image of `size`, with three bytes per pixel.
  package func turned(_ rgb: [UInt8]) -> [UInt8] {
    var (rgb, size) = (rgb, size)
    for _ in 0..<quarters {
      var turned = [UInt8](repeating: 0, count: rgb.count)
      for y in 0..<size.height {
        for x in 0..<size.width {
          let target = (x * size.height + size.height - 1 - y) * 3
          let source = (y * size.width + x) * 3
          for channel in 0..<3 { turned[target + channel] = rgb[source + channel] }
        }
      }
      (rgb, size) = (turned, Size(width: size.height, height: size.width))
    }
    return rgb
  }

  /// Returns one box for each thing that several looks found, the most certain first: around all that they saw of it,
  /// so that one more look never uncovers anything.
  package static func merged(_ found: [Found]) -> [Found] {
    let share = 0.45
    return found.withoutOverlaps(over: share).map { thing in
      found.filter { $0.overlap(with: thing) > share }.reduce(thing) { $0.united(with: $1) }
    }
  }

  /// The score below which nothing is looked at any more, as it is mostly none.
  package static let leastScore = 0.2
  /// The score from which on a thing is covered, unless another is asked for.
  package static let startScore = 0.5
}
