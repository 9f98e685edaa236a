internal import CGLES
internal import FrostglassCore
internal import FrostglassShaders

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
