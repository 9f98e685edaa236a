import FrostglassCore
import FrostglassGL
import Testing

/// Displays of the same device, and the names of devices.
@Suite struct DeviceListTests {
  static func display(
    _ platform: DisplayPlatform, _ renderer: String, node: String? = nil, driver: String? = nil
  ) -> DisplayReport {
    DisplayReport(
      platform: platform,
      outcome: .success(
        GLDevice(
          platform: platform, driver: driver, renderNode: node,
          capabilities: GLCapabilities(renderer: renderer))))
  }

  static let failure = DisplayReport(
    platform: .gbm("/dev/dri/card0"), outcome: .failure(EGLFailure(step: "open")))

  /// An integrated and a discrete GPU, and Mesa's software renderer first in EGL's list.
  static let mixed = DeviceList([
    display(.device(0), "llvmpipe (LLVM 15.0.6, 256 bits)", driver: "swrast"),
    display(.device(1), "NVIDIA H200/PCIe/SSE2", node: "/dev/dri/renderD129"),
    display(.device(2), "Mesa Intel(R) UHD", node: "/dev/dri/renderD128", driver: "iris"),
    failure,
    display(.gbm("/dev/dri/renderD128"), "Mesa Intel(R) UHD", node: "/dev/dri/renderD128"),
    display(.gbm("/dev/dri/renderD129"), "NVIDIA H200/PCIe/SSE2", node: "/dev/dri/renderD129"),
    display(.surfaceless, "Mesa Intel(R) UHD"),
  ])

