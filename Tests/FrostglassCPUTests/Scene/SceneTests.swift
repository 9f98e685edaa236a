import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Renderings of scenes, checked against the meaning of each layer.
@Suite struct SceneTests {
  private static let photo = TestImages.noise(40, 30, seed: 7)
  private static let gray = TestImages.make(8, 6, .gray8) { x, _, _ in x < 4 ? 1 : 0 }

  private func scene(_ layers: [Layer], background: Color = .white) -> Scene {
    Scene(
      size: Size(width: 40, height: 30), background: background, layers: layers,
      pictures: [Plan.Input(Self.photo), Plan.Input(Self.gray)])
  }

  private func image(_ scene: Scene) async throws -> Image {
    var compiler = SceneCompiler()
    let plan = try compiler.plan(scene)
    try plan.validate(for: .none)
    return try await ReferenceBackend().execute(plan, [Self.photo, Self.gray])
  }

  private func pixel(_ image: Image, _ x: Int, _ y: Int) -> [Int] {
    (0..<image.format.layout.channels).map {
      Int(image.sample(x: x, y: y, channel: $0) * 255 + 0.5)
    }
  }

  private let photoLayer = Layer(id: "photo", .picture(PlacedImage(0)))

  /// Images that are laid over each other share their rows' places: what is read there is still the one
  /// that is meant, whoever comes after it.
  @Test(arguments: [1, 3, 8])
  func rowsOfOnePlaceAreReadBeforeOthersComeThere(rowsPerBand: Int) throws {
    func box(_ id: String, _ x: Double, _ y: Double, _ content: Layer.Content) -> Layer {
      Layer(
        id: id, content,
        clips: [LayerShape(LayoutRect(x: x, y: y, width: 17, height: 13), cornerRadius: 3)])
    }
    let blue = Color(red: 0, green: 0, blue: 1, alpha: 0.5)
    let scene = scene([
      photoLayer, box("below", 2, 3, .color(blue)),
      box("glass", 9, 8, .backdrop([.gaussian(sigma: 4)], of: .below)),
      box("above", 20, 14, .color(blue)),
      box("more", 12, 2, .backdrop([.gaussian(sigma: 2)], of: .below)),
      box("last", 1, 15, .color(blue)),
    ])
    var compiler = SceneCompiler()
    let plan = try compiler.plan(scene)
    var shared = 0
    for rows in [0..<30, 0..<9, 11..<24, 29..<30] {
      let schedule = RowSchedule(
        plan, target: nil, rows: rows, complete: [], rowsPerBand: rowsPerBand)
      shared += schedule.rings.count
      var ring = [Int?](repeating: nil, count: plan.slots.count)
      for (index, each) in schedule.rings.enumerated() {
        for slot in each.slots { ring[slot] = index }
      }
      // What each place holds: a slot's row.
      var held = schedule.rings.map { [[Int]](repeating: [], count: $0.capacity) }
      for band in schedule.bands {
        let step = plan.steps[schedule.steps[band.step]]
        for (place, source) in step.sources.enumerated() {
          guard let index = ring[source.slot], step.pass.reads(place, for: band.rows) else {
            continue
          }
          let columns = (step.target.map { plan.slots[$0].domain } ?? plan.result.rect).columns
          let rect = Rect(columns: columns, rows: band.rows)
          let first = schedule.rings[index].rows.lowerBound
          for wanted in step.pass.sourceRect(for: rect, of: place).rows {
            guard let row = source.y.map({ $0.mode.resolve(wanted, in: $0.range) }) ?? wanted
            else { continue }
            let there = held[index][(row - first) % schedule.rings[index].capacity]
            #expect(there == [source.slot, row], "\(step.pass.name) \(band.rows)")
          }
        }
        if let target = step.target, let index = ring[target] {
          let first = schedule.rings[index].rows.lowerBound
          for y in band.rows {
            held[index][(y - first) % schedule.rings[index].capacity] = [target, y]
          }
        }
      }
    }
    #expect(shared >= 4)
    // Floats are not mixed in place.
    var slots = plan.slots
    for slot in slots.indices { slots[slot].precision = .float32 }
    let floats = Plan(
      inputs: plan.inputs, slots: slots, steps: plan.steps, results: plan.results)
    let schedule = RowSchedule(
      floats, target: nil, rows: 0..<30, complete: [], rowsPerBand: rowsPerBand)
    #expect(schedule.rings.isEmpty)
  }

  @Test func nothingIsTheBackground() async throws {
    let orange = Color(red: 1, green: 0.6, blue: 0.2)
    let made = try await image(scene([], background: orange))
    #expect(made.format == .rgb8)
    #expect(pixel(made, 0, 0) == [255, 153, 51])
    #expect(pixel(made, 39, 29) == [255, 153, 51])
  }

