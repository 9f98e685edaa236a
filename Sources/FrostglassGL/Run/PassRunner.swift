internal import CGLES
internal import FrostglassCore
internal import FrostglassShaders

/// Runs single passes in one stage of the GPU.
final class PassRunner {
  let stage: ShaderStage
  let context: GLContext
  let programs: ProgramCache
  private let framebuffer: GLuint
  private let tables: [UniformTable]
  let capabilities: GLCapabilities
  /// See `GLCapabilities.sharesWindows`.
  var sharesWindows: Bool { capabilities.sharesWindows(in: stage) }
  /// True if drivers are told that a target's old contents do not matter.
  private let invalidates: Bool
  /// The work of a band of rows, for each kind of pass.
  private var paces = BandPaces()
  /// Notes what each draw takes, where somebody wants to know.
  var stopwatch: DrawStopwatch?
  /// The pass that packed the last result.
  private var lastPack:
    (picture: PackedImage, formats: (TextureFormat, TextureFormat), pass: PreparedPass)?

  init(
    stage: ShaderStage, capabilities: GLCapabilities, programs: ProgramCache, context: GLContext
  ) {
    self.stage = stage
    self.capabilities = capabilities
    self.invalidates = !capabilities.vendor.hasPrefix("NVIDIA")
    self.context = context
    self.programs = programs
    tables = (0..<2).map { UniformTable(binding: $0, in: context) }
    var framebuffer: GLuint = 0
    glGenFramebuffers(1, &framebuffer)
    glBindFramebuffer(GLenum(GL_FRAMEBUFFER), framebuffer)
    self.framebuffer = framebuffer
    // Dithering is on by default and would change 8-bit results.
    for feature in [GL_DITHER, GL_BLEND, GL_CULL_FACE, GL_DEPTH_TEST, GL_STENCIL_TEST] {
      glDisable(GLenum(feature))
    }
    glPixelStorei(GLenum(GL_PACK_ALIGNMENT), 1)
    glPixelStorei(GLenum(GL_UNPACK_ALIGNMENT), 1)
  }

  deinit {
    context.delete {
      var framebuffer = framebuffer
      glDeleteFramebuffers(1, &framebuffer)
    }
  }

  /// Runs a call once.
  func run(_ call: PassCall) throws(GLFailure) {
    try run(call, try prepare(call, for: .once))
  }

  /// Runs a call that has been prepared.
  func run(_ call: PassCall, _ pass: PreparedPass) throws(GLFailure) {
    begin(pass)
    for (index, source) in call.sources.enumerated() {
      if let texture = source.texture { bind(texture, index, of: pass) }
    }
    try finish(pass, into: call.target)
    try context.check("\(call.name) into \(call.rect) (\(stage))")
  }

  /// Looks up all that a call needs but its textures.
  func prepare(_ call: PassCall, for use: PreparedPass.Use) throws(GLFailure) -> PreparedPass {
    let shader = call.shader(stage: stage, capabilities)
    var numbers: [PreparedPass.Number] = []
    let program = try programs.program(for: shader)
    var contents: [[SIMD4<Float>]] = []
    let isWhole = call.whole != nil
    for (index, part) in call.parts.enumerated() {
      let own = try PassNumbers(
        part.pass, isGray: part.layout == .gray, isWhole: index == 0 && isWhole)
      for (name, value) in own.uniforms {
        let location = program.location(ShaderPart.uniform(name, of: index))
        numbers.append(PreparedPass.Number(location: location, value: value))
      }
      // Only the first part's pass may have tables: those that follow work pixel by pixel.
      if contents.isEmpty { contents = own.tables }
    }
    if let lead = call.lead {
      guard isWhole else { throw .unsupported("\(call.name) of other than whole numbers") }
      // What is shrunk has its taps in the text.
      let first = try PassNumbers(lead, isGray: false, isWhole: isWhole).tables
      contents = first.count == 1 ? first + contents : []
    }
    for (index, source) in call.sources.enumerated() {
      numbers += PreparedPass.numbers(of: source, index, program)
    }
    let filled = contents.indices.map {
      use == .once ? tables[$0] : UniformTable(binding: $0, in: context)
    }
    for (table, values) in zip(filled, contents) { table.fill(values, isKept: use == .again) }
    return prepared(shader, program, numbers, filled, call)
  }

