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
  /// What a group of compute invocations may share.
  private let sharedBytes: Int

  init(
    stage: ShaderStage, sharedBytes: Int, programs: ProgramCache, context: GLContext
  ) {
    self.stage = stage
    self.sharedBytes = sharedBytes
    self.context = context
    self.programs = programs
    tables = [UniformTable(binding: 0, in: context), UniformTable(binding: 1, in: context)]
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

  func run(_ call: PassCall) throws(GLFailure) {
    let shader = call.shader(stage: stage, sharedBytes: sharedBytes)
    let program = try programs.program(for: shader)
    glUseProgram(program.name)
    for (index, part) in call.parts.enumerated() {
      let numbers = try PassNumbers(part.pass, isGray: part.layout == .gray)
      for (name, value) in numbers.uniforms {
        set(value, at: program.location(ShaderPart.uniform(name, of: index)))
      }
      // Only the first part's pass may have tables: those that follow work pixel by pixel.
      for (table, values) in zip(tables, numbers.tables) { table.fill(values) }
      try context.debugCheck("the numbers of \(part.pass.name)")
    }
    glUniform2i(program.location("targetOrigin"), GLint(call.rect.x), GLint(call.rect.y))
    for (index, source) in call.sources.enumerated() { bind(source, index, program) }
    try context.debugCheck("the sources of \(call.name)")
    try execute(call, program, shader)
    try context.check("\(call.name) into \(call.rect) (\(stage))")
  }

  /// Has the device make the target, with all that the program reads set.
  func execute(_ call: PassCall, _ program: GLProgram, _ shader: Shader) throws(GLFailure) {
    switch stage.plain {
    case .fragment: try draw(call)
    case .compute, .blocked, .tiled: try dispatch(call, program, shader)
    }
  }

  /// Makes a texture what drawing goes to and reading comes from.
  func attach(_ texture: GLTexture, _ activity: String) throws(GLFailure) {
    let name = context.isToRefuse(texture) ? 0 : texture.name
    glFramebufferTexture2D(
      GLenum(GL_FRAMEBUFFER), GLenum(GL_COLOR_ATTACHMENT0), GLenum(GL_TEXTURE_2D), name, 0)
    let status = glCheckFramebufferStatus(GLenum(GL_FRAMEBUFFER))
    guard status == GL_FRAMEBUFFER_COMPLETE else {
      // A lost context answers nothing.
      try context.check(activity)
      try context.confirm(activity)
      throw .framebuffer(during: activity, status: status)
    }
  }

  private func draw(_ call: PassCall) throws(GLFailure) {
    try attach(call.target, call.name)
    // All of it is drawn: GPUs that work in tiles need not load what was there.
    glInvalidateFramebuffer(GLenum(GL_FRAMEBUFFER), 1, [GLenum(GL_COLOR_ATTACHMENT0)])
    let bands = call.bands(of: 8)
    glViewport(0, 0, GLsizei(call.rect.width), GLsizei(call.rect.height))
    glEnable(GLenum(GL_SCISSOR_TEST))
    for rows in bands {
      glScissor(0, GLint(rows.lowerBound), GLsizei(call.rect.width), GLsizei(rows.count))
      glDrawArrays(GLenum(GL_TRIANGLES), 0, 3)
      try context.debugCheck("rows \(rows) of \(call.name)")
      if bands.count > 1 { glFlush() }
    }
    glDisable(GLenum(GL_SCISSOR_TEST))
  }

  private func dispatch(
    _ call: PassCall, _ program: GLProgram, _ shader: Shader
  ) throws(GLFailure) {
    glBindImageTexture(
      0, call.target.name, 0, GLboolean(GL_FALSE), 0, GLenum(GL_WRITE_ONLY),
      call.target.format.sized)
    let (group, period) = (shader.groupSize, shader.block?.rowPeriod ?? 1)
    let bands = call.bands(of: group.height)
    for rows in bands {
      glUniform3i(
        program.location("band"), GLint(rows.lowerBound), GLint(rows.upperBound),
        GLint(call.rect.width))
      glDispatchCompute(
        GLuint((call.rect.width + group.width - 1) / group.width),
        // The first block may begin above the band.
        GLuint((rows.count + period - 1 + group.height - 1) / group.height), 1)
      try context.debugCheck("rows \(rows) of \(call.name)")
      if bands.count > 1 { glFlush() }
    }
    // What was stored is next fetched, stored again, read back or uploaded over.
    glMemoryBarrier(
      GLbitfield(GL_TEXTURE_FETCH_BARRIER_BIT) | GLbitfield(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT)
        | GLbitfield(GL_FRAMEBUFFER_BARRIER_BIT) | GLbitfield(GL_TEXTURE_UPDATE_BARRIER_BIT))
  }

  func bind(_ source: PassCall.Source, _ index: Int, _ program: GLProgram) {
    glActiveTexture(GLenum(GL_TEXTURE0) + GLenum(index))
    glBindTexture(GLenum(GL_TEXTURE_2D), source.texture.name)
    glActiveTexture(GLenum(GL_TEXTURE0))
    let domain = source.domain
    glUniform4i(
      program.location("place\(index)"), GLint(domain.x), GLint(domain.y), GLint(domain.width),
      GLint(domain.height))
    let (columns, rows) = (source.x?.range ?? 0..<1, source.y?.range ?? 0..<1)
    glUniform4i(
      program.location("edge\(index)"), GLint(columns.lowerBound), GLint(rows.lowerBound),
      GLint(columns.count), GLint(rows.count))
    glUniform2i(
      program.location("edges\(index)"), GLint(ShaderVariant.Edge.number(of: source.x?.mode)),
      GLint(ShaderVariant.Edge.number(of: source.y?.mode)))
  }

  private func set(_ value: PassNumbers.Value, at location: GLint) {
    switch value {
    case .integer(let v): glUniform1i(location, v)
    case .integers(let v): glUniform4i(location, v.x, v.y, v.z, v.w)
    case .float(let v): glUniform1f(location, v)
    case .color(let v): glUniform3f(location, v.x, v.y, v.z)
    case .vector(let v): glUniform4f(location, v.x, v.y, v.z, v.w)
    }
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

  /// Replaces the contents and binds the table for the next pass.
  func fill(_ values: [SIMD4<Float>]) {
    glBindBuffer(GLenum(GL_UNIFORM_BUFFER), buffer)
    // Fresh storage each time, so that nothing waits for the pass that still reads the old one.
    glBufferData(
      GLenum(GL_UNIFORM_BUFFER), GLsizeiptr(UniformTable.bytes), nil, GLenum(GL_STREAM_DRAW))
    values.withUnsafeBytes { bytes in
      glBufferSubData(GLenum(GL_UNIFORM_BUFFER), 0, GLsizeiptr(bytes.count), bytes.baseAddress)
    }
    glBindBufferBase(GLenum(GL_UNIFORM_BUFFER), binding, buffer)
  }
}
