internal import FrostglassCPU
internal import FrostglassGL
internal import Glibc

/// Starts the backend that was asked for, once, when it is first needed.
public actor BackendSelector {
  /// A started backend and how it came to be chosen.
  public struct Selection: Sendable {
    public var backend: any Backend
    /// What runs plans that `backend` cannot or fails at; `nil` where a certain backend was asked for.
    public var fallback: (any Backend)?
    /// Why it was chosen, in words.
    public var reason: String
    /// Something the user should know unasked: a GPU that is there and cannot be used.
    public var warning: String?

    package init(
      backend: any Backend, fallback: (any Backend)? = nil, reason: String,
      warning: String? = nil
    ) {
      self.backend = backend
      self.fallback = fallback
      self.reason = reason
      self.warning = warning
    }
  }

  private let choice: BackendChoice
  /// Workers of the fast backend.
  package let threads: Int
  private let gl: GLOptions
  private let log: (@Sendable (GLMessage) -> Void)?
  private var starting: Task<Result<Selection, BackendError>, Never>?

  /// - Parameters:
  ///   - threads: workers of the fast backend; `nil` means one per core.
  ///   - gpuMemory: the most bytes that pictures may take on the GPU; larger ones are worked on in
  ///     parts. `nil` means what suits the device.
  ///   - log: told what a GPU's driver says of its own accord.
  public init(
    _ choice: BackendChoice, threads: Int? = nil, gpuMemory: Int? = nil,
    log: (@Sendable (String) -> Void)? = nil
  ) {
    self.choice = choice
    self.threads = threads ?? Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    gl = GLOptions(textureBytes: gpuMemory, debug: log != nil)
    if let log {
      self.log = { (message: GLMessage) in log("\(message)") }
    } else {
      self.log = nil
    }
  }

  /// Takes what is started already, for tests.
  package init(_ selection: Selection) {
    choice = .auto
    threads = 1
    gl = GLOptions()
    log = nil
    starting = Task { .success(selection) }
  }

  /// The backend.
  ///
  /// - Throws: `BackendError.unavailable` when `gl` was asked for and does not start; `auto` never
  ///   fails.
  public func selection() async throws(BackendError) -> Selection {
    // Jobs that come at once wait for the same start.
    let task =
      starting
      ?? Task {
        do throws(BackendError) { return .success(try await start()) } catch {
          return .failure(error)
        }
      }
    starting = task
    return try await task.value.get()
  }

  private var workers: String { threads == 1 ? "1 thread" : "\(threads) threads" }

  private func start() async throws(BackendError) -> Selection {
    let fast = FastBackend(threads: threads)
    switch choice {
    case .fast:
      return Selection(backend: fast, reason: "asked for; \(workers)")
    case .reference:
      return Selection(backend: ReferenceBackend(), reason: "asked for")
    case .gl:
      let backend = try await GLBackend.start(gl, log: log)
      return Selection(backend: backend, reason: "asked for; \(backend.deviceDescription)")
    case .auto:
      guard GLSurvey.hasGPUDeviceNode else {
        return Selection(backend: fast, reason: "no GPU here; \(workers)")
      }
      return await automatic(fast)
    }
  }

  /// With a GPU's device node present: the GPU, unless it does not work or is none.
  private func automatic(_ fast: FastBackend) async -> Selection {
    do throws(BackendError) {
      let backend = try await GLBackend.start(gl, log: log)
      guard backend.isSoftware else {
        return Selection(
          backend: backend, fallback: fast, reason: "a GPU is here; \(backend.deviceDescription)")
      }
      return Selection(
        backend: fast, reason: "only a software renderer answers (\(backend.deviceDescription))",
        warning: "a GPU device is present, but only a software renderer answers; "
          + "using the CPU. `frostglass doctor` says what to do")
    } catch {
      return Selection(
        backend: fast, reason: "the GPU does not start",
        warning: "a GPU device is present but unusable: \(error). Using the CPU")
    }
  }
}
