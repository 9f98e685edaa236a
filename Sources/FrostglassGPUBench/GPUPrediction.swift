internal import FrostglassBackends
internal import FrostglassCore
internal import FrostglassGL

/// What plans would take on a large GPU, by their own numbers: nothing is run, and nothing is measured.
struct GPUPrediction {
  /// What a device of the H200's class moves of its memory in a second, of 4.8·10¹² on its data sheet.
  private static let bytesPerSecond = 4e12
  /// Copies of the frame that a Gaussian is to take at most, on the device and as the host's clock sees it.
  private static let reach = (device: 2.5, wall: 4.0)
  private static let sigmas = [1, 2, 5, 10, 20, 50, 100]

  /// One line: plans that run one after the other.
  private struct Row {
    var picture: String
    var filters: String
    var plans: [Plan]
    /// Bytes of a copy on the device: what comes in, read and written.
    var copy: Int
  }

  private let size: Size
  private let rows: [Row]

  /// - Throws: `PlanError` where a class of plans cannot be made at this size.
  init(_ size: Size) throws(PlanError) {
    self.size = size
    var rows: [Row] = []
    let kinds: [(String, PixelFormat, AlphaMode, EdgeMode)] = [
      ("RGBA premultiplied", .rgba8, .premultiplied, .clamp),
      ("RGBA straight", .rgba8, .straight, .clamp),
      ("RGBA straight, mirrored edges", .rgba8, .straight, .mirror),
      ("RGB", .rgb8, .opaque, .clamp), ("gray", .gray8, .opaque, .clamp),
      ("RGBA premultiplied, 16 bits", PixelFormat(.rgba, .uint16), .premultiplied, .clamp),
    ]
    for (name, format, alpha, edge) in kinds {
      let input = Plan.Input(size: size, format: format, alpha: alpha, transfer: .encoded)
      for sigma in Self.sigmas {
        let chain: FilterChain = [.gaussian(sigma: Sigma(Double(sigma)))]
        rows.append(
          Row(
            picture: name, filters: "σ \(sigma)",
            plans: [try chain.plan(for: input, options: PlanOptions(edge: edge))],
            copy: Self.copy(of: [input])))
      }
    }
    let photo = Plan.Input(size: size, format: .rgba8, alpha: .premultiplied, transfer: .encoded)
    rows.append(
      Row(
        picture: "RGBA premultiplied", filters: "a material",
        plans: [try FilterChain(Material()).plan(for: photo)], copy: Self.copy(of: [photo])))
    self.rows = try rows + Self.planes(size) + [Self.scene(photo)]
  }

  /// Films' planes of 8 bits, each blurred for itself, and by way of colors.
  private static func planes(_ size: Size) throws(PlanError) -> [Row] {
    let format = YCbCrFormat()
    let chains: [(String, FilterChain)] = [
      ("σ 5", [.gaussian(sigma: 5)]), ("σ 20", [.gaussian(sigma: 20)]),
      ("σ 20 and saturation", [.gaussian(sigma: 20), .saturation(1.5)]),
    ]
    return try chains.map { name, chain throws(PlanError) in
      let plan = try chain.plan(for: format, size: size)
      return Row(
        picture: plan.isByPlanes ? "planes, 4:2:0" : "planes, 4:2:0, by way of colors",
        filters: name, plans: plan.toPicture + plan.toPlanes,
        copy: copy(of: format.planes(of: size)))
    }
  }

  /// A photo under two bars that see it blurred, each an eighth of the canvas.
  private static func scene(_ photo: Plan.Input) throws(PlanError) -> Row {
    let (width, height) = (Double(photo.size.width), Double(photo.size.height))
    func bar(_ id: String, y: Double) -> Layer {
      Layer(
        id: id, .backdrop([.gaussian(sigma: 20), .saturation(1.8)], of: .below),
        clips: [LayerShape(LayoutRect(x: 0, y: y, width: width, height: height / 8))])
    }
    let back = Layer(id: "photo", .picture(PlacedPicture(0)))
    let layers = [back, bar("top", y: 0), bar("bottom", y: height * 7 / 8)]
    let scene = Scene(size: photo.size, layers: layers, pictures: [photo])
    var compiler = SceneCompiler()
    return Row(
      picture: "RGBA premultiplied", filters: "a scene of a photo and two bars",
      plans: [try compiler.plan(scene)], copy: copy(of: [photo]))
  }

