/// A picture while a plan is being made: what filters take and give.
public struct Surface: Sendable, Hashable {
  /// Index into the plan's slots.
  let slot: Int
  public let layout: Layout
  /// How columns and rows outside are read; `nil` where they are computed like any other.
  var x: AxisEdge?
  var y: AxisEdge?
  /// How far this picture can be from the true one.
  public private(set) var error: CertifiedError

  var source: Source { Source(slot: slot, x: x, y: y) }

  /// The same picture, known to be an approximation by definition, in levels of 255.
  func adding(model: Double) -> Surface {
    var surface = self
    surface.error.model += model
    return surface
  }

  /// The same picture, known to be made up: that its blurs are approximations counts as meant.
  var withKernelsAsModel: Surface {
    var surface = self
    surface.error.model += error.kernel
    surface.error.kernel = 0
    return surface
  }

  /// The same picture, read with these edges from now on.
  func extended(x: AxisEdge?, y: AxisEdge?) -> Surface {
    var surface = self
    surface.x = x
    surface.y = y
    return surface
  }
}
