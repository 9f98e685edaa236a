import FrostglassCPU
import FrostglassCore
import Testing

/// The operations on rows that plans become, as `frostglass plan --backend fast` prints them.
struct LoweringTests {
  private static let region = [MaskShape.ellipse(x: 40, y: 30, width: 300, height: 200)]

  private func operations(
    _ text: String, _ format: PixelFormat = .rgba8, mask: Mask? = nil
  ) throws -> String {
    let input = Plan.Input(
      size: Size(width: 640, height: 480), format: format,
      alpha: format.layout.hasAlpha ? .premultiplied : .opaque, transfer: .encoded)
    let plan = try FilterChain(text: text).plan(for: input, options: PlanOptions(mask: mask))
    return FastBackend(threads: 1).operations(of: plan)
  }

  @Test func wideBlurHalvesBytesAndStoresAsItGrows() throws {
    let expected = """
      fast      16-bit fixed point, 6 operations
      op 1      Resample x ÷2, y ÷2 of input 0's bytes → #1 (steps 1, 2)
      op 2      Resample x ÷2, y ÷2 → #2 (step 3)
      op 3      Resample x ÷2, y ÷2 → #3 (step 4)
      op 4      Convolve x, radius 9, center 0.1663208 → #4 (step 5)
      op 5      Convolve y, radius 9, center 0.1663208 → #5 (step 6)
      op 6      Resample x ×8, y ×8, Store rgba8 premultiplied → result (steps 7, 8)
      """
    #expect(try operations("blur(20px)") == expected)
  }

  @Test func narrowBlurLoadsAndStoresOnTheWay() throws {
    let expected = """
      fast      16-bit fixed point, 2 operations
      op 1      Load input 0 row by row, Convolve x, radius 7, center 0.19952393 → #1 (steps 1, 2)
      op 2      Convolve y, radius 7, center 0.19952393, Store rgba8 premultiplied → result \
      (steps 3, 4)
      """
    #expect(try operations("blur(2px)") == expected)
  }

  @Test func floatsAreNotFused() throws {
    let expected = """
      fast      32-bit floats, 4 operations
      op 1      Load input 0 → #0 (step 1)
      op 2      Convolve x, radius 7, center 0.19950134 → #1 (step 2)
      op 3      Convolve y, radius 7, center 0.19950134 → #2 (step 3)
      op 4      Store rgbf32 opaque → result (step 4)
      """
    #expect(try operations("blur(2px)", PixelFormat(.rgb, .float32)) == expected)
  }

  @Test func regionIsStoredThroughItsMask() throws {
    let expected = """
      fast      16-bit fixed point, 6 operations
      op 1      Resample x ÷2, y ÷2 of input 0's bytes → #1 (steps 1, 2)
      op 2      Resample x ÷2, y ÷2 → #2 (step 3)
      op 3      Resample x ÷2, y ÷2 → #3 (step 4)
      op 4      Convolve x, radius 9, center 0.1663208 → #4 (step 5)
      op 5      Convolve y, radius 9, center 0.1663208 → #5 (step 6)
      op 6      Store rgba8 premultiplied through a mask → result (steps 1, 7, 8, 9, 10)
      """
    #expect(try operations("blur(20px)", mask: Mask(Self.region, feather: 9)) == expected)
  }

  /// A confined blur does not read outside the mask, and weighs only along its border.
  @Test func confinedBlurWeighsAlongItsBorder() throws {
    let expected = """
      fast      16-bit fixed point, 6 operations
      op 1      Blend multiply by outlines, loading input 0, where some is covered → #2 \
      (steps 1, 2, 3)
      op 2      Resample x ÷2, y ÷2, of the input where all is covered → #3 (step 4)
      op 3      Resample x ÷2, y ÷2 → #4 (step 5)
      op 4      Convolve x, radius 20, center 0.08062744 → #5 (step 6)
      op 5      Convolve y, radius 20, center 0.08062744 → #6 (step 7)
      op 6      Store rgba8 premultiplied through a mask → result (steps 1, 2, 8, 9, 10, 11)
      """
    #expect(try operations("blur(20px)", mask: Mask(Self.region, use: .confine)) == expected)
  }

  @Test func materialGrowsIntoTheResult() throws {
    let expected = """
      fast      16-bit fixed point, 8 operations
      op 1      Resample x ÷2, y ÷2 of input 0's bytes → #1 (steps 1, 2)
      op 2      Resample x ÷2, y ÷2 → #2 (step 3)
      op 3      LumaCurve [0.3484 -0.0894 -0.0090] [-0.0266 0.2856 -0.0090] \
      [-0.0266 -0.0894 0.3660], curve [0.7750 -0.1575 0.3713 -0.2775] → #3 (step 4)
      op 4      Resample x ÷2, y ÷2 → #4 (step 5)
      op 5      Resample x ÷2, y ÷2 → #5 (step 6)
      op 6      Convolve x, radius 7, center 0.23431396 → #6 (step 7)
      op 7      Convolve y, radius 7, center 0.23431396 → #7 (step 8)
      op 8      Resample x ×16, y ×16, Store rgba8 premultiplied → result (steps 9, 10)
      """
    #expect(try operations("material-light()") == expected)
  }