  /// Textures have four channels, or one.
  private static func copy(of inputs: [Plan.Input]) -> Int {
    inputs.reduce(0) {
      let channels = $1.format.layout == .gray ? 1 : 4
      return $0 + 2 * $1.size.area * channels * $1.format.depth.bytes
    }
  }

  /// Prints the page.
  func report() async throws(BackendError) {
    let apart = try await GLBackend.start(GLOptions(stage: .blocked, programs: .specialized))
    let together = try await GLBackend.start(GLOptions(stage: .tiled, programs: .specialized))
    GPUText.say(heading)
    for row in rows {
      var (blocked, tiled, moved, fetches) = (0, 0, 0, 0)
      for plan in row.plans {
        blocked += try await apart.draws(of: plan).count
        let draws = try await together.draws(of: plan)
        tiled += draws.count
        moved += draws.reduce(0) { $0 + $1.movedBytes }
        fetches += draws.reduce(0) { $0 + $1.fetches }
      }
      func time(_ bytes: Double) -> String { GPUText.fixed(bytes / Self.bytesPerSecond * 1e6, 1) }
      let copy = Double(row.copy)
      let cells = [
        row.picture, row.filters, "\(blocked)", "\(tiled)", GPUText.fixed(Double(moved) / 1e6, 1),
        GPUText.fixed(Double(moved) / copy, 2), GPUText.fixed(Double(fetches) / 1e6, 1),
        time(Double(moved)), time(Self.reach.device * copy), time(Self.reach.wall * copy),
      ]
      GPUText.say("| \(cells.joined(separator: " | ")) |")
    }
    GPUText.say(Self.unknown)
  }

  private var heading: String {
    """
    # Predicted: frames of \(size) on a GPU of the H200's class

    Written by `frostglass-gpu-bench --predict` from the plans' own numbers, on the device from start to \
    end; nothing in the table was measured. Samples have 8 bits where nothing else is said.

    *Dispatches* are those of the stages `blocked` and `tiled`; the columns after them are of `tiled`. \
    *Moved*: each texel that a draw needs is read once from the device's memory, and each one that it makes \
    is written once. *Copies*: that, beside reading and writing once what came in, as textures hold it: RGB \
    takes four bytes a texel, gray one; a gray result takes four. *Fetches*: texels that invocations ask \
    for, most of them from caches; what is read of memory that groups share is not among them. *By bytes*: \
    moved at 4·10¹² bytes a second; a time below which the frame cannot be, and no more. *Reach*: what is \
    asked of the engine, \(Self.reach.device) copies on the device and \(Self.reach.wall) by the host's clock, at the same rate.

    | picture | filters | `blocked` | `tiled` | moved, MB | copies | fetches, millions | by bytes, µs | \
    reach on the device, µs | reach by the clock, µs |
    |---|---|---:|---:|---:|---:|---:|---:|---:|---:|
    """
  }

  private static let unknown = """

    ## What these numbers leave out

    Gaussians of 8-bit RGBA take [an H200](h200.md) 9 to 19 times what the bytes alone would in `compute`, \
    its fastest stage, and 19 to 48 times in `tiled`:

    - the share of the memory's rate that these programs reach, and what a texel of 16-bit integers or of \
    floats costs beside one of bytes
    - the share of the texture units' rate: 10¹² fetches a second make a million of them a microsecond, and \
    then fetches and not bytes are what most of these frames would take
    - what shared memory and barriers cost, and how well the dispatches of small pictures, of a few dozen \
    groups, fill a device
    - what a dispatch takes to begin and to end, and what a driver takes to hand one over: of the processor \
    time that a frame takes (docs/gpu.md), none is a GPU driver's
    """
}
