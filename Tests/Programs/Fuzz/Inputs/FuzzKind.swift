/// The kinds of input from outside, each with its own samples, mutations and trial.
package enum FuzzKind: String, Sendable, Hashable, CaseIterable {
  case png, apng, jpeg, gif, webp, tiff, avif, heic, jxl, bmp, ppm, pfm
  /// Blocks that an image file carries, handed to our own readers.
  case exif, iptc, xmp
  /// A chain of filters, and a CSS declaration.
  case filter, css
  /// A region's text, and files of regions.
  case region, csv, json
  case preset, scene
  /// One value: a color, a length, an angle, a σ, an amount of memory.
  case value

  /// True if it is read as text.
  package var isText: Bool {
    switch self {
    case .filter, .css, .region, .csv, .json, .preset, .scene, .value: true
    default: false
    }
  }

  /// The number of inputs in a batch, which takes about ten seconds. Some kinds are a hundred times as fast as
  /// others.
  package var batch: Int {
    switch self {
    case .avif, .heic, .jxl: 1000
    case .png, .apng, .jpeg, .gif, .webp, .tiff, .bmp, .ppm, .pfm, .exif, .iptc, .xmp: 4000
    case .filter, .css: 10_000
    case .scene: 3000
    case .region, .csv, .json, .preset, .value: 20_000
    }
  }
}

/// Something valid to start from.
package struct FuzzSample: Sendable, Hashable {
  package let kind: FuzzKind
  /// The variant, such as `interlaced rgba16`.
  package let name: String
  package let bytes: [UInt8]

  init(_ kind: FuzzKind, _ name: String, _ bytes: [UInt8]) {
    self.kind = kind
    self.name = name
    self.bytes = bytes
  }
}

/// One input, made from a seed and a number: the same everywhere.
package struct FuzzCase: Sendable, Hashable {
  package let kind: FuzzKind
  package let bytes: [UInt8]
  /// The sample that was mutated.
  package let original: FuzzSample
}

/// The valid outcome of a trial.
package enum FuzzVerdict: Sendable, Hashable {
  /// It is a valid input.
  case accepted
  /// It was refused with an error that is meant for it.
  case refused
}

/// A rule that was broken, in words.
package struct FuzzFinding: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
