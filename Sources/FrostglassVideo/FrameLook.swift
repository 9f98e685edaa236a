internal import CAV
internal import Frostglass
internal import FrostglassCore

/// What a video's frames are like to the filters.
struct FrameLook {
  let form: SampleForm
  let layout: FrameLayout
  let size: Size
  let turn: Turn
  let matrix: YCbCrFormat.Matrix
  let range: YCbCrFormat.Levels
  let isByPlanes: Bool
  /// Whether nothing said what weights brightness has.
  let guessesMatrix: Bool

  /// What becomes of frames.
  enum Use {
    /// New ones, by a recipe.
    case filters
    /// Pictures: upright ones, in colors.
    case pictures
    /// Canvases: upright, in planes where there are any.
    case canvas
  }

  init(
    _ frame: UnsafePointer<AVFrame>, _ stream: UnsafeMutablePointer<AVStream>, _ job: FilmJob,
    _ use: Use = .filters
  ) throws(FilmError) {
    let kind = AVPixelFormat(rawValue: frame.pointee.format)
    func refusal(_ why: String) -> FilmError {
      let name = av_get_pix_fmt_name(kind).map { String(cString: $0) } ?? "unknown"
      return .unsupported(path: job.input, "its frames are \(name), \(why)")
    }
    guard let form = SampleForm(kind) else { throw refusal("which is not taken") }
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
    let isOther = told == nil && space != AVCOL_SPC_UNSPECIFIED && space != AVCOL_SPC_RGB
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
    if !isByPlanes, isOther, job.matrix == nil, !form.isRGB, !isGray {
      let name = av_color_space_name(space).map { String(cString: $0) } ?? "unknown"
      throw .unsupported(
        path: job.input,
        "its colors have the matrix \(name), which only plain blurs take; --matrix takes them for another"
      )
    }
    guard let layout = form.layout(matrix, range, turnedSiting, byPlanes: isByPlanes) else {
      throw refusal(
        "which is not taken; taken are 8, 10, 12 and 16 bits, 4:2:0, 4:2:2, 4:4:4 and 4:1:1")
    }
    guessesMatrix =
      told == nil && job.matrix == nil && !form.isRGB && !isGray
    (self.form, self.layout, self.size, self.turn) = (form, layout, size, turn)
    (self.matrix, self.range, self.isByPlanes) = (matrix, range, isByPlanes)
  }
}
