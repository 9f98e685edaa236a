/// A GPU, or the CPU that plays one, with every display that leads to it.
public struct ListedDevice: Sendable, Hashable, CustomStringConvertible {
  /// Its place in the list, from 0.
  public var number: Int
  /// What it says of itself on the first of its displays.
  public var device: GLDevice
  /// The ways to it, best first; at least one.
  public var displays: [DisplayPlatform]

  /// The number and the renderer.
  public var description: String { "\(number): \(device.capabilities.renderer)" }

  /// What a part of may be given as its name.
  var names: [String] {
    [device.capabilities.renderer, device.driver, device.renderNode].compactMap { $0 }
  }
}