  private func prepared(
    _ shader: Shader, _ program: GLProgram, _ numbers: [PreparedPass.Number],
    _ tables: [UniformTable], _ call: PassCall
  ) -> PreparedPass {
    let origin = PreparedPass.Number(
      location: program.location("targetOrigin"),
      value: .pair(Int32(call.rect.x), Int32(call.rect.y)))
    let isDrawn = stage == .fragment
    let kind = (call.lead ?? call.parts[0].pass).name
    let work = paces[kind].work
    return PreparedPass(
      serial: programs.nextSerial(), shader: shader, program: program, numbers: numbers + [origin],
      tables: tables, size: call.rect.size,
      bands: call.bands(of: isDrawn ? 8 : shader.groupSize.height, work), workPerBand: work,
      kind: kind,
      band: isDrawn ? -1 : program.location("band"))
  }

  /// Tells the device all that a pass needs but its textures.
  func begin(_ pass: PreparedPass) {
    glUseProgram(pass.program.name)
    // Programs keep their numbers.
    if pass.program.numbersAreOf != pass.serial {
      for number in pass.numbers { number.set() }
      pass.program.numbersAreOf = pass.serial
    }
    for table in pass.tables { table.bind() }
  }

  /// Has a pass read a texture.
  func bind(_ texture: GLTexture, _ index: Int, of pass: PreparedPass) {
    if texture.format.isBuffer {
      return glBindBufferBase(
        GLenum(GL_SHADER_STORAGE_BUFFER), GLuint(pass.shader.variant.binding(of: index)),
        texture.name)
    }
    if pass.shader.variant.sources[index].packing == .words {
      glBindImageTexture(
        1, texture.name, 0, GLboolean(GL_FALSE), 0, GLenum(GL_READ_ONLY), GLenum(GL_R32UI))
    }
    glActiveTexture(GLenum(GL_TEXTURE0) + GLenum(index))
    glBindTexture(GLenum(GL_TEXTURE_2D), texture.name)
  }

  /// Has the device make the target, with all that the program reads set.
  func finish(_ pass: PreparedPass, into target: GLTexture) throws(GLFailure) {
    guard let stopwatch else { return try make(pass, target) }
    try stopwatch.time(pass) { () throws(GLFailure) in try make(pass, target) }
  }

  private func make(_ pass: PreparedPass, _ target: GLTexture) throws(GLFailure) {
    glActiveTexture(GLenum(GL_TEXTURE0))
    switch stage.plain {
    case .fragment: try draw(pass, target)
    case .compute, .blocked: try dispatch(pass, target)
    }
  }

  /// Makes a texture what drawing goes to and reading comes from.
  func attach(
    _ texture: GLTexture, _ activity: @autoclosure () -> String
  ) throws(GLFailure) {
    let name = context.isToRefuseFramebuffer() ? 0 : texture.name
    glFramebufferTexture2D(
      GLenum(GL_FRAMEBUFFER), GLenum(GL_COLOR_ATTACHMENT0), GLenum(GL_TEXTURE_2D), name, 0)
    let status = glCheckFramebufferStatus(GLenum(GL_FRAMEBUFFER))
    guard status == GL_FRAMEBUFFER_COMPLETE else {
      // A lost context answers nothing.
      try context.check(activity())
      try context.confirm(activity())
      throw .framebuffer(during: activity(), status: status)
    }
  }

  private func draw(_ pass: PreparedPass, _ target: GLTexture) throws(GLFailure) {
    try attach(target, "a pass of \(pass.size)")
    // All of it is drawn: GPUs that work in tiles need not load what was there.
    if invalidates {
      var attachment = GLenum(GL_COLOR_ATTACHMENT0)
      glInvalidateFramebuffer(GLenum(GL_FRAMEBUFFER), 1, &attachment)
    }
    let (width, height) = (GLsizei(pass.size.width), GLsizei(pass.size.height))
    glViewport(0, 0, width, height)
    glEnable(GLenum(GL_SCISSOR_TEST))
    try runBands(of: pass) { rows in
      glScissor(0, GLint(rows.lowerBound), width, GLsizei(rows.count))
      glDrawArrays(GLenum(GL_TRIANGLES), 0, 3)
    }
    glDisable(GLenum(GL_SCISSOR_TEST))
  }

