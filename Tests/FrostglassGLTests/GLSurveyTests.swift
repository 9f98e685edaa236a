import FrostglassCore
import FrostglassGL
import Glibc
import Testing

/// The survey that `doctor` prints, and reasons why displays fail.
@Suite struct GLSurveyTests {
  @Test func findsADevice() async throws {
    let survey = try await GLSurvey.take()
    #expect(survey.displays.contains { $0.platform == .surfaceless })
    let chosen = try #require(survey.chosen)
    #expect(chosen.egl.hasPrefix("1."))
    #expect(survey.remedies.isEmpty != chosen.isSoftware)
    let backend = try await GLBackend.start()
    #expect(backend.device.capabilities.renderer == chosen.capabilities.renderer)
  }

  @Test func startsOnTheDisplayAskedFor() async throws {
    let backend = try await GLBackend.start(GLOptions(device: .only(.surfaceless)))
    #expect(backend.device.platform == .surfaceless)
    await #expect(throws: BackendError.self) {
      try await GLBackend.start(GLOptions(device: .only(.device(99))))
    }
    await #expect(throws: BackendError.self) {
      try await GLBackend.start(GLOptions(device: .only(.gbm("/dev/dri/nowhere"))))
    }
  }

  @Test func saysWhatToDoWhereNoVendorAnswers() async throws {
    await #expect(processExitsWith: .success) {
      setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nowhere/no.json", 1)
      let survey = try await GLSurvey.take()
      #expect(survey.chosen == nil)
      #expect(survey.displays.allSatisfy { $0.failure != nil })
      do throws(BackendError) {
        _ = try await GLBackend.start()
        Issue.record("a backend started without a driver")
      } catch {
        guard case .unavailable("gl", let reason, let remedy) = error else { throw error }
        #expect(reason.contains("surfaceless: eglGetPlatformDisplay"))
        #expect(remedy.contains("__EGL_VENDOR_LIBRARY_FILENAMES"))
      }
    }
  }

  static let failed = [
    DisplayReport(
      platform: .surfaceless,
      outcome: .failure(EGLFailure(step: "eglInitialize", eglError: "EGL_NOT_INITIALIZED")))
  ]

  @Test func namesTheMissingDriver() {
    let remedies = GLAdvice.remedies(for: Self.failed, on: HostGraphics())
    #expect(remedies.count == 1)
    #expect(remedies[0].contains("libegl-mesa0"))
  }

  @Test func namesTheMissingPermission() {
    let host = HostGraphics(
      renderNodes: [.init(path: "/dev/dri/renderD128", isAccessible: false)],
      vendorFiles: ["/usr/share/glvnd/egl_vendor.d/50_mesa.json"])
    let remedies = GLAdvice.remedies(for: Self.failed, on: host)
    #expect(remedies.count == 1)
    #expect(remedies[0].contains("/dev/dri/renderD128") && remedies[0].contains("render"))
  }

  @Test func namesTheMissingNvidiaCapability() {
    let host = HostGraphics(
      nvidiaNodes: [.init(path: "/dev/nvidia0", isAccessible: true)],
      vendorFiles: ["/usr/share/glvnd/egl_vendor.d/50_mesa.json"])
    let remedies = GLAdvice.remedies(for: Self.failed, on: host)
    #expect(remedies.contains { $0.contains("NVIDIA_DRIVER_CAPABILITIES") })
  }

  /// A container whose driver can compute and no more, and a GPU that is split.
  @Test func namesWhatHasNoGraphics() {
    let host = HostGraphics(
      nvidiaNodes: [.init(path: "/dev/nvidia0", isAccessible: true)],
      vendorFiles: ["/usr/share/glvnd/egl_vendor.d/50_mesa.json"],
      driverCapabilities: "compute,utility")
    let remedies = GLAdvice.remedies(for: Self.failed, on: host)
    #expect(remedies.count == 1 && remedies[0].contains("which is \"compute,utility\""))
    var split = host
    (split.hasSplitGPUs, split.hasNvidiaEGL) = (true, true)
    let others = GLAdvice.remedies(for: Self.failed, on: split)
    #expect(others.count == 1 && others[0].contains("MIG"))
  }

  @Test func namesTheMissingHardware() {
    let host = HostGraphics(vendorFiles: ["50_mesa.json"])
    #expect(GLAdvice.remedies(for: Self.failed, on: host)[0].contains("no GPU"))
  }
}
