import FrostglassCPU
import FrostglassCore
import FrostglassGL
import TestSupport
import Testing

/// An image on a canvas: the same on every backend, and where it belongs.
@Suite struct CanvasParityTests {
  private static func design(
    _ picture: Size, _ canvas: Size, _ place: Rect, cover: Rect, radius: Double = 0,
    shadow: Double = 0, dim: Double = 0.2, saturation: Double = 1
  ) -> CanvasDesign {
    CanvasDesign(
      picture: picture, canvas: canvas, place: place, cover: cover, radius: radius,
      sigma: Sigma(percent: 4), dim: dim, saturation: saturation, shadow: shadow)
  }

  private static let designs = [
    // Smaller and upright, as from 16:9 to 9:16.
    design(
      Size(width: 96, height: 54), Size(width: 54, height: 96),
      Rect(x: 0, y: 33, width: 54, height: 30), cover: Rect(x: 18, y: 0, width: 17, height: 30)),
    // Larger, with everything, by odd numbers.
    design(
      Size(width: 37, height: 29), Size(width: 121, height: 61),
      Rect(x: 24, y: 3, width: 70, height: 55), cover: Rect(x: 0, y: 10, width: 70, height: 35),
      radius: 7, shadow: 0.6, dim: 0.3, saturation: 0.4),
    // Much smaller.
    design(
      Size(width: 301, height: 7), Size(width: 32, height: 32),
      Rect(x: 0, y: 15, width: 32, height: 1), cover: Rect(x: 15, y: 0, width: 1, height: 1)),
  ]
  private static let formats = [
    YCbCrFormat(), .jpeg, YCbCrFormat(sampling: .columns, bits: .ten), YCbCrFormat(sampling: .none),
  ]

  private static let references = SharedResults<String, Image>()

  private func compare(_ backend: any Backend, _ name: String) async throws {
    for (number, design) in Self.designs.enumerated() {
      for (kind, format) in Self.formats.enumerated() {
        let picture = try TestPlanes.noise(design.picture.width, design.picture.height, format)
        for index in 0..<3 {
          let plan = try design.plan(forPlane: index, of: format)
          #expect(plan.certifiedError.total < 2, "\(plan.certifiedError)")
          let expected = try await Self.references.value("\(number) \(index) \(kind)") {
            try await ReferenceBackend().execute(plan, [picture.planes[index]])
          }
          let actual = try await backend.execute(plan, [picture.planes[index]])
          #expect(expected.size == format.planes(of: design.canvas)[index].size)
          let steps = 1 << (format.bits.rawValue - 8)
          let worst = zip(Self.codes(expected), Self.codes(actual)).map { abs($0 - $1) }.max() ?? 0
          #expect(worst <= steps, "\(name), design \(number), plane \(index), \(format)")
        }
      }
      for format in [PixelFormat.rgb8, .gray8, .rgba8] {
        var design = design
        if format.layout.hasAlpha { design.picture = design.place.size }
        let colors = TestImages.noise(design.picture.width, design.picture.height, format)
        let plan = try design.plan(for: Plan.Input(colors))
        let expected = try await Self.references.value("\(number) \(format)") {
          try await ReferenceBackend().execute(plan, [colors])
        }
        let actual = try await backend.execute(plan, [colors])
        let worst = zip(Self.codes(expected), Self.codes(actual)).map { abs($0 - $1) }.max() ?? 0
        #expect(worst <= 1, "\(name), design \(number), \(format)")
      }
    }
  }

  private static func codes(_ image: Image) -> [Int] {
    (0..<image.size.height).flatMap { y in
      (0..<image.size.width).flatMap { x in
        (0..<image.format.layout.channels).map { channel in
          Int(
            (image.sample(x: x, y: y, channel: channel) * Float(image.format.depth.fullScale))
              .rounded())
        }
      }
    }
  }

  @Test func fastIsTheReference() async throws {
    try await compare(FastBackend(threads: 3), "fast")
  }

  @Test(arguments: ParityTests.setups)
  func glIsTheReference(name: String, options: GLOptions) async throws {
    try await compare(try await GLBackend.start(options), name)
  }

  /// A constant image stays constant, and its surroundings have the requested brightness and saturation.
  @Test func constantsStayConstant() async throws {
    for (number, design) in Self.designs.enumerated() {
      for format in Self.formats.prefix(2) {
        let picture = try TestPlanes.make(design.picture.width, design.picture.height, format) {
          _, _ in
          180
        } chroma: { _, _, isRed in
          isRed ? 90 : 160
        }
        for index in 0..<3 {
          let plan = try design.plan(forPlane: index, of: format)
          let made = try await FastBackend().execute(plan, [picture.planes[index]])
          let pitch = index == 0 ? 1 : 2
          let (x, y) = (
            design.place.x + design.place.width / 2, design.place.y + design.place.height / 2
          )
          let inside = made.bytes[y / pitch * made.bytesPerRow + x / pitch]
          let given = index == 0 ? 180 : index == 1 ? 160 : 90
          if design.place.height > 4 {
            #expect(Int(inside) == given, "\(number) \(format) \(index)")
          }
          // The corner of the canvas is beyond image and shadow.
          let black = index > 0 ? 128.0 : format.range == .narrow ? 16 : 0
          let scale = (1 - design.dim) * (index == 0 ? 1 : design.saturation)
          let wanted = black + (Double(given) - black) * scale
          #expect(abs(Double(made.bytes[0]) - wanted) <= 1, "\(number) \(format) \(index)")
        }
      }
    }
  }

  /// A ramp comes to lie where it was, on a canvas of another scale, in brightness and differences alike.
  @Test func positionsAreKept() async throws {
    let design = Self.design(
      Size(width: 96, height: 54), Size(width: 54, height: 96),
      Rect(x: 0, y: 33, width: 54, height: 30), cover: Rect(x: 18, y: 0, width: 17, height: 30))
    for format in [YCbCrFormat(), .jpeg] {
      let picture = try TestPlanes.make(96, 54, format) { x, _ in
        Int((40 + 1.5 * (Double(x) + 0.5)).rounded())
      } chroma: { x, _, _ in
        // At the places of the samples among pixels.
        Int((40 + 1.5 * (2 * Double(x) + (format.siting.x == .cosited ? 0.5 : 1))).rounded())
      }
      for index in 0..<3 {
        let plan = try design.plan(forPlane: index, of: format)
        let made = try await FastBackend().execute(plan, [picture.planes[index]])
        let pitch = index == 0 ? 1 : 2
        for x in 8 / pitch..<46 / pitch {
          let center = index > 0 && format.siting.x == .centered ? 1 : 0.5
          let place = (Double(pitch * x) + center) * 96 / 54
          let code = Int(made.bytes[48 / pitch * made.bytesPerRow + x])
          #expect(abs(Double(code) - 40 - 1.5 * place) <= 1.6, "\(format) \(index) \(x)")
        }
      }
    }
  }
}