  private func dispatch(_ pass: PreparedPass, _ target: GLTexture) throws(GLFailure) {
    if target.format.isBuffer {
      glBindBufferBase(GLenum(GL_SHADER_STORAGE_BUFFER), 0, target.name)
      glUniform1i(pass.program.location("targetWidth"), GLint(target.size.width))
    } else {
      glBindImageTexture(
        0, target.name, 0, GLboolean(GL_FALSE), 0, GLenum(GL_WRITE_ONLY), target.format.sized)
    }
    let (group, period, width) = (pass.group, pass.period, pass.size.width)
    try runBands(of: pass) { rows in
      glUniform4i(
        pass.band, GLint(rows.lowerBound), GLint(rows.upperBound), GLint(pass.left),
        GLint(pass.left + width))
      glDispatchCompute(
        GLuint((width + group.width - 1) / group.width),
        // The first block may begin above the band.
        GLuint((rows.count + period - 1 + group.height - 1) / group.height), 1)
    }
    glMemoryBarrier(target.format.barriers)
  }

  /// Has the device make a pass band after band; the first ones tell how high they may be, where that is open.
  private func runBands(
    of pass: PreparedPass, _ run: (Range<Int>) -> Void
  ) throws(GLFailure) {
    var bands = pass.bands[...]
    var isFirst = true
    // What came before is not this pass's.
    if bands.count > 1, !paces[pass.kind].isSettled {
      try context.finish("what comes before a long pass")
    }
    while true {
      let start = ContinuousClock.now
      // As many at once as the pace has grown by since they were cut.
      let together = bands.prefix(max(1, paces[pass.kind].work / pass.workPerBand))
      guard let first = together.first, let last = together.last else { return }
      bands = bands.dropFirst(together.count)
      let rows = first.lowerBound..<last.upperBound
      run(rows)
      try context.debugCheck("rows \(rows) of \(pass.size)")
      if bands.isEmpty && isFirst { return }
      glFlush()
      if !bands.isEmpty, !paces[pass.kind].isSettled {
        try context.finish("rows of a long pass")
        paces[pass.kind].note(start.duration(to: .now), isFirst: isFirst)
      }
      isFirst = false
    }
  }

  /// Returns true if a dispatch can copy textures of a format.
  func canCopy(_ format: TextureFormat) -> Bool {
    stage != .fragment && WorkFormat(copying: format) != nil
  }

  /// Copies a part of a texture into another of the same format, from column `x` and row `y` on.
  ///
  /// - Returns: what the device was told, to be told again; `nil` where `canCopy` says no, and nothing was done.
  func copy(
    _ part: Rect, of source: GLTexture, to target: GLTexture, x: Int, y: Int
  ) throws(GLFailure) -> PreparedPass? {
    guard stage != .fragment, let format = WorkFormat(copying: source.format) else { return nil }
    let variant = ShaderVariant(
      stage: .compute, sources: [.init(kind: format.sample)], target: format.target,
      targetIsOpaque: false)
    let load = Load(input: 0, alpha: .premultiplied, decodesToLinear: false)
    let shader = Shader(
      [ShaderPart(.load(load), inputs: [.picture(0)], isOpaque: false, isSpecialized: false)],
      variant: variant)
    let program = try programs.program(for: shader)
    let place = PreparedPass.numbers(domain: Rect(source.size), x: nil, y: nil, 0, program)
    let origin = PreparedPass.Number(
      location: program.location("targetOrigin"),
      value: .pair(Int32(part.x - x), Int32(part.y - y)))
    let pass = PreparedPass(
      serial: programs.nextSerial(), shader: shader, program: program, numbers: place + [origin],
      tables: [], size: part.size, left: x, bands: [y..<y + part.height],
      band: program.location("band"))
    begin(pass)
    bind(source, 0, of: pass)
    try finish(pass, into: target)
    return pass
  }

