internal import FrostglassCore

// Where pictures and texts are in their frames.
extension LayerComposer {
  /// A picture that fills a frame, around its center.
  func placed(_ picture: Int, _ fit: PictureFit, in shape: LayerShape) -> PlacedPicture {
    let size = pictures[picture].size
    let factors = fit.factors(from: size, to: shape.rect.size)
    let (width, height) = (Double(size.width) * factors.x, Double(size.height) * factors.y)
    let left = shape.rect.x + ((shape.rect.width - width) / 2).rounded()
    let top = shape.rect.y + ((shape.rect.height - height) / 2).rounded()
    return PlacedPicture(
      picture,
      transform: AffineTransform.scale(
        x: near(factors.x, size.width), y: near(factors.y, size.height)
      )
      .followed(by: .translation(x: left, y: top)).followed(by: shape.transform))
  }

  /// A factor, or 1 where it changes a side by less than a pixel: then nothing is interpolated.
  private func near(_ factor: Double, _ side: Int) -> Double {
    abs(factor - 1) * Double(side) < 1 ? 1 : factor
  }

  /// A text, in its own size.
  func placed(
    _ text: Int, _ alignment: TextDocument.Alignment, in shape: LayerShape
  ) -> PlacedPicture {
    let size = pictures[text].size
    let room = shape.rect.width - Double(size.width)
    let left =
      switch alignment {
      case .left: 0.0
      case .center: (room / 2).rounded()
      case .right: room
      }
    let top = ((shape.rect.height - Double(size.height)) / 2).rounded()
    let move = AffineTransform.translation(x: shape.rect.x + left, y: shape.rect.y + top)
    return PlacedPicture(text, transform: move.followed(by: shape.transform))
  }
}
