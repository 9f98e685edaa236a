import CFrostglass
import CFrostglassFiles
import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Images with a fourth channel that says nothing, and results with channels that the input has not.
@Suite struct AlphaTests {
  private static let size = Size(width: 60, height: 40)

  /// An image whose fourth channel is full, and the same with anything in it, which is not to be looked at.
  private func pictures(_ depth: PixelFormat.Depth) -> (full: Image, any: Image) {
    let format = PixelFormat(.rgba, depth)
    var (full, any) = (
      Image(zeros: Self.size, format: format), Image(zeros: Self.size, format: format)
    )
    let noise = TestImages.noise(60, 40, format).bytes
    (full.bytes, any.bytes) = (noise, noise)
    let sample: [UInt8] =
      switch depth {
      case .uint8: [255]
      case .uint16: [255, 255]
      case .float32: withUnsafeBytes(of: Float(1)) { Array($0) }
      }
    let pixel = format.bytesPerPixel
    for place in 0..<Self.size.area {
      full.bytes.replaceSubrange(
        (place + 1) * pixel - sample.count..<(place + 1) * pixel, with: sample)
    }
    return (full, any)
  }

  private func opaque(_ image: Image) -> CallerImage {
    let made = CallerImage(image)
    made.image.alpha = Int32(FG_OPAQUE)
    return made
  }

  /// Samples from 0 to 1.
  private func samples(_ image: CallerImage, _ depth: PixelFormat.Depth) -> [Double] {
    image.pixels.withUnsafeBytes { bytes in
      switch depth {
      case .uint8: bytes.map { Double($0) / 255 }
      case .uint16: bytes.bindMemory(to: UInt16.self).map { Double($0) / 65535 }
      case .float32: bytes.bindMemory(to: Float.self).map { Double($0) }
      }
    }
  }

