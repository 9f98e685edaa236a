package import FrostglassCore

/// The part of the GPU that runs a pass.
package enum ShaderStage: Sendable, Hashable, CaseIterable {
  /// As the color of a triangle that covers the target.
  case fragment
  /// As a compute dispatch that writes an image.
  case compute
  /// As a compute dispatch whose invocations make several neighbors each, for passes written for
  /// that; for others as `compute`.
  case blocked

  /// The stage for passes without blocks.
  package var plain: ShaderStage { self == .fragment ? .fragment : .compute }
}

/// The sample representation of an image that is read.
package enum SampleKind: Sendable, Hashable, CaseIterable {
  /// Values as they are: float and half float textures.
  case float
  /// Unsigned 16-bit integers, 65280 for 1.
  case fixed16
  /// Unsigned 32-bit integers with the bits of a float.
  case floatBits
  /// Unsigned 8-bit integers, 255 for 1.
  case unsigned8
  /// Unsigned 16-bit integers, 65535 for 1.
  case unsigned16
  /// Normalized 8-bit integers, read as floats.
  case unorm8
  /// A storage buffer in which each pixel is a word of four samples of 8 bits.
  case words
  /// A storage buffer with the samples of 8 bits of three channels, without gaps.
  case rgbBytes
  /// A storage buffer with the samples of 8 bits of one channel, without gaps.
  case grayBytes
  /// No texture: what a rectangle, whose corners may be round, covers of each pixel.
  case rectangle
  /// No texture: what an ellipse covers of each pixel.
  case ellipse
}

extension SampleKind {
  /// True if samples are computed where they are read.
  package var isShape: Bool { self == .rectangle || self == .ellipse }

  /// Samples of each pixel in a storage buffer; `nil` for other pictures.
  package var storedChannels: Int? {
    switch self {
    case .words: 4
    case .rgbBytes: 3
    case .grayBytes: 1
    default: nil
    }
  }

  /// True if texels are fetched as floats.
  var isFloat: Bool { self == .float || self == .unorm8 }
}

/// The sample representation of an image that is written.
package enum TargetKind: Sendable, Hashable, CaseIterable {
  /// 32-bit float.
  case float32
  /// 16-bit float.
  case half
  /// Unsigned 16-bit integers, 65280 for 1; values are limited to 0…1.
  case fixed16
  /// Unsigned 32-bit integers with the bits of a float.
  case floatBits
  /// Normalized 8-bit integers; values are limited to 0…1 and rounded.
  case unorm8
  /// The same as unsigned integers, four to a word of a storage buffer. Dispatches alone can write them.
  case words
  /// Unsigned 16-bit integers, 65535 for 1; values are limited to 0…1 and rounded.
  case unsigned16

  /// True if a picture is samples of 8 bits.
  package var holdsBytes: Bool { self == .unorm8 || self == .words }
}

/// The context of a pass: its stage, and the representations of its sources and its target.
package struct ShaderVariant: Sendable, Hashable {
  /// The conversion of an input image's samples to values as they are fetched; see `Load`.
  package struct Loading: Sendable, Hashable {
    /// Samples per pixel that the texture's texels hold.
    package var channels: Int
    package var alpha: AlphaMode
    package var decodesToLinear: Bool
    /// The number of low bits of a word that a sample uses; 0 for all.
    package var bits: Int

    package init(_ load: Load, channels: Int) {
      self.channels = channels
      alpha = load.alpha
      decodesToLinear = load.decodesToLinear
      bits = load.bits ?? 0
    }
  }

  /// The samples outside an image along one axis.
  package enum Edge: Sendable, Hashable {
    /// Nothing there is read.
    case none
    case mode(EdgeMode)
    /// A uniform says, so that pictures with different edges share a program; see `number`.
    case uniform

    /// Returns the value of an edge's uniform; `nil` is no edge.
    package static func number(of mode: EdgeMode?) -> Int {
      switch mode {
      case nil: 0
      case .clamp: 1
      case .mirror: 2
      case .wrap: 3
      case .transparent: 4
      case .reflect101: 5
      }
    }
  }

  /// One picture that is read.
  package struct Source: Sendable, Hashable {
    package var kind: SampleKind
    /// `nil` for pictures that passes wrote.
    package var loading: Loading?
    /// Columns outside the picture.
    package var x: Edge
    /// Rows outside the picture.
    package var y: Edge
    /// True if samples are read as whole numbers and summed up as such; see `holdsWhole`.
    package var isWhole = false
    /// The origin of the 8-bit samples that a block adds two at a time; `nil` for other programs.
    package var packing: Packing?
    /// True if a block keeps an input's 8-bit texels as they are and converts them where it reads them.
    package var isKept = false

    /// The origin of 8-bit samples in the halves of words.
    package enum Packing: Sendable, Hashable {
      /// From fetched texels.
      case texels
      /// From the words that texels of four channels are, as an image.
      case words
    }

    /// True if samples are whole numbers: 65280ths in slots that hold such and in inputs of 8 bits, and 65025ths
    /// where the loading multiplies these by alpha.
    package var holdsWhole: Bool {
      guard let loading else { return kind == .fixed16 }
      return holdsBytes && !loading.decodesToLinear && loading.bits == 0
    }

    /// True if loading leaves samples of 8 bits as they are.
    package var keepsBytes: Bool { holdsBytes && holdsWhole && loading?.alpha != .straight }

    /// True if texels are samples of 8 bits.
    package var holdsBytes: Bool {
      kind == .unsigned8 || kind == .unorm8 || kind.storedChannels != nil
    }

    package init(
      kind: SampleKind, loading: Loading? = nil, x: Edge = .none, y: Edge = .none
    ) {
      self.kind = kind
      self.loading = loading
      self.x = x
      self.y = y
    }
  }

  package var stage: ShaderStage
  package var sources: [Source]
  package var target: TargetKind
  /// True if alpha is 1 everywhere because the target has no alpha.
  package var targetIsOpaque: Bool
  /// True if the first part's sums of whole numbers are stored as such, rounded once. Then the parts after it
  /// are stores that change nothing.
  package var storesSums = false

  package init(stage: ShaderStage, sources: [Source], target: TargetKind, targetIsOpaque: Bool) {
    self.stage = stage
    self.sources = sources
    self.target = target
    self.targetIsOpaque = targetIsOpaque
  }

  /// Storage buffers that a program reads, at most: every device takes four, and one may be the target.
  package static let mostBuffers = 3

  /// Returns the binding of a source: a texture unit, or a storage buffer's index. The target has storage buffer 0.
  package func binding(of source: Int) -> Int {
    guard sources[source].kind.storedChannels != nil else { return source }
    return 1 + sources[..<source].filter { $0.kind.storedChannels != nil }.count
  }
}
