/// How bright a part of a scene is.
struct SceneLuminance: Sendable {
  let backend: any Backend
  private var compiler = SceneCompiler()

  init(backend: any Backend) { self.backend = backend }

  /// Cells along the longer side of what is measured; they are about square.
  private static let mostCells = 16

  /// The relative luminance of cells of a part of the canvas.
  mutating func measure(
    _ scene: Scene, _ pictures: [Image], in rect: Rect
  ) async throws(SceneError) -> BackdropLuminance {
    let plan: Plan
    do throws(PlanError) { plan = try compiler.plan(scene).cropped(to: rect) } catch {
      throw .plan(error)
    }
    let image: Image
    do throws(BackendError) { image = try await backend.execute(plan, pictures) } catch {
      throw .backend(error)
    }
    do throws(ContrastError) { return try BackdropLuminance(cells: cells(of: image)) } catch {
      throw .backend(.failed(backend: backend.name, what: "\(error)"))
    }
  }

  /// The mean luminance of each cell, row after row.
  private func cells(of image: Image) -> [Double] {
    let side = max(1, (max(image.size.width, image.size.height) - 1) / Self.mostCells + 1)
    let light = (0...255).map { Double(TransferCurve.decode(Float($0) / 255)) }
    let channels = image.format.layout.channels
    var cells: [Double] = []
    for top in stride(from: 0, to: image.size.height, by: side) {
      for left in stride(from: 0, to: image.size.width, by: side) {
        let rows = top..<min(top + side, image.size.height)
        let columns = left..<min(left + side, image.size.width)
        var sum = 0.0
        for y in rows {
          for x in columns {
            let pixel = y * image.bytesPerRow + x * channels
            sum +=
              0.2126 * light[Int(image.bytes[pixel])] + 0.7152 * light[Int(image.bytes[pixel + 1])]
              + 0.0722 * light[Int(image.bytes[pixel + 2])]
          }
        }
        cells.append(sum / Double(rows.count * columns.count))
      }
    }
    return cells
  }
}