  @Test func transparentBackgroundsStayTransparent() async throws {
    let half = Layer(
      id: "half", .color(Color(red: 1, green: 0, blue: 0, alpha: 0.6)),
      clips: [LayerShape(LayoutRect(x: 10, y: 0, width: 30, height: 30))])
    let made = try await image(scene([half], background: Color(white: 0, alpha: 0)))
    #expect(made.format == .rgba8)
    #expect(pixel(made, 9, 3) == [0, 0, 0, 0])
    #expect(pixel(made, 10, 3) == [255, 0, 0, 153])
  }

  /// Layers that are covered inside a group do not show through when the group fades.
  @Test func aGroupFadesAsOne() async throws {
    let red = Layer(id: "red", .color(Color(red: 1, green: 0, blue: 0)))
    let blue = Layer(
      id: "blue", .color(Color(red: 0, green: 0, blue: 1)),
      clips: [LayerShape(LayoutRect(x: 10, y: 0, width: 30, height: 30))])
    let made = try await image(scene([Layer(id: "both", .group([red, blue]), opacity: 0.4)]))
    #expect(pixel(made, 9, 3) == [255, 153, 153])
    #expect(pixel(made, 10, 3) == [153, 153, 255])
    let cut = Layer(
      id: "cut", .group([red, blue]),
      clips: [LayerShape(LayoutRect(x: 0, y: 0, width: 20, height: 30))])
    let part = try await image(scene([cut]))
    #expect(pixel(part, 19, 3) == [0, 0, 255] && pixel(part, 20, 3) == [255, 255, 255])
  }

  @Test func anImageMovedByWholePixelsIsItself() async throws {
    let moved = Layer(
      id: "photo", .picture(PlacedImage(0, transform: .translation(x: 7, y: -4))))
    let made = try await image(scene([moved]))
    for (x, y) in [(7, 0), (39, 25), (20, 13)] {
      #expect(pixel(made, x, y) == pixel(Self.photo, x - 7, y + 4))
    }
    #expect(pixel(made, 6, 0) == [255, 255, 255])
    #expect(pixel(made, 7, 26) == [255, 255, 255])
  }

