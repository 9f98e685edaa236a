internal import CAV
internal import Frostglass
internal import FrostglassCore

/// The properties of a video's frames that matter to the filters.
struct FrameLook {
  let form: SampleForm
  let layout: FrameLayout
  let size: Size
  let turn: Turn
  let matrix: YCbCrFormat.Matrix
  let range: YCbCrFormat.Levels
  /// The source of the brightness weights (the matrix).
  private let matrixOrigin: MatrixOrigin
  private let path: String

  private enum MatrixOrigin {
    /// The frames or the job say it, or they have no need of it.
    case told
    case guessed
    /// The frames have another, by its name, and one that is taken stands for it.
    case untaken(String)
  }

  /// The use of the frames.
  enum Use {
    /// New ones, by a recipe.
    case filters
    /// Images: upright ones, in colors.
    case pictures
    /// Canvases: upright, in planes where there are any.
    case canvas
  }

  /// - Parameter usesAlpha: false where alpha that frames may have is not looked at.
  init(
    _ frame: UnsafePointer<AVFrame>, _ stream: UnsafeMutablePointer<AVStream>, _ job: VideoJob,
    _ use: Use = .filters, usesAlpha: Bool = true
  ) throws(VideoFileError) {
    let kind = AVPixelFormat(rawValue: frame.pointee.format)
    func refusal(_ why: String) -> VideoFileError {
      let name = av_get_pix_fmt_name(kind).map { String(cString: $0) } ?? "unknown"
      return .unsupported(path: job.input, "its frames are \(name), \(why)")
    }
    guard let own = SampleForm(kind) else { throw refusal("which is not taken") }
    let form = usesAlpha ? own : own.withoutAlpha
    let size = Size(width: Int(frame.pointee.width), height: Int(frame.pointee.height))
    guard size.area <= job.maxPixels else {
      throw .unsupported(
        path: job.input, "\(size) pixels are more than the allowed \(job.maxPixels)")
    }
    let space = frame.pointee.colorspace
    let told: YCbCrFormat.Matrix? =
      switch space {
      case AVCOL_SPC_BT709: .bt709
      case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M, AVCOL_SPC_FCC: .bt601
      case AVCOL_SPC_BT2020_NCL: .bt2020
      default: nil
      }
    let matrix = job.matrix ?? told ?? (size.height >= 720 ? .bt709 : .bt601)
    let isGray = form.components < 3
    let toldRange: YCbCrFormat.Levels? =
      switch frame.pointee.color_range {
      case AVCOL_RANGE_JPEG: .full
      case AVCOL_RANGE_MPEG: .narrow
      default: form.name.hasPrefix("yuvj") ? .full : nil
      }
    let range = toldRange ?? job.range ?? (form.isRGB || isGray ? .full : .narrow)
    let siting: YCbCrFormat.Siting =
      switch frame.pointee.chroma_location {
      case AVCHROMA_LOC_CENTER: .center
      case AVCHROMA_LOC_TOPLEFT: .topLeft
      default: range == .full && toldRange == .full && form.name.hasPrefix("yuvj") ? .center : .left
      }
    let recipe = job.recipe
    func byPlanes(_ size: Size, _ siting: YCbCrFormat.Siting) -> Bool {
      if use == .canvas { return !form.isRGB }
      guard use == .filters, let plain = form.layout(matrix, range, siting, byPlanes: true) else {
        return false
      }
      switch plain.content {
      case .planes(let format), .planesWithAlpha(let format), .luma(let format):
        // A color brought there is one of red, green and blue, not of brightness and differences.
        if form.isRGB, recipe.options.mask?.redaction?.isColored ?? false { return false }
        return recipe.chain.worksOnPlanes(of: format, size, recipe.options)
      case .colors: return false
      }
    }
    // Blurs are the same whichever side is up.
    let matters = recipe.options.mask != nil || use == .canvas || !byPlanes(size, siting)
    let matrixData = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, nil)
    let upright = matrixData.map { data in
      data.withMemoryRebound(to: Int32.self, capacity: 9) { Turn($0) }
    }
    let turn = matters ? upright ?? .none : .none
    if turn.swapsSides, form.shift.x != form.shift.y {
      throw refusal(
        "turned by a quarter, which is taken with plain blurs of whole frames alone; turn it first, as "
          + "with ffmpeg's -vf transpose")
    }
    let turnedSiting = turn.siting(of: siting)
    let isByPlanes = byPlanes(turn.size(of: size), turnedSiting)
    guard let layout = form.layout(matrix, range, turnedSiting, byPlanes: isByPlanes) else {
      throw refusal(
        "which is not taken; taken are 8, 10, 12 and 16 bits, 4:2:0, 4:2:2, 4:4:4 and 4:1:1")
    }
    matrixOrigin =
      if job.matrix != nil || form.isRGB || isGray || told != nil {
        .told
      } else if [AVCOL_SPC_UNSPECIFIED, AVCOL_SPC_RGB].contains(space) {
        .guessed
      } else {
        .untaken(av_color_space_name(space).map { String(cString: $0) } ?? "unknown")
      }
    path = job.input
    (self.form, self.layout, self.size, self.turn) = (form, layout, size, turn)
    (self.matrix, self.range) = (matrix, range)
  }

  /// Demands a known matrix; to be called if filters work on colors, not on single planes.
  ///
  /// - Parameter note: called with the assumptions made.
  /// - Throws: `VideoFileError.unsupported` where the frames have a matrix that is not taken.
  func demandMatrix(_ note: (String) -> Void) throws(VideoFileError) {
    switch matrixOrigin {
    case .told: return
    case .guessed:
      note(
        "colors are taken for \(matrix.rawValue), as frames of \(size.height) rows mostly are; "
          + "--matrix says otherwise")
    case .untaken(let name):
      throw .unsupported(
        path: path,
        "its colors have the matrix \(name), which only plain blurs take; --matrix takes them for another"
      )
    }
  }
}
