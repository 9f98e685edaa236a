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
