internal import FrostglassCore
internal import FrostglassShaders

/// Passes that run as one, with the textures they read and write.
struct PassCall {
  /// One of the passes; see `ShaderPart`.
  struct Part: Hashable {
    var pass: Pass
    var inputs: [ShaderPart.Input]
    /// The layout of the pass's own target.
    var layout: PixelFormat.Layout

    init(_ pass: Pass, inputs: [ShaderPart.Input], _ layout: PixelFormat.Layout) {
      self.pass = pass
      self.inputs = inputs
      self.layout = layout
    }
  }

  /// An image that is read.
  struct Source {
    /// `nil` for a shape.
    var texture: GLTexture?
    var kind: SampleKind
    /// The conversion of an input's samples; `nil` for samples that passes wrote.
    var loading: ShaderVariant.Loading?
    /// The rectangle that the texture holds, in the source's grid.
    var domain: Rect
    var x: AxisEdge?
    var y: AxisEdge?

    /// True if the texture has the format of its whole slot; false for a part that was left as it came.
    var isAsHeld = false
    /// The shape that is computed instead of read.
    var shape: DrawnShape?
    /// True if each texel is a word that an image of words may alias.
    fileprivate var holdsWords: Bool {
      texture?.format == .rgba8 || texture?.format == .rgba8ui
    }
    /// The source as a program reads it, without its edges.
    fileprivate var variant: ShaderVariant.Source { .init(kind: kind, loading: loading) }
  }

  /// The pass that makes the image around which the first part reads, if that image is not drawn separately. It reads
  /// the first source, in whole numbers.
  var lead: Pass?
  var parts: [Part]
  var sources: [Source]
  var target: GLTexture
  var targetKind: TargetKind
  /// The rectangle that is computed, in the target's grid. It has the target's size.
  var rect: Rect
  /// True if the program is made for these lengths and edges. It takes longer to compile and less to run.
  var isSpecialized: Bool

  /// The passes' names, the first to run first, for messages.
  var name: String {
    ((lead.map { [$0.name] } ?? []) + parts.map(\.pass.name)).joined(separator: " + ")
  }

  /// The image whose samples are summed up as whole numbers, as only the first pass reads them, and multiplies
  /// them by taps that are such, too: then all programs and drivers come to the same sums.
  ///
  /// Only where the whole of a slot is held in them, as a region may show no more than the part of a slot in
  /// floats that came as integers.
  var whole: Int? {
    guard parts[0].pass.hasWholeTaps, lead?.hasWholeTaps ?? true,
      case .picture(let picture) = parts[0].inputs[0],
      !parts.dropFirst().contains(where: { $0.inputs.contains(.picture(picture)) }),
      sources[picture].variant.holdsWhole, sources[picture].isAsHeld
    else { return nil }
    return picture
  }

  /// True if the first pass's sums are stored, as 65280ths or as a result of the same samples.
  private var storesSums: Bool {
    guard whole != nil else { return false }
    return switch targetKind {
    case .fixed16: parts.count == 1
    case .unorm8, .words: parts.count > 1 && parts.dropFirst().allSatisfy(\.pass.onlyStores)
    default: false
    }
  }

  /// True if whole 255ths are halved, once or twice, into 65280ths.
  private var reducesBytes: Bool {
    guard let whole, sources[whole].variant.keepsBytes else { return false }
    return storesSums && targetKind == .fixed16
      && ShaderBlock.reducingBytes(lead ?? parts[0].pass) != nil
  }

  /// The block of a first pass that only picks among an input's 8-bit samples, all of which there are.
  private func pickingBlock(
    _ stage: ShaderStage, _ capabilities: GLCapabilities
  ) -> ShaderBlock? {
    guard stage != .fragment, isSpecialized, parts[0].inputs == [.picture(0)],
      sources[0].variant.keepsBytes, sources[0].x?.mode != .transparent,
      sources[0].y?.mode != .transparent,
      !parts.dropFirst().contains(where: { $0.inputs.contains(.picture(0)) })
    else { return nil }
    return ShaderBlock.pickingBytes(
      parts[0].pass, isPaired: capabilities.sharesWindows(in: stage))
  }

