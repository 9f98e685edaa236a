internal import FrostglassCore

/// Options for a `GLBackend`.
public struct GLOptions: Sendable, Hashable {
  /// The part of the GPU that runs the passes.
  public enum Stage: String, Sendable, Hashable, CaseIterable {
    /// The stage that suits the device: compute if a GPU offers it, blocked on software renderers.
    case automatic
    /// Fragment shaders: a drawing for each pass.
    case fragment
    /// Compute shaders: one result pixel for each invocation.
    case compute
    /// Compute, with several neighbors made at a time.
    case blocked

    /// The stage that a user names. `tiled`, which there was, is the nearest that there is.
    package init?(named name: String) {
      self.init(rawValue: name == "tiled" ? Stage.compute.rawValue : name)
    }
  }

  /// The displays that are considered.
  public enum Device: Sendable, Hashable {
    /// Hardware before software, then EGL device, GBM render node, surfaceless.
    case automatic
    /// This one or none.
    case only(DisplayPlatform)
    /// The device with this number in `GLSurvey`'s list, or with this in its renderer's, driver's or
    /// render node's name; upper and lower case are alike. Every display is opened to find it.
    case named(String)
  }

  /// The path of images between memory and the device.
  public enum TransferMode: Sendable, Hashable, CaseIterable {
    /// Through buffers on a GPU; straight on software renderers, whose memory is ours.
    case automatic
    /// One image after another; each call waits for its own.
    case direct
    /// Through buffers, so that frames whose calls run at the same time overlap.
    case buffered
  }

  /// The specialization of programs.
  public enum Programs: Sendable, Hashable, CaseIterable {
    /// Specialized for results of 512×512 pixels and more.
    case automatic
    /// One for each kind of pass: few to compile, as is good for small images.
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

  /// The part of the GPU that runs the passes.
  public var stage: Stage
  /// The displays that are considered.
  public var device: Device
  /// Behave as a device that offers nothing beyond OpenGL ES 3.1, for tests.
  public var restrictToES31Minimum: Bool
  /// Most bytes of textures and of the buffers that images go through; larger plans run in tiles.
  /// `nil` means half of what the device has, or 1 GiB where it does not tell.
  public var textureBytes: Int?
  /// Longest side of a texture; `nil` means what the device takes. Larger plans run in tiles.
  public var longestSide: Int?
  /// The path of images between memory and the device.
  public var transfer: TransferMode
  /// Calls of `execute` that the device works on at once, where transfer is through buffers; the
  /// others wait. 1 or more: upload, passes and read-back of three frames keep it busy.
  public var framesInFlight: Int
  /// The specialization of programs.
  public var programs: Programs
  /// True if the driver is to check its use closely and report what it finds, see `GLBackend.start`. Costs time. The
  /// variable `FROSTGLASS_GL_DEBUG=1` has the same effect.
  public var debug: Bool
  /// The faults to inject, for tests.
  package var faults: GLFaults?
  /// Bytes that a compute group may share, at most: less than the device has, for tests.
  package var mostSharedBytes: Int?
  /// Bytes of a storage buffer, at most: less than the device takes, for tests.
  package var mostStorageBytes: Int?
  /// True if groups share the samples of windows, on software renderers too, for tests; `nil` for the device's
  /// default.
  package var sharesWindows: Bool?
  /// Programs that are kept: more than any mix of chains needs at a time. Less for tests, which have many backends.
  package var mostPrograms = 256

  /// Options.
  public init(
    stage: Stage = .automatic, device: Device = .automatic, restrictToES31Minimum: Bool = false,
    textureBytes: Int? = nil, longestSide: Int? = nil, programs: Programs = .automatic,
    transfer: TransferMode = .automatic, framesInFlight: Int = 3, debug: Bool = false
  ) {
    self.stage = stage
    self.device = device
    self.restrictToES31Minimum = restrictToES31Minimum
    self.textureBytes = textureBytes
    self.longestSide = longestSide
    self.transfer = transfer
    self.framesInFlight = framesInFlight
    self.programs = programs
    self.debug = debug
  }
}

/// Failures that a driver is made to show, for tests. None by default.
package struct GLFaults: Sendable, Hashable {
  /// An operation that a driver may fail at. Operations of each kind are counted, from 1.
  package enum Point: Sendable, Hashable, CaseIterable {
    /// A texture gets its memory. A fault means there is none left.
    case texture
    /// A buffer gets its memory. A fault means there is none left.
    case buffer
    /// A buffer's bytes are to be accessed. A fault means that the driver does not give them.
    case access
    /// Somebody waits for the device. A fault means that a second passes in vain.
    case wait
    /// A shader is compiled; vertex and fragment shaders are one each.
    case program
    /// A texture becomes what is drawn to or read from. A fault leaves the framebuffer incomplete.
    case framebuffer
    /// Errors are looked for, after a texture is made, after a pass, after a transfer. A fault
    /// loses the context.
    case checkpoint
  }

  /// The numbers of the operations that fail, counted over all contexts of a backend.
  package var failing: [Point: [ClosedRange<Int>]]
  /// Textures with a longer side are refused, whatever the device says it takes.
  package var longestSide: Int?
  /// A texture with more bytes finds no memory.
  package var textureBytes: Int?

  package init(
    _ failing: [Point: [ClosedRange<Int>]] = [:], longestSide: Int? = nil,
    textureBytes: Int? = nil
  ) {
    self.failing = failing
    self.longestSide = longestSide
    self.textureBytes = textureBytes
  }

  /// Every time.
  package static let always = [1...Int.max]
}

/// Counts what a driver is asked, and says when it is to fail. Outlives the contexts of a backend.
final class FaultInjector {
  let faults: GLFaults
  /// The number of times that the driver was asked.
  private(set) var asked: [GLFaults.Point: Int] = [:]
  /// The number of times that it was made to fail.
  private(set) var struck: [GLFaults.Point: Int] = [:]

  init(_ faults: GLFaults) {
    self.faults = faults
  }

  /// Counts once more; whether this one fails.
  func strikes(_ point: GLFaults.Point, orIf isToFail: Bool = false) -> Bool {
    let count = asked[point, default: 0] + 1
    asked[point] = count
    let fails = isToFail || faults.failing[point, default: []].contains { $0.contains(count) }
    if fails { struck[point, default: 0] += 1 }
    return fails
  }
}