  @Test func eachDeviceIsThereOnceAndHardwareFirst() {
    let devices = Self.mixed.devices
    #expect(devices.map(\.number) == [0, 1, 2])
    #expect(
      devices.map(\.description) == [
        "0: NVIDIA H200/PCIe/SSE2", "1: Mesa Intel(R) UHD", "2: llvmpipe (LLVM 15.0.6, 256 bits)",
      ])
    #expect(devices[0].displays == [.device(1), .gbm("/dev/dri/renderD129")])
    #expect(devices[1].displays == [.device(2), .gbm("/dev/dri/renderD128"), .surfaceless])
    #expect(devices[2].displays == [.device(0)])
  }

  /// Two of one kind, whose driver does not tell their nodes.
  @Test func devicesOfOneNameStayApart() {
    let list = DeviceList([
      Self.display(.device(0), "H200"), Self.display(.device(1), "H200"),
      Self.display(.gbm("/dev/dri/renderD128"), "H200", node: "/dev/dri/renderD128"),
      Self.display(.gbm("/dev/dri/renderD129"), "H200", node: "/dev/dri/renderD129"),
      Self.display(.surfaceless, "H200"),
    ])
    #expect(list.devices.count == 2)
    #expect(list.devices.map { $0.displays[0] } == [.device(0), .device(1)])
    #expect(list.devices.map(\.displays.count) == [3, 2])
    #expect(
      list.devices.map(\.device.renderNode) == ["/dev/dri/renderD128", "/dev/dri/renderD129"])
  }

  /// A node is one device, even if two drivers have different names for it.
  @Test func aNodeIsADevice() {
    let list = DeviceList([
      Self.display(.device(0), "NVIDIA", node: "/dev/dri/renderD128"),
      Self.display(.device(1), "zink (NVIDIA)", node: "/dev/dri/renderD128"),
    ])
    #expect(list.devices.count == 1 && list.devices[0].displays.count == 2)
  }

  @Test func theCPUIsOneDevice() {
    let name = "llvmpipe (LLVM 15)"
    let list = DeviceList([
      Self.display(.device(0), name), Self.display(.device(1), name),
      Self.display(.surfaceless, name), Self.display(.gbm("/dev/dri/renderD128"), name, node: "x"),
    ])
    #expect(list.devices.count == 1)
    #expect(DeviceList([Self.failure]).devices.isEmpty)
  }

  @Test(
    arguments: [
      ("0", [0]), ("2", [2]), ("nvidia", [0]), ("INTEL", [1]), ("renderD128", [1]), ("iris", [1]),
      ("swrast", [2]), ("LLVM 15.0.6, 256", [2]), ("1,0", [1, 0]), ("nvidia, iris", [0, 1]),
      ("0,nvidia,0", [0]), ("all", [0, 1]), ("ALL", [0, 1]),
    ]) func namesAndNumbersAreUnderstood(_ text: String, _ numbers: [Int]) throws
  {
    #expect(try Self.mixed.devices(text).map(\.number) == numbers)
  }

  @Test(arguments: ["3", "-1", "radeon", "e", "", "0,,1", "0,7", "nvidia,radeon"])
  func othersAreRefusedWithTheList(_ text: String) {
    do throws(BackendError) {
      _ = try Self.mixed.devices(text)
      Issue.record("\(text) was accepted")
    } catch {
      for word in ["0: NVIDIA", "/dev/dri/renderD128", "2: llvmpipe"] {
        #expect("\(error)".contains(word), "\(error)")
      }
    }
  }

  @Test func ambiguityIsNamed() {
    do throws(BackendError) {
      _ = try Self.mixed.device("render")
      Issue.record("it was accepted")
    } catch { #expect("\(error)".contains("\"render\" stands for 2 devices")) }
  }

  @Test func softwareIsAllThereIs() throws {
    let list = DeviceList([Self.display(.surfaceless, "llvmpipe (LLVM 15)")])
    #expect(try list.devices("all").count == 1)
    #expect(throws: BackendError.self) { try DeviceList([]).devices("all") }
    #expect(throws: BackendError.self) { try DeviceList([]).devices("0") }
  }

  @Test func aBackendStartsOnTheDeviceNamed() async throws {
    let list = try await GLSurvey.take().list
    let first = try #require(list.devices.first)
    #expect(list.devices.count == Set(list.devices.map(\.device.capabilities.renderer)).count)
    for name in ["0", first.device.capabilities.renderer.uppercased()] {
      let backend = try await GLBackend.start(GLOptions(device: .named(name)))
      #expect(backend.device.capabilities.renderer == first.device.capabilities.renderer)
      #expect(backend.device.platform == first.displays[0])
    }
    do throws(BackendError) {
      _ = try await GLBackend.start(GLOptions(device: .named("no such GPU")))
      Issue.record("it was accepted")
    } catch { #expect("\(error)".contains("\(first)"), "\(error)") }
  }

  /// If eight processes on eight GPUs see one each, each uses the first that CUDA counts.
  @Test func theOrderIsCUDAsWhereItSeesSome() {
    #expect(EGLClient.order(cudaNumbers: [2, 0, nil, 1], visible: nil) == [0, 1, 2, 3])
    #expect(EGLClient.order(cudaNumbers: [2, 0, nil, 1], visible: "") == [0, 1, 2, 3])
    #expect(EGLClient.order(cudaNumbers: [2, 0, nil, 1], visible: "5,3,1") == [1, 3, 0, 2])
    #expect(EGLClient.order(cudaNumbers: [nil, nil, 0], visible: "7") == [2, 0, 1])
  }

  @Test(arguments: [
    ("llvmpipe (LLVM 15.0.6, 256 bits)", true), ("softpipe", true),
    ("Google SwiftShader", true), ("virgl (LLVMPIPE (LLVM 15.0.6, 256 bits))", true),
    ("D3D12 (Microsoft Basic Render Driver)", true), ("D3D12 (NVIDIA GeForce RTX 3060)", false),
    ("V3D 7.1.7", false), ("Mali-G610 (Panfrost)", false),
  ])
  func softwareIsKnownByItsName(_ renderer: String, _ isSoftware: Bool) {
    #expect(GLCapabilities(renderer: renderer).isSoftware == isSoftware)
  }

  @Test func driversAreNamed() {
    func version(_ text: String) -> String {
      GLCapabilities(renderer: "", version: text).driverVersion
    }
    #expect(version("OpenGL ES 3.2 Mesa 22.3.6") == "Mesa 22.3.6")
    #expect(version("OpenGL ES 3.2 NVIDIA 550.54.15") == "NVIDIA 550.54.15")
    #expect(version("strange") == "strange")
  }
}