  /// Packs a result into a texture of `picture.texels`.
  func pack(
    _ picture: PackedImage, from texture: GLTexture, into target: GLTexture
  ) throws(GLFailure) {
    let pass: PreparedPass
    if let lastPack, lastPack.picture == picture,
      lastPack.formats == (texture.format, target.format)
    {
      pass = lastPack.pass
    } else {
      pass = try prepare(packing: picture, from: texture, into: target)
      lastPack = (picture, (texture.format, target.format), pass)
    }
    begin(pass)
    bind(texture, 0, of: pass)
    try finish(pass, into: target)
    try context.check("pack of \(picture.size) (\(stage))")
  }

  private func prepare(
    packing picture: PackedImage, from texture: GLTexture, into target: GLTexture
  ) throws(GLFailure) -> PreparedPass {
    let kind = WorkFormat(result: picture.format.depth, in: texture).sample
    let variant = ShaderVariant(
      stage: stage.plain, sources: [.init(kind: kind)],
      target: WorkFormat(result: .uint8, in: target).target, targetIsOpaque: false)
    let shader = Shader([ShaderPart(packing: picture.format)], variant: variant)
    let program = try programs.program(for: shader)
    let shape = PreparedPass.Number(
      location: program.location(ShaderPart.uniform("shape", of: 0)),
      value: .pair(Int32(picture.size.width), Int32(picture.texels.width)))
    let place = PreparedPass.numbers(domain: Rect(picture.size), x: nil, y: nil, 0, program)
    let origin = PreparedPass.Number(location: program.location("targetOrigin"), value: .pair(0, 0))
    return PreparedPass(
      serial: programs.nextSerial(), shader: shader, program: program,
      numbers: place + [shape, origin], tables: [], size: picture.texels,
      bands: [0..<picture.texels.height],
      band: stage == .fragment ? -1 : program.location("band"))
  }
}

/// The work of a band for each kind of pass. A device does fewer multiply-adds per second for windows and medians than
/// for Gaussians, and drivers end any work that takes too long.
package struct BandPaces {
  private var paces: [String: BandPace] = [:]

  package init() {}

  /// The pace of passes of this name.
  package subscript(kind: String) -> BandPace {
    get { paces[kind] ?? BandPace() }
    set { paces[kind] = newValue }
  }
}

/// The work of one band of rows: a tenth of a second, as displays freeze while a band runs, and drivers end work that
/// takes too long.
///
/// The first bands assume the rate of a weak GPU. As long as bands take no time to speak of, the next is four times as
/// large. A large GPU needs that: a band made for a weak one gives it two groups for each of its processors, and it
/// waits for each of their fetches.
package struct BandPace {
  /// Multiply-adds of a band.
  package private(set) var work = 100_000_000
  /// True once bands have the right size and are not timed any more.
  package private(set) var isSettled = false

  private static let most = 1_000_000_000_000
  /// Four times as much is a tenth of a second.
  private static let short = Duration.milliseconds(25)

  package init() {}

  /// A band was made.
  ///
  /// - Parameter isFirst: of its pass, in whose time a driver may still have to get ready.
  package mutating func note(_ time: Duration, isFirst: Bool) {
    if time < BandPace.short {
      work = min(4 * work, BandPace.most)
    } else if !isFirst {
      isSettled = true
    }
  }
}

/// A call with everything looked up: what the device is told to run it, but for its textures.
final class PreparedPass {
  /// The expected number of runs.
  enum Use {
    /// Its tables are overwritten by the next pass's.
    case once
    /// It has tables of its own.
    case again
  }

  /// A uniform.
  struct Number {
    var location: GLint
    var value: PassNumbers.Value

    func set() {
      switch value {
      case .integer(let v): glUniform1i(location, v)
      case .pair(let x, let y): glUniform2i(location, x, y)
      case .integers(let v): glUniform4i(location, v.x, v.y, v.z, v.w)
      case .float(let v): glUniform1f(location, v)
      case .color(let v): glUniform3f(location, v.x, v.y, v.z)
      case .vector(let v): glUniform4f(location, v.x, v.y, v.z, v.w)
      }
    }
  }

