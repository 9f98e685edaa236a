/// Renders scenes that follow each other, and computes only what changed.
///
/// The image is byte for byte the one that rendering the scene alone gives, with the same backend.
package struct SceneRenderer: Sendable {
  /// The result of rendering.
  package struct Frame: Sendable {
    /// The whole canvas.
    package var image: Image
    /// The pixels that were computed anew for it.
    package var damage: Damage
  }

  /// The scene before.
  private struct Last {
    var scene: Scene
    var plan: Plan
    var image: Image
  }

  private let backend: any Backend
  private let limits: PlanLimits
  private var compiler = SceneCompiler()
  private var last: Last?
  /// Memory for what is computed anew, used again.
  private var part: Image?
  /// The images of the scene before, once they are shown again: where the backend reads them best.
  private var kept: (descriptions: [Plan.Input], inputs: [PixelInput]?)?

  package init(backend: any Backend, limits: PlanLimits = PlanLimits()) {
    self.backend = backend
    self.limits = limits
  }

  /// Renders a scene.
  ///
  /// - Parameter pictures: one for each of the scene's, in order. For a scene on the same canvas and
  ///   with the same `pictures` descriptions as the one before they must be the same images; call
  ///   `forget()` where they are not.
  /// - Throws: `SceneError.plan` for what is wrong with the scene, `SceneError.backend` when it could
  ///   not be computed.
  package mutating func render(
    _ scene: Scene, _ pictures: [Image]
  ) async throws(SceneError) -> Frame {
    let (plan, damage) = try prepare(scene)
    // Moved out, so that its bytes are changed in place.
    var image = last?.image
    last = nil
    var inputs = damage.isEmpty ? [] : await inputs(of: scene, pictures)
    let isWhole = damage.contains(scene.canvas)
    let bands = bands(of: scene)
    if isWhole && bands.count == 1 {
      try await execute(plan, &inputs, pictures, into: &image)
    } else {
      if image == nil { image = Image(zeros: scene.size, result: plan.result) }
      for rect in isWhole ? bands : damage.rects {
        let cropped: Plan
        do { cropped = try plan.cropped(to: rect) } catch { throw .plan(error) }
        try await execute(cropped, &inputs, pictures, into: &part)
        if let part { image?.replace(rect, by: part) }
      }
    }
    // Upload images again that left the device.
    if kept?.inputs?.contains(where: \.isResident) == true, !damage.isEmpty,
      !inputs.contains(where: \.isResident)
    {
      kept = nil
    }
    guard let image else { throw .backend(.failed(backend: backend.name, what: "no image")) }
    last = Last(scene: scene, plan: plan, image: image)
    return Frame(image: image, damage: damage)
  }

  /// Renders the next scene in full.
  package mutating func forget() {
    last = nil
    kept = nil
  }

  /// The scene's images. Those that change with every frame are left where they are.
  private mutating func inputs(of scene: Scene, _ pictures: [Image]) async -> [PixelInput] {
    if let kept, kept.descriptions == scene.pictures {
      if let inputs = kept.inputs { return inputs }
      var inputs: [PixelInput] = []
      for picture in pictures {
        inputs.append(await backend.resident(picture).map { .resident($0) } ?? .image(picture))
      }
      self.kept?.inputs = inputs
      return inputs
    }
    kept = (scene.pictures, nil)
    return pictures.map { .image($0) }
  }

  /// From this many layers on, most of them in a small part of the canvas, a canvas is computed in
  /// parts with only the layers that show there.
  private static let manyLayers = 48
  private static let bandRows = 128

  /// The canvas in parts that are computed one after another.
  private func bands(of scene: Scene) -> [Rect] {
    // A GPU draws each layer only where it is visible; parts would only add draws.
    guard backend.framesInFlight == 1,
      scene.layers.reduce(0, { $0 + $1.count }) >= SceneRenderer.manyLayers
    else { return [scene.canvas] }
    return stride(from: 0, to: scene.size.height, by: SceneRenderer.bandRows).map { top in
      let rows = top..<min(top + SceneRenderer.bandRows, scene.size.height)
      return Rect(columns: scene.canvas.columns, rows: rows)
    }
  }

  /// Above this share of the canvas, computing all of it takes no longer.
  private static let mostDamage = 0.75

  /// The scene's plan, and what of it must be computed.
  private mutating func prepare(_ scene: Scene) throws(SceneError) -> (Plan, Damage) {
    if let last, last.scene == scene { return (last.plan, Damage()) }
    do {
      let plan = try compiler.plan(scene)
      try plan.validate(for: limits)
      let whole = Damage(scene.canvas)
      guard let last, last.plan.result.isLike(plan.result), backend.isBitIdentical(last.plan, plan)
      else { return (plan, whole) }
      let damage = try compiler.damage(from: last.scene, to: scene)
      let most = SceneRenderer.mostDamage * Double(scene.canvas.area)
      return (plan, Double(damage.area) > most ? whole : damage)
    } catch { throw .plan(error) }
  }

  private func execute(
    _ plan: Plan, _ inputs: inout [PixelInput], _ pictures: [Image], into image: inout Image?
  ) async throws(SceneError) {
    let output = image.map { ImageOutput(reusing: $0) } ?? ImageOutput()
    image = nil
    do throws(BackendError) {
      do {
        _ = try await backend.run(plan, PixelIO(inputs, to: [.image(output)]))
      } catch {
        guard inputs.contains(where: \.isResident) else { throw error }
        // Images on a device are lost with its context.
        inputs = pictures.map { .image($0) }
        _ = try await backend.run(plan, PixelIO(inputs, to: [.image(output)]))
      }
    } catch { throw .backend(error) }
    image = output.take()
  }
}

extension Image {
  /// Black, as a plan's result will be.
  fileprivate init(zeros size: Size, result: Plan.Result) {
    self.init(zeros: size, format: result.format, alpha: result.alpha, transfer: result.transfer)
  }

  /// Puts another image of the same format over a part of this one, as large as that.
  fileprivate mutating func replace(_ rect: Rect, by part: Image) {
    let length = rect.width * format.bytesPerPixel
    let (own, other) = (bytesPerRow, part.bytesPerRow)
    let start = rect.y * own + rect.x * format.bytesPerPixel
    withUnsafeMutableBytes { target in
      part.withUnsafeBytes { source in
        for row in 0..<rect.height {
          let from = UnsafeRawBufferPointer(rebasing: source[row * other..<row * other + length])
          let place = start + row * own
          UnsafeMutableRawBufferPointer(rebasing: target[place..<place + length])
            .copyMemory(from: from)
        }
      }
    }
  }
}

/// Why a scene could not be rendered.
package enum SceneError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Something is wrong with the scene.
  case plan(PlanError)
  /// It could not be computed.
  case backend(BackendError)

  package var description: String {
    switch self {
    case .plan(let error): "\(error)"
    case .backend(let error): "\(error)"
    }
  }
}
