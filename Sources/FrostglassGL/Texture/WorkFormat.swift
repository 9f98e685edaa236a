internal import FrostglassCore
internal import FrostglassShaders

/// How a picture that passes write and read is held in a texture. Always four channels: image
/// stores know no three, and few devices draw to them.
struct WorkFormat: Hashable {
  var texture: TextureFormat
  var sample: SampleKind
  var target: TargetKind

  static let float32 = WorkFormat(texture: .rgba32f, sample: .float, target: .float32)
  static let half = WorkFormat(texture: .rgba16f, sample: .float, target: .half)
  static let fixed16 = WorkFormat(texture: .rgba16ui, sample: .fixed16, target: .fixed16)
  static let floatBits = WorkFormat(texture: .rgba32ui, sample: .floatBits, target: .floatBits)

  /// The format of an intermediate picture.
  ///
  /// Image stores of float are part of OpenGL ES 3.1; drawing to float is not. Where it is
  /// missing, fixed point goes into integers and everything else into integers that hold the
  /// bits of floats, which can always be drawn to and lose nothing.
  init(precision: Precision, stage: ShaderStage, capabilities: GLCapabilities) {
    let isCompute = stage != .fragment
    switch precision {
    case .half:
      self = isCompute || capabilities.rendersHalf ? .half : .floatBits
    case .fixed16:
      self = isCompute || capabilities.rendersFloat32 ? .float32 : .fixed16
    case .float32:
      self = isCompute || capabilities.rendersFloat32 ? .float32 : .floatBits
    }
  }

  /// The format of a result, which is read back: one whose read-back every device promises.
  init(result depth: Depth) {
    switch depth {
    case .uint8: self.init(texture: .rgba8, sample: .unorm8, target: .unorm8)
    case .uint16: self.init(texture: .rgba16ui, sample: .unsigned16, target: .unsigned16)
    case .float32: self = .floatBits
    }
  }

  private init(texture: TextureFormat, sample: SampleKind, target: TargetKind) {
    self.texture = texture
    self.sample = sample
    self.target = target
  }
}

extension SampleKind {
  /// How an uploaded input holds its samples.
  init(input depth: Depth) {
    switch depth {
    case .uint8: self = .unsigned8
    case .uint16: self = .unsigned16
    case .float32: self = .float
    }
  }
}
