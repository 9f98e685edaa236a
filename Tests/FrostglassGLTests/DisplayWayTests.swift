import CGLES
import Glibc
import Testing

/// Drivers that do not export the newest function for displays.
@Suite struct DisplayWayTests {
  /// Both older ones lead to a display; a device is none that the oldest can have.
  @Test func olderWaysLeadToADisplay() async {
    await #expect(processExitsWith: .success) {
      setenv("EGL_PLATFORM", "surfaceless", 1)
      for way in [CGLESNewest, CGLESExtension, CGLESNative] {
        let display = CGLESPlatformDisplay(way, EGLenum(EGL_PLATFORM_SURFACELESS_MESA), nil)
        #expect(display != nil, "\(way)")
        #expect(eglInitialize(display, nil, nil) == EGL_TRUE, "\(way)")
      }
      #expect(CGLESPlatformDisplay(CGLESNative, EGLenum(EGL_PLATFORM_DEVICE_EXT), nil) == nil)
    }
  }
}