  /// Returns the packing of the 8-bit samples that halvings read; `nil` for all other calls.
  private func halvedPacking(
    _ capabilities: GLCapabilities, sharesWindows: Bool
  ) -> ShaderVariant.Source.Packing? {
    guard let whole, reducesBytes else { return nil }
    return sources[whole].holdsWords && capabilities.matchesImagesBySize && !sharesWindows
      ? .words : .texels
  }

  func shader(stage: ShaderStage, _ capabilities: GLCapabilities) -> Shader {
    func edge(_ edge: AxisEdge?) -> ShaderVariant.Edge {
      guard let edge else { return .none }
      return isSpecialized ? .mode(edge.mode) : .uniform
    }
    let sharesWindows = capabilities.sharesWindows(in: stage)
    let packing =
      isSpecialized && (stage == .blocked || sharesWindows)
      ? halvedPacking(capabilities, sharesWindows: sharesWindows) : nil
    var block: ShaderBlock?
    if let lead {
      block = ShaderBlock.joining(lead, parts[0].pass)
    } else if isSpecialized {
      block = ShaderBlock.of(
        parts[0].pass, stage: stage, isWhole: whole != nil, readsBytes: packing != nil,
        sharesWindows: sharesWindows)
    }
    let picking = pickingBlock(stage, capabilities)
    block = picking ?? block
    if let made = block, !capabilities.shares(made) { block = nil }
    let whole = whole
    var variant = ShaderVariant(
      stage: block == nil ? stage.plain : stage,
      sources: sources.enumerated().map { index, source in
        var read = source.variant
        (read.x, read.y, read.isWhole) = (edge(source.x), edge(source.y), index == whole)
        if picking != nil, block == picking, index == 0 { read.isKept = true }
        if read.isWhole { read.packing = packing }
        return read
      },
      target: targetKind, targetIsOpaque: parts.last?.layout.hasAlpha == false)
    variant.storesSums = storesSums
    return Shader(
      parts.map {
        ShaderPart(
          $0.pass, inputs: $0.inputs, isOpaque: !$0.layout.hasAlpha, isSpecialized: isSpecialized)
      }, block: block, variant: variant)
  }

  /// Bands of rows none of which keeps a GPU busy for long: displays freeze while one runs, and
  /// drivers end what takes too long.
  ///
  /// - Parameters:
  ///   - height: rows that are made together; bands are multiples of them.
  ///   - most: multiply-adds of a band, see `BandPace`.
  func bands(of height: Int, _ most: Int) -> [Range<Int>] {
    let perPixel = parts.reduce(lead?.multiplyAdds ?? 0) { $0 + $1.pass.multiplyAdds }
    let perRow = max(1, rect.width * perPixel)
    let rows = max(height, most / perRow / height * height)
    return stride(from: 0, to: rect.height, by: rows).map { $0..<min($0 + rows, rect.height) }
  }
}

extension PassCall.Source {
  /// A shape.
  init(_ shape: DrawnShape) {
    self.init(texture: nil, kind: shape.kind, domain: Rect(Size(width: 1, height: 1)), shape: shape)
  }
}

/// A pass's numbers in the form its shader reads them.
struct PassNumbers {
  /// The value of a uniform.
  enum Value {
    case integer(Int32)
    case pair(Int32, Int32)
    case integers(SIMD4<Int32>)
    case float(Float)
    case color(SIMD3<Float>)
    case vector(SIMD4<Float>)

    static func integers(_ x: Int, _ y: Int, _ z: Int, _ w: Int) -> Value {
      .integers(SIMD4(Int32(x), Int32(y), Int32(z), Int32(w)))
    }
  }

  var uniforms: [(name: String, value: Value)] = []
  /// The uniform blocks, by binding.
  var tables: [[SIMD4<Float>]] = []