  @Test func aQuarterTurnOnlyRearrangesPixels() async throws {
    // x' = 30 − y, y' = x: the top left pixel goes to the top right of a 30 pixels wide image.
    let turned = Layer(
      id: "photo",
      .picture(PlacedImage(0, transform: AffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 30, ty: 0)))
    )
    let made = try await image(scene([turned]))
    for (x, y) in [(0, 0), (29, 29), (13, 5)] {
      #expect(pixel(made, 29 - y, x) == pixel(Self.photo, x, y))
    }
  }

  @Test func enlargingKeepsConstants() async throws {
    let small = Layer(
      id: "small",
      .picture(
        PlacedImage(
          1,
          transform: AffineTransform.scale(x: 2.5, y: 2.5).followed(by: .translation(x: 3.3, y: 2)))
      ))
    let made = try await image(scene([small], background: .black))
    // The left half is white, up to 3.3 + 4 · 2.5 = 13.3.
    #expect(pixel(made, 6, 8) == [255, 255, 255])
    #expect(pixel(made, 20, 8) == [0, 0, 0])
  }

  @Test func colorsOpacitiesAndMasksMix() async throws {
    let mask = PlacedImage(1, transform: .translation(x: 10, y: 10))
    let layer = Layer(
      id: "color", .color(Color(red: 0, green: 0, blue: 0, alpha: 0.5)), mask: mask, opacity: 0.5)
    let made = try await image(scene([layer]))
    // A quarter of black on white where the mask is white: 255 · 0.75 = 191.25.
    #expect(pixel(made, 11, 11) == [191, 191, 191])
    #expect(pixel(made, 15, 11) == [255, 255, 255])
    #expect(pixel(made, 20, 11) == [255, 255, 255])
  }

  @Test func clipsCutCorners() async throws {
    let shape = LayerShape(LayoutRect(x: 5, y: 5, width: 20, height: 20), cornerRadius: 10)
    let half = LayerShape(LayoutRect(x: 0, y: 0, width: 15, height: 30))
    let layer = Layer(id: "disk", .color(.black), clips: [shape, half])
    let made = try await image(scene([layer]))
    #expect(pixel(made, 6, 6) == [255, 255, 255])
    #expect(pixel(made, 12, 12) == [0, 0, 0])
    #expect(pixel(made, 14, 12) == [0, 0, 0])
    #expect(pixel(made, 15, 12) == [255, 255, 255])
  }

  @Test func shapesWithHolesAndSoftEdgesShowTheRest() async throws {
    var hole = LayerShape(LayoutRect(x: 8, y: 8, width: 14, height: 14))
    hole.isHole = true
    let frame = LayerShape(LayoutRect(x: 5, y: 5, width: 20, height: 20))
    let ring = try await image(scene([Layer(id: "ring", .color(.black), clips: [frame, hole])]))
    #expect(pixel(ring, 6, 15) == [0, 0, 0] && pixel(ring, 24, 24) == [0, 0, 0])
    #expect(pixel(ring, 8, 8) == [255, 255, 255] && pixel(ring, 4, 15) == [255, 255, 255])
    var soft = LayerShape(LayoutRect(x: 5, y: 5, width: 20, height: 10))
    soft.feather = 8
    let shadow = try await image(scene([Layer(id: "soft", .color(.black), clips: [soft])]))
    #expect(pixel(shadow, 15, 14) == [0, 0, 0] && pixel(shadow, 15, 23) == [255, 255, 255])
    // 4 pixels below the edge 1 − smoothstep(1/2) is half, and it falls all the way.
    let column = (15..<23).map { pixel(shadow, 15, $0)[0] }
    #expect(column == column.sorted() && abs(column[3] + column[4] - 255) <= 1)
  }

  @Test func turnedShapesAreWhereTheirPointsGo() async throws {
    let turn = AffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 30, ty: 0)
    let shape = LayerShape(
      LayoutRect(x: 4, y: 10, width: 12, height: 6), cornerRadius: 2, transform: turn)
    let made = try await image(scene([Layer(id: "bar", .color(.black), clips: [shape])]))
    // x' from 30 − 16 to 30 − 10, y' from 4 to 16.
    #expect(pixel(made, 17, 10) == [0, 0, 0])
    #expect(pixel(made, 13, 10) == [255, 255, 255])
    #expect(pixel(made, 17, 17) == [255, 255, 255])
    // A corner of radius 2 leaves about 0.4 of its outermost pixel.
    #expect((120...200).contains(pixel(made, 14, 4)[0]))
  }

  @Test func backdropsShowWhatLiesBehindAsFiltersMakeIt() async throws {
    let chain: FilterChain = [.gaussian(sigma: 4), .saturation(1.5)]
    let rect = LayoutRect(x: 8, y: 6, width: 20, height: 15)
    let frost = Layer(id: "frost", .backdrop(chain, of: .below), clips: [LayerShape(rect)])
    let made = try await image(scene([photoLayer, frost]))
    let whole = try await ReferenceBackend().execute(
      chain.plan(for: Plan.Input(Self.photo)), [Self.photo])
    for y in 0..<30 {
      for x in 0..<40 {
        let isInside = (8..<28).contains(x) && (6..<21).contains(y)
        #expect(pixel(made, x, y) == pixel(isInside ? whole : Self.photo, x, y))
      }
    }
  }

  @Test func capturedLayersAreSeenInsteadOfThoseBelow() async throws {
    let frost = Layer(id: "frost", .backdrop([.saturation(0)], of: .layers([photoLayer])))
    let made = try await image(scene([Layer(id: "black", .color(.black)), frost]))
    let expected = try await image(
      scene([photoLayer, Layer(id: "gray", .backdrop([.saturation(0)], of: .below))]))
    #expect(made.bytes == expected.bytes)
  }

  @Test func sharedCapturesAreComputedOnce() throws {
    let chain: FilterChain = [.gaussian(sigma: 6)]
    func frost(_ id: String, _ x: Double) -> Layer {
      Layer(
        id: id, .backdrop(chain, of: .layers([photoLayer])),
        clips: [LayerShape(LayoutRect(x: x, y: 0, width: 10, height: 30))])
    }
    var compiler = SceneCompiler()
    let one = try compiler.plan(scene([photoLayer, frost("a", 0)]))
    let two = try compiler.plan(scene([photoLayer, frost("a", 0), frost("b", 20)]))
    // Another mask and another blend.
    #expect(two.steps.count == one.steps.count + 2)
  }

  @Test func wrongScenesAreRefused() throws {
    var compiler = SceneCompiler()
    let missing = scene([Layer(id: "a", .picture(PlacedImage(2)))])
    #expect(throws: PlanError.malformed("layer a shows image 2 of a scene that has 2")) {
      try compiler.plan(missing)
    }
    let colored = scene([Layer(id: "a", .color(.black), mask: PlacedImage(0))])
    #expect(throws: PlanError.malformed("layer a has a mask that is not gray")) {
      try compiler.plan(colored)
    }
    let nested = scene([
      Layer(id: "b", .backdrop([.saturation(0)], of: .layers(missing.layers)))
    ])
    #expect(throws: PlanError.self) { try compiler.plan(nested) }
    var scaled = scene([])
    scaled.scale = 0
    #expect(throws: PlanError.self) { try compiler.plan(scaled) }
  }
}