  /// No other pass with the same programs has it.
  let serial: Int
  let shader: Shader
  let program: GLProgram
  let numbers: [Number]
  /// The uniform blocks, filled.
  let tables: [UniformTable]
  /// The size of the rectangle that is computed.
  let size: Size
  /// The column of the target where it begins.
  let left: Int
  /// Its rows, in parts that run one after another.
  let bands: [Range<Int>]
  /// The work that each band may do, as the device was known when the bands were cut. Several run as one if the device
  /// does more.
  let workPerBand: Int
  /// The name of its first pass, by which bands are paced.
  let kind: String
  /// The location of the uniform for a dispatch's rows and columns.
  let band: GLint
  /// The size of the rectangle that a group of invocations makes.
  var group: Size { shader.groupSize }
  /// Blocks begin at a multiple of so many rows.
  var period: Int { shader.block?.rowPeriod ?? 1 }

  init(
    serial: Int, shader: Shader, program: GLProgram, numbers: [Number], tables: [UniformTable],
    size: Size, left: Int = 0, bands: [Range<Int>], workPerBand: Int = 1,
    kind: String = "", band: GLint
  ) {
    self.serial = serial
    self.shader = shader
    self.program = program
    self.numbers = numbers.filter { $0.location >= 0 }
    self.tables = tables
    self.size = size
    self.left = left
    self.bands = bands
    self.workPerBand = workPerBand
    self.kind = kind
    self.band = band
  }

  /// Returns the uniforms for the place of a source and its edges.
  static func numbers(
    of source: PassCall.Source, _ index: Int, _ program: GLProgram
  ) -> [Number] {
    if let shape = source.shape {
      return shape.uniforms(index).map {
        Number(location: program.location($0.name), value: $0.value)
      }
    }
    return numbers(domain: source.domain, x: source.x, y: source.y, index, program)
  }

  static func numbers(
    domain: Rect, x: AxisEdge?, y: AxisEdge?, _ index: Int, _ program: GLProgram
  ) -> [Number] {
    let (columns, rows) = (x?.range ?? 0..<1, y?.range ?? 0..<1)
    return [
      Number(
        location: program.location("place\(index)"),
        value: .integers(domain.x, domain.y, domain.width, domain.height)),
      Number(
        location: program.location("edge\(index)"),
        value: .integers(columns.lowerBound, rows.lowerBound, columns.count, rows.count)),
      Number(
        location: program.location("edges\(index)"),
        value: .pair(
          Int32(ShaderVariant.Edge.number(of: x?.mode)),
          Int32(ShaderVariant.Edge.number(of: y?.mode)))),
    ]
  }
}

/// A uniform block's storage: 1024 vectors, the 16 KiB that every device takes.
final class UniformTable {
  static let vectors = 1024
  private static let bytes = vectors * MemoryLayout<SIMD4<Float>>.stride

  private let buffer: GLuint
  private let binding: GLuint
  private let context: GLContext

  init(binding: Int, in context: GLContext) {
    var buffer: GLuint = 0
    glGenBuffers(1, &buffer)
    self.buffer = buffer
    self.binding = GLuint(binding)
    self.context = context
  }

  deinit {
    context.delete {
      var buffer = buffer
      glDeleteBuffers(1, &buffer)
    }
  }

  /// Replaces the contents.
  ///
  /// - Parameter isKept: whether they are to be read by many passes.
  func fill(_ values: [SIMD4<Float>], isKept: Bool) {
    glBindBuffer(GLenum(GL_UNIFORM_BUFFER), buffer)
    // Fresh storage each time, so that nothing waits for the pass that still reads the old one.
    glBufferData(
      GLenum(GL_UNIFORM_BUFFER), GLsizeiptr(UniformTable.bytes), nil,
      GLenum(isKept ? GL_STATIC_DRAW : GL_STREAM_DRAW))
    values.withUnsafeBytes { bytes in
      glBufferSubData(GLenum(GL_UNIFORM_BUFFER), 0, GLsizeiptr(bytes.count), bytes.baseAddress)
    }
  }

  /// Has the next passes read it.
  func bind() {
    glBindBufferBase(GLenum(GL_UNIFORM_BUFFER), binding, buffer)
  }
}