  /// - Parameters:
  ///   - isGray: whether the target is gray, whose color matrix has one row.
  ///   - isWhole: whether taps are written as whole numbers: 65536ths, or 256ths along each axis.
  init(_ pass: Pass, isGray: Bool, isWhole: Bool = false) throws(GLFailure) {
    switch pass {
    case .load, .generate, .packChannels: break
    case .blend(let blend):
      switch blend.mode {
      case .mix(let amount): uniforms = [("amount", .float(amount))]
      case .masked:
        uniforms = [
          ("firstPart", .integers(PassNumbers.corners(blend.firstPart))),
          ("secondPart", .integers(PassNumbers.corners(blend.secondPart))),
        ]
      case .normalizeAbove(let share): uniforms = [("share", .float(share))]
      case .over, .multiply, .divide, .normalize, .plusLighter: break
      }
    case .stencil(let stencil):
      let counts = stencil.taps.map(\.count)
      let ends = counts.indices.map { Int32(counts[...$0].reduce(0, +)) }
      uniforms = [
        ("shape", .integers(SIMD4(Int32(stencil.stride), Int32(stencil.phases), 0, 0))),
        ("ends", .integers(SIMD4(ends + [Int32](repeating: 0, count: 4 - ends.count)))),
      ]
      tables = [
        stencil.taps.joined().map { SIMD4(Float($0.dx), Float($0.dy), $0.weight, 0) }
      ]
    case .gather(let gather):
      uniforms = [("views", .integer(Int32(gather.views.count)))]
      tables = [gather.views.flatMap(PassNumbers.packed)]
    case .highlightWeight(let pass):
      uniforms = [("highlights", .float(pass.highlights)), ("luma", .color(pass.luma))]
    case .store(let store):
      if let background = store.background { uniforms = [("background", .color(background))] }
    case .colorMatrix(let matrix):
      uniforms = [
        ("red", .vector(matrix.red)), ("green", .vector(isGray ? matrix.red : matrix.green)),
        ("blue", .vector(isGray ? matrix.red : matrix.blue)), ("opacity", .float(matrix.opacity)),
      ]
    case .lumaCurve(let luma):
      uniforms = [
        ("red", .color(luma.red)), ("green", .color(isGray ? luma.red : luma.green)),
        ("blue", .color(isGray ? luma.red : luma.blue)), ("luma", .color(luma.luma)),
        ("curve", .vector(luma.curve)),
      ]
    case .displace(let displace):
      uniforms = [("span", .color(displace.span))]
    case .convolve(let convolve):
      let isX = convolve.axis == .x
      uniforms = [
        ("radius", .integer(Int32(convolve.radius))),
        ("axis", .integers(isX ? 1 : 0, isX ? 0 : 1, 0, 0)),
      ]
      let taps = isWhole ? convolve.taps.map { PassNumbers.bits($0 * 65536) } : convolve.taps
      tables = [PassNumbers.packed(taps)]
    case .resample(let resample):
      let (x, y) = (resample.x, resample.y)
      uniforms = [
        ("periods", .integers(x.phases.count, x.stride, y.phases.count, y.stride)),
        ("lengths", .integers(x.longestPhase, y.longestPhase, 0, 0)),
      ]
      tables = [x, y].map { PassNumbers.packed($0, isWhole: isWhole) }
    case .bilateral(let bilateral):
      let columns = PassNumbers.packed(bilateral.x)
      // Exponents are counted in a float's last bit below its own exponent.
      let powerUnit: Float = 0x1p23
      let (slope, isLinear): (Float, Int32) =
        switch bilateral.range {
        case .gaussian(let exponent): (exponent * powerUnit, 0)
        case .linear(let fall): (fall, 1)
        }
      uniforms = [
        ("window", .integers(bilateral.radius.x, bilateral.radius.y, bilateral.spacing, 0)),
        ("firstRow", .integer(Int32(columns.count))), ("fallsLinearly", .integer(isLinear)),
        ("slope", .float(slope)), ("least", .float(PowerOfTwo.least * powerUnit)),
      ]
      tables = [
        columns + PassNumbers.packed(bilateral.y), PassNumbers.packed(PowerOfTwo.coefficients),
      ]
    case .median(let median):
      uniforms = [
        ("radius", .integer(Int32(median.radius))), ("rank", .integer(Int32(median.rank))),
      ]
    case .cellMeans(let means):
      let picture = means.picture
      uniforms =
        PassNumbers.uniforms(means.tiling) + [
          ("picture", .integers(picture.x, picture.y, picture.width, picture.height))
        ]
    case .cellFill(let fill): uniforms = PassNumbers.uniforms(fill.tiling)
    case .grain(let grain):
      uniforms = [
        ("period", .integers(grain.growth.phases.count, grain.growth.stride, 0, 0)),
        ("seed", .integer(Int32(bitPattern: grain.seed))), ("amplitude", .float(grain.amplitude)),
      ]
      tables = [PassNumbers.packed(grain.growth)]
    }
    for table in tables where table.count > UniformTable.vectors {
      throw .unsupported("a \(pass.name) with \(table.count) vectors of taps; at most 1024 fit")
    }
  }

