extension Scene {
  /// Decides everything that will be computed: the inputs are the scene's pictures, in order, and the
  /// result has 8 bits a channel, with straight alpha where the background is not opaque.
  ///
  /// - Throws: `PlanError.badValue` when a filter's parameter is out of range for this canvas, or the
  ///   scale is; `PlanError.malformed` for a picture that is not there.
  public func plan() throws(PlanError) -> Plan {
    guard (0.001...1000).contains(scale) else {
      throw .badValue(
        filter: "scene", parameter: "scale", value: shortest(scale),
        accepted: "from 0.001 to 1000 pixels per point")
    }
    try checkPictures(layers)
    let options = PlanOptions(quality: quality, scale: scale)
    return try PlanSearch(quality, from: quality == .fast ? .half : .fixed16).best {
      budget, precision throws(PlanError) in
      var planner = Planner(
        size: size, inputs: pictures, options: options, budget: budget, precision: precision)
      let surface = try planner.layers(layers, of: self)
      return planner.finish(
        surface, format: PixelFormat(surface.layout, .uint8), alpha: .straight)
    }
  }

  /// Layers may show only pictures that are there, and be masked only by gray ones.
  private func checkPictures(_ layers: [Layer]) throws(PlanError) {
    for layer in layers {
      if case .backdrop(_, .layers(let captured)) = layer.content { try checkPictures(captured) }
      if case .picture(let shown) = layer.content { try check(shown, of: layer) }
      guard let mask = layer.mask else { continue }
      try check(mask, of: layer)
      guard pictures[mask.picture].format.layout == .gray else {
        throw .malformed("layer \(layer.id) has a mask that is not gray")
      }
    }
  }

  private func check(_ placed: PlacedPicture, of layer: Layer) throws(PlanError) {
    guard pictures.indices.contains(placed.picture) else {
      throw .malformed(
        "layer \(layer.id) shows picture \(placed.picture) of a scene that has \(pictures.count)")
    }
    guard placed.transform.inverse != nil else {
      throw .malformed("layer \(layer.id) shows a picture that is a line or a point")
    }
  }
}
