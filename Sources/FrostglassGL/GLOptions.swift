internal import FrostglassCore

/// How a `GLBackend` is set up.
public struct GLOptions: Sendable, Hashable {
  /// Which part of the GPU runs the passes.
  public enum Stage: Sendable, Hashable, CaseIterable {
    /// Compute where a GPU offers it; fragment on software renderers, where both cost the same
    /// and fragment needs less of the driver.
    case automatic
    case fragment
    case compute
    /// Compute, with what neighbors fetch in memory that they share.
    case tiled
  }

  /// Which displays are considered.
  public enum Device: Sendable, Hashable {
    /// Hardware before software, then EGL device, GBM render node, surfaceless.
    case automatic
    /// This one or none.
    case only(DisplayPlatform)
  }

  /// What programs are made for.
  public enum Programs: Sendable, Hashable, CaseIterable {
    /// Specialized for results of 512×512 pixels and more.
    case automatic
    /// One for each kind of pass: few to compile, as is good for small pictures.
    case shared
    /// One for each combination of passes, of lengths and of edges: the fastest once compiled.
    case specialized

    func areSpecialized(for result: Size) -> Bool {
      switch self {
      case .automatic: result.area >= 512 * 512
      case .shared: false
      case .specialized: true
      }
    }
  }

  public var stage: Stage
  public var device: Device
  /// Behave as a device that offers nothing beyond OpenGL ES 3.1, for tests.
  public var restrictToES31Minimum: Bool
  /// Most bytes of textures and of the buffers that pictures go through; larger plans run in tiles.
  /// `nil` means what suits the device.
  public var textureBytes: Int?
  /// Longest side of a texture; `nil` means what the device takes. Larger plans run in tiles.
  public var longestSide: Int?
  public var programs: Programs
  /// Whether the driver is to look closely and tell what it sees, see `GLBackend.start`. Costs time.
  /// The variable `FROSTGLASS_GL_DEBUG=1` asks for it as well.
  public var debug: Bool
  /// What is to fail, for tests.
  package var faults = GLFaults()

  /// Options.
  public init(
    stage: Stage = .automatic, device: Device = .automatic, restrictToES31Minimum: Bool = false,
    textureBytes: Int? = nil, longestSide: Int? = nil, programs: Programs = .automatic,
    debug: Bool = false
  ) {
    self.stage = stage
    self.device = device
    self.restrictToES31Minimum = restrictToES31Minimum
    self.textureBytes = textureBytes
    self.longestSide = longestSide
    self.programs = programs
    self.debug = debug
  }
}
