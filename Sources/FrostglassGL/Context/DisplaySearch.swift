internal import CGLES
internal import FrostglassCore

/// Finds the display to work on.
struct DisplaySearch {
  /// No display could be had; why, for each that was tried.
  struct Failure: Error {
    var attempts: [DisplayReport]
    /// What is wrong with the choice of a device, where displays were not the matter.
    var refusal: BackendError?

    /// Why, for each display.
    var words: String {
      attempts.compactMap { report in report.failure.map { "\(report.platform): \($0)" } }
        .joined(separator: "; ")
    }

    var backendError: BackendError {
      if let refusal { return refusal }
      let host = HostGraphics()
      return .unavailable(
        backend: "gl", reason: words,
        remedy: GLAdvice.remedies(for: attempts, on: host).joined(separator: "; "))
    }
  }

  /// A context with what is known of it.
  struct Found {
    var context: GLContext
    var device: GLDevice
  }

  private let client = EGLClient()
  /// How contexts are set up.
  var setup = ContextSetup()

  /// Every platform and device, best first.
  private var platforms: [DisplayPlatform] {
    client.platforms(renderNodes: HostGraphics.renderNodes())
  }

  /// Hardware before software across all platforms, then the order of `platforms`.
  ///
  /// Mesa lists its software renderer as an EGL device too, so the first display that works is
  /// not the answer. Where there is no GPU at all, it is.
  func best(_ wanted: GLOptions.Device) throws(Failure) -> Found {
    var platforms = self.platforms
    var isHardwarePossible = GLSurvey.hasGPUDeviceNode
    switch wanted {
    case .automatic: break
    case .only(let platform):
      platforms = [platform]
      isHardwarePossible = false
    case .named(let text):
      platforms = try displays(of: text)
      isHardwarePossible = false
    }
    var fallback: DisplayPlatform?
    var attempts: [DisplayReport] = []
    for platform in platforms {
      do throws(EGLFailure) {
        let found = try open(platform)
        if !found.device.isSoftware || !isHardwarePossible { return found }
        fallback = fallback ?? platform
      } catch {
        attempts.append(DisplayReport(platform: platform, outcome: .failure(error)))
      }
    }
    if let fallback, let found = try? open(fallback) { return found }
    throw Failure(attempts: attempts)
  }

  /// The displays of the device that a text stands for.
  private func displays(of text: String) throws(Failure) -> [DisplayPlatform] {
    let attempts = survey()
    let list = DeviceList(attempts)
    guard !list.devices.isEmpty else { throw Failure(attempts: attempts) }
    do throws(BackendError) { return try list.device(text).displays } catch {
      throw Failure(attempts: attempts, refusal: error)
    }
  }

  /// Opens each platform in turn and lets go of it.
  func survey() -> [DisplayReport] {
    platforms.map { platform in
      do throws(EGLFailure) {
        return DisplayReport(platform: platform, outcome: .success(try open(platform).device))
      } catch {
        return DisplayReport(platform: platform, outcome: .failure(error))
      }
    }
  }

  private func open(_ platform: DisplayPlatform) throws(EGLFailure) -> Found {
    let context = try GLContext(on: try GLDisplay(platform, client: client), setup)
    let node: String? =
      switch platform {
      case .device(let index): client.devices[index].renderNode
      case .gbm(let node): node
      case .surfaceless: nil
      }
    return Found(context: context, device: GLDevice(context, renderNode: node))
  }
}
