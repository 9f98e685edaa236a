internal import FrostglassCore

extension Displace {
  /// Reads each pixel from where the map says.
  func reference(_ source: SourceRows, _ map: SourceRows, into slot: Slot) -> WorkingImage {
    var picture = WorkingImage(slot)
    let offset = slot.domain.x - map.picture.domain.x
    picture.fillRows { y, target in
      map.withRow(y) { row in
        guard let row else { return }
        for x in 0..<slot.domain.width {
          let move = pixel(row, offset + x, map.picture.layout) - 0.5
          let place = SIMD2(slot.domain.x + x, y)
          setPixel(target, x, slot.layout, read(source, place, SIMD2(move.x, move.y)))
        }
      }
    }
    return picture
  }

  /// One pixel.
  private func read(
    _ source: SourceRows, _ place: SIMD2<Int>, _ move: SIMD2<Float>
  ) -> SIMD4<Float> {
    var value = source.interpolated(place, move * span.y)
    guard disperses else { return value }
    value.x = source.interpolated(place, move * span.x).x
    value.z = source.interpolated(place, move * span.z).z
    let alpha = max(value.w, 0)
    return SIMD4(
      min(max(value.x, 0), alpha), min(max(value.y, 0), alpha), min(max(value.z, 0), alpha),
      value.w)
  }
}

extension SourceRows {
  /// The bilinear value at a pixel plus a displacement.
  fileprivate func interpolated(_ place: SIMD2<Int>, _ move: SIMD2<Float>) -> SIMD4<Float> {
    let whole = move.rounded(.down)
    let part = move - whole
    let x = place.x + Int(whole.x)
    let y = place.y + Int(whole.y)
    let top = value(x, y) * (1 - part.x) + value(x + 1, y) * part.x
    let bottom = value(x, y + 1) * (1 - part.x) + value(x + 1, y + 1) * part.x
    return top * (1 - part.y) + bottom * part.y
  }

  /// A pixel, also beyond the edges.
  private func value(_ x: Int, _ y: Int) -> SIMD4<Float> {
    guard let column = source.x.map({ $0.mode.resolve(x, in: $0.range) }) ?? x,
      let row = source.y.map({ $0.mode.resolve(y, in: $0.range) }) ?? y
    else { return .zero }
    let start = picture.rowStart(row)
    return picture.samples.withUnsafeBufferPointer { all in
      pixel(
        UnsafeBufferPointer(rebasing: all[start..<start + picture.rowLength]),
        column - picture.domain.x, picture.layout)
    }
  }
}