  /// Left, top, right and bottom; `nil` is everywhere.
  private static func corners(_ part: Rect?) -> SIMD4<Int32> {
    guard let part else { return SIMD4(.min, .min, .max, .max) }
    return SIMD4(
      Int32(part.x), Int32(part.y), Int32(part.columns.upperBound), Int32(part.rows.upperBound))
  }

  private static func uniforms(_ tiling: Tiling) -> [(name: String, value: Value)] {
    [
      ("tiling", .integers(tiling.width, tiling.height, tiling.shift, tiling.extent)),
      ("center", .integers(tiling.centerX, tiling.centerY, 0, 0)),
    ]
  }

  /// A view in four vectors of whole numbers that floats hold: the upper parts of its coefficients,
  /// their lower 12 bits, its constants in parts, the rest.
  private static func packed(_ view: Gather.View) -> [SIMD4<Float>] {
    func upper(_ value: Int) -> Float { Float(value >> 12) }
    func lower(_ value: Int) -> Float { Float(value & 4095) }
    let map = view.map
    let (x0, y0) = (map.x0 >> 12, map.y0 >> 12)
    return [
      SIMD4(upper(map.xx), upper(map.xy), upper(map.yx), upper(map.yy)),
      SIMD4(lower(map.xx), lower(map.xy), lower(map.yx), lower(map.yy)),
      SIMD4(upper(x0), lower(x0), upper(y0), lower(y0)),
      SIMD4(lower(map.x0), lower(map.y0), view.weight, 0),
    ]
  }

  /// Each phase in vectors of its own: first offset, taps, zeros.
  private static func packed(_ axis: Polyphase, isWhole: Bool = false) -> [SIMD4<Float>] {
    let length = (axis.longestPhase + 4) / 4 * 4
    return axis.phases.flatMap { phase in
      let values =
        isWhole
        ? [bits(Float(phase.first))] + phase.taps.map { bits($0 * 256) }
        : [Float(phase.first)] + phase.taps
      return packed(values + [Float](repeating: 0, count: length - values.count))
    }
  }

  /// A whole number as a word that programs read as such.
  private static func bits(_ value: Float) -> Float {
    Float(bitPattern: UInt32(bitPattern: Int32(value)))
  }

  private static func packed(_ values: [Float]) -> [SIMD4<Float>] {
    stride(from: 0, to: values.count, by: 4).map { start in
      var vector = SIMD4<Float>.zero
      for lane in 0..<min(4, values.count - start) { vector[lane] = values[start + lane] }
      return vector
    }
  }
}

extension Pass {
  /// True if sums of 65280ths are whole numbers that 32-bit words hold: no tap is negative, the taps sum to 1, and
  /// they are multiples of 1/65536, or of 1/256 along each axis.
  var hasWholeTaps: Bool {
    func areWhole(_ taps: [Float], counted: [Float], of unit: Float) -> Bool {
      taps.allSatisfy { $0 >= 0 && ($0 * unit).rounded() == $0 * unit } && counted.reduce(0, +) == 1
    }
    return switch self {
    case .convolve(let convolve):
      areWhole(
        convolve.taps, counted: convolve.taps + convolve.taps.dropFirst(), of: 65536)
    case .resample(let resample):
      isBlur
        && [resample.x, resample.y].allSatisfy { axis in
          axis.phases.allSatisfy { areWhole($0.taps, counted: $0.taps, of: 256) }
        }
    default: false
    }
  }

  /// True if the pass stores the samples unchanged except for rounding.
  var onlyStores: Bool {
    guard case .store(let store) = self else { return false }
    return store.alpha != .straight && !store.encodesFromLinear && store.background == nil
      && store.bits == nil
  }
}