  @Test func lensReadsWhatItWeighs() throws {
    let expected = """
      fast      16-bit fixed point, 5 operations
      op 1      Load input 0 → #0 (step 1)
      op 2      HighlightWeight by brightness, highlights 3.0 → #1 (step 2)
      op 3      Stencil 293 taps on 19×19 → #2 (step 3)
      op 4      Blend normalize → #3 (step 4)
      op 5      Store rgb8 opaque → result (step 5)
      """
    #expect(try operations("lens(9px)", .rgb8) == expected)
  }

  @Test func motionIsOfStencils() throws {
    let expected = """
      fast      16-bit fixed point, 6 operations
      op 1      Load input 0 → #0 (step 1)
      op 2      Stencil 17 taps on 9×5 → #1 (step 2)
      op 3      Stencil 5 taps on 19×9 → #2 (step 3)
      op 4      Stencil 4 taps on 29×13 → #3 (step 4)
      op 5      Blend mix(0.042240005) → #4 (step 5)
      op 6      Store rgba8 premultiplied → result (step 6)
      """
    #expect(try operations("motion(30px, 20)") == expected)
  }

  @Test func cellsAreMadeOfBytesAndStoredAsTheyAre() throws {
    let expected = """
      fast      16-bit fixed point, 2 operations
      op 1      CellMeans of cells 16×16 of input 0's bytes → #1 (steps 1, 2)
      op 2      CellFill with cells 16×16, Store rgba8 premultiplied → result (steps 3, 4)
      """
    #expect(try operations("pixelate(16px)") == expected)
  }

  @Test func dualKawaseHalvesBytesAndStoresAsItGrows() throws {
    let lines = try operations("kawase(9px)").split(separator: "\n")
    #expect(lines.count == 10)
    #expect(
      lines[1]
        == "op 1      Stencil dual Kawase ÷2, 16 taps on 4×4 of input 0's bytes → #1 (steps 1, 2)")
    #expect(
      lines[9]
        == "op 9      Stencil dual Kawase ×2, 13 taps on 5×5, Store rgba8 premultiplied → result (steps 10, 11)"
    )
  }

  /// A scene rounds between its steps, so that parts of it have the bytes of the whole: no two are one.
  @Test func sceneLayersAreNotFused() throws {
    func box(_ id: String, _ x: Double, _ content: Layer.Content) -> Layer {
      Layer(
        id: id, content,
        clips: [LayerShape(LayoutRect(x: x, y: 20, width: 60, height: 40), cornerRadius: 9)])
    }
    let blue = Color(red: 0, green: 0, blue: 1, alpha: 0.5)
    let picture = Plan.Input(
      size: Size(width: 200, height: 100), format: .rgb8, alpha: .opaque, transfer: .encoded)
    let scene = Scene(
      size: picture.size, background: .white,
      layers: [
        Layer(id: "photo", .picture(PlacedImage(0))),
        box("glass", 10, .backdrop([.gaussian(sigma: 4)], of: .below)),
        box("tint", 90, .color(blue)),
      ],
      pictures: [picture])
    var compiler = SceneCompiler()
    let expected = """
      fast      16-bit fixed point, 15 operations
      op 1      Load input 0 → #0 (step 1)
      op 2      Resample x ÷2, y ÷2 → #1 (step 2)
      op 3      Convolve x, radius 7, center 0.20959473 → #2 (step 3)
      op 4      Convolve y, radius 7, center 0.20959473 → #3 (step 4)
      op 5      Resample x ×2, y ×2 → #4 (step 5)
      op 6      Generate coverage of a rounded rectangle → #5 (step 6)
      op 7      Blend masked, second in 62×42+9+19 → #6 (step 7)
      op 8      Generate coverage of a rectangle → #7 (step 8)
      op 9      Blend masked, second in 62×42+9+19 → #8 (step 9)
      op 10     ColorMatrix [0.5000 0.0000 0.0000 0.0000] [0.0000 0.5000 0.0000 0.0000] \
      [0.0000 0.0000 0.5000 0.5000], limited to 0…1 → #9 (step 10)
      op 11     Generate coverage of a rounded rectangle → #10 (step 11)
      op 12     Blend masked, second in 62×42+89+19 → #11 (step 12)
      op 13     Generate coverage of a rectangle → #12 (step 13)
      op 14     Blend masked, second in 62×42+89+19 → #13 (step 14)
      op 15     Store rgb8 opaque → result (step 15)
      """
    #expect(FastBackend(threads: 1).operations(of: try compiler.plan(scene)) == expected)
  }
}