  @Test(arguments: [PixelFormat.Depth.uint8, .uint16, .float32])
  func opaqueImagesStayOpaque(depth: PixelFormat.Depth) throws {
    let caller = try Caller()
    let (full, any) = pictures(depth)
    for text in ["blur(3px)", "saturate(180%)", "median(1)", "pixelate(7px)", "glass()", "none"] {
      let (input, output) = (opaque(any), opaque(full))
      let answer = Answer.of {
        fg_apply(caller.engine, text, &input.image, &output.image, nil, $0, $1)
      }
      #expect(answer == Answer(status: FG_OK, error: ""), "\(text)")
      // The same as of straight alpha that is full.
      let (straight, expected) = (CallerImage(full), CallerImage(full))
      #expect(
        fg_apply(caller.engine, text, &straight.image, &expected.image, nil, nil, 0)
          == fg_status(FG_OK))
      // Within the rounding of other ways to compute it.
      let (made, wanted) = (samples(output, depth), samples(expected, depth))
      #expect(zip(made, wanted).allSatisfy { abs($0 - $1) < 1.01 / 255 }, "\(text)")
      #expect(
        stride(from: 3, to: made.count, by: 4).allSatisfy { abs(made[$0] - 1) < 1e-5 }, "\(text)")
      // Straight is the other name of the same, and the input's own memory will do.
      output.image.alpha = Int32(FG_STRAIGHT)
      #expect(
        fg_apply(caller.engine, text, &input.image, &output.image, nil, nil, 0)
          == fg_status(FG_OK))
      #expect(samples(output, depth) == made, "\(text)")
      var (from, to) = (input.image, input.image)
      #expect(fg_apply(caller.engine, text, &from, &to, nil, nil, 0) == fg_status(FG_OK))
      #expect(samples(input, depth) == made, "\(text)")
    }
  }

  /// Outputs that may be called opaque are opaque everywhere, with any filter.
  @Test func noFilterLiesAboutOpacity() throws {
    let caller = try Caller()
    let (_, any) = pictures(.uint8)
    let input = opaque(any)
    var transparent = 0
    for filter in Catalog.filters {
      let plan = try caller.plan(["\(filter.info.name)()"], input.image)
      defer { fg_plan_free(plan) }
      var info = fg_plan_info()
      info.struct_size = MemoryLayout<fg_plan_info>.stride
      #expect(fg_plan_describe(plan, 0, &info, nil, 0) == fg_status(FG_OK))
      let output = CallerImage(any)
      output.image.alpha = info.result.alpha
      #expect(fg_plan_run(plan, &input.image, &output.image, 1, nil, nil, 0) == fg_status(FG_OK))
      let alphas = stride(from: 3, to: output.pixels.count, by: 4).map { output.pixels[$0] }
      if info.result.alpha == Int32(FG_OPAQUE) {
        #expect(alphas.allSatisfy { $0 == 255 }, "\(filter.info.name)")
      } else {
        transparent += 1
      }
    }
    #expect(transparent < 5)
  }

  @Test func transparencyOfAnOpaqueImageIsSaid() throws {
    let caller = try Caller()
    let (full, any) = pictures(.uint8)
    let (input, output) = (opaque(any), opaque(full))
    let refused = Answer.of {
      fg_apply(caller.engine, "opacity(50%)", &input.image, &output.image, nil, $0, $1)
    }
    #expect(refused.status == FG_BAD_IMAGE)
    #expect(refused.error.contains("with FG_RGBA8 and FG_STRAIGHT, as the filters"), "\(refused)")
    output.image.alpha = Int32(FG_STRAIGHT)
    #expect(
      fg_apply(caller.engine, "opacity(50%)", &input.image, &output.image, nil, nil, 0)
        == fg_status(FG_OK))
    #expect(output.pixels[3] == 128 && output.pixels[0] == any.bytes[0])
  }

  /// A caller learns what to give from `fg_plan_describe`.
  @Test(arguments: [PixelFormat.gray8, .rgb8])
  func resultsMayHaveMoreChannels(format: PixelFormat) throws {
    let caller = try Caller()
    let input = CallerImage(TestImages.noise(60, 40, format))
    for (text, edge) in [("opacity(50%)", FG_CLAMP), ("blur(5px)", FG_TRANSPARENT)] {
      let plan = try caller.plan([text], input.image) { $0.edge = Int32(edge) }
      defer { fg_plan_free(plan) }
      var info = fg_plan_info()
      info.struct_size = MemoryLayout<fg_plan_info>.stride
      #expect(fg_plan_describe(plan, 0, &info, nil, 0) == fg_status(FG_OK))
      #expect(info.result.format == Int32(FG_RGBA8) && info.result.alpha == Int32(FG_STRAIGHT))
      let refused = Answer.of { fg_plan_run(plan, &input.image, &input.image, 1, nil, $0, $1) }
      #expect(
        refused.error.contains("give it as fg_plan_describe says, with FG_RGBA8 and FG_STRAIGHT"))
      let output = CallerImage(Image(zeros: Self.size, format: .rgba8))
      #expect(fg_plan_run(plan, &input.image, &output.image, 1, nil, nil, 0) == fg_status(FG_OK))
      #expect(output.pixels[3] < 140 && output.pixels[3] > 50)
    }
  }

  @Test func masksThatCoverNothingLeaveTheImage() throws {
    let caller = try Caller()
    let image = TestImages.noise(60, 40, .rgb8)
    let input = CallerImage(image)
    let empty = CallerImage(Image(zeros: image.size, format: .gray8))
    var full = Image(zeros: image.size, format: .gray8)
    full.bytes = full.bytes.map { _ in 255 }
    let covering = CallerImage(full)
    for (picture, inverted, use) in [
      (nil, 0, FG_MASK_SHOW), (empty, 0, FG_MASK_SHOW), (empty, 0, FG_MASK_CONFINE),
      (empty, 0, FG_MASK_SCALE), (covering, 1, FG_MASK_SHOW), (covering, 1, FG_MASK_CONFINE),
    ] {
      var mask = fg_mask()
      mask.struct_size = MemoryLayout<fg_mask>.stride
      (mask.inverted, mask.use) = (Int32(inverted), Int32(use))
      let plan = try withUnsafePointer(to: (picture ?? empty).image) { pixels in
        if picture != nil { mask.picture = pixels }
        return try withUnsafePointer(to: &mask) { mask in
          try caller.plan(["blur(6px)"], input.image) { $0.mask = mask }
        }
      }
      defer { fg_plan_free(plan) }
      let output = CallerImage(Image(zeros: image.size, format: .rgb8))
      #expect(fg_plan_run(plan, &input.image, &output.image, 1, nil, nil, 0) == fg_status(FG_OK))
      #expect(output.pixels == image.bytes)
    }
  }

  /// By its brightness, as its alpha says nothing.
  @Test func anOpaqueImageIsAMask() throws {
    let caller = try Caller()
    let image = TestImages.noise(60, 40, .rgb8)
    let input = CallerImage(image)
    let (_, any) = pictures(.uint8)
    var colors = Image(zeros: Self.size, format: .rgb8)
    for place in 0..<Self.size.area {
      for channel in 0..<3 { colors.bytes[3 * place + channel] = any.bytes[4 * place + channel] }
    }
    let results = try [opaque(any), CallerImage(colors)].map { picture in
      var mask = fg_mask()
      mask.struct_size = MemoryLayout<fg_mask>.stride
      let plan = try withUnsafePointer(to: picture.image) { pixels in
        mask.picture = pixels
        return try withUnsafePointer(to: &mask) { mask in
          try caller.plan(["blur(6px)"], input.image) { $0.mask = mask }
        }
      }
      defer { fg_plan_free(plan) }
      let output = CallerImage(Image(zeros: image.size, format: .rgb8))
      #expect(fg_plan_run(plan, &input.image, &output.image, 1, nil, nil, 0) == fg_status(FG_OK))
      return output.pixels
    }
    #expect(results[0] == results[1])
  }

  @Test func aFlagStopsARun() throws {
    let caller = try Caller(threads: 1)
    let image = TestImages.noise(300, 200, .rgb8)
    let (input, output) = (CallerImage(image), CallerImage(image))
    let plan = try caller.plan(["median(3)"], input.image)
    defer { fg_plan_free(plan) }
    var flag: Int32 = 0
    let stopped = withUnsafeMutablePointer(to: &flag) { flag in
      [Int32(0), 1].map { value in
        flag.pointee = value
        var options = fg_run_options()
        options.struct_size = MemoryLayout<fg_run_options>.stride
        options.progress = fg_stop_when_set
        options.context = UnsafeMutableRawPointer(flag)
        return Int(fg_plan_run(plan, &input.image, &output.image, 1, &options, nil, 0))
      }
    }
    #expect(stopped == [FG_OK, FG_CANCELLED])
    #expect(fg_stop_when_set(nil, 0) == 0)
  }
}
