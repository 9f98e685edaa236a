import CFrostglass
import FrostglassCore
import TestSupport
import Testing

/// Blue first is red first with the two exchanged.
@Suite struct ChannelOrderTests {
  /// Blurs, for which the order makes no difference, and filters for which it does.
  private static let chains = [
    "blur(4px)", "median(2)", "blur(3px) saturate(180%) tint(#f00, 30%)", "opacity(50%)",
  ]
  private static let colored = PixelFormat.all.filter { $0.layout != .gray }

  /// The same pixels with red and blue exchanged.
  private func exchanged(_ pixels: [UInt8], _ format: PixelFormat) -> [UInt8] {
    let (pixel, sample) = (format.bytesPerPixel, format.depth.bytes)
    return stride(from: 0, to: pixels.count, by: pixel).flatMap { start in
      (0..<pixel).map { byte in
        let channel = byte / sample
        return pixels[start + (channel < 3 ? 2 - channel : channel) * sample + byte % sample]
      }
    }
  }

  private func exchanged(_ caller: CallerImage) {
    let changed = exchanged(caller.pixels, caller.format)
    changed.withUnsafeBytes { caller.fill($0) }
    caller.image.format += 6
  }

  @Test(arguments: colored, chains)
  func blueFirstIsRedFirstExchanged(format: PixelFormat, chain: String) throws {
    let caller = try Caller()
    let image = TestImages.noise(61, 47, format)
    let (input, own) = (CallerImage(image, gap: 64), CallerImage(image, gap: 64))
    let plan = try caller.plan([chain], input.image)
    defer { fg_plan_free(plan) }
    var info = fg_plan_info()
    info.struct_size = MemoryLayout<fg_plan_info>.stride
    #expect(fg_plan_describe(plan, 0, &info, nil, 0) == fg_status(FG_OK))
    let result = PixelFormat.all[Int(info.result.format) - 1]
    let (output, reordered) = (
      CallerImage(Image(zeros: image.size, format: result), gap: 16),
      CallerImage(Image(zeros: image.size, format: result), gap: 16)
    )
    #expect(fg_plan_run(plan, &input.image, &output.image, 1, nil, nil, 0) == fg_status(FG_OK))

    exchanged(own)
    exchanged(reordered)
    let ownPlan = try caller.plan([chain], own.image)
    defer { fg_plan_free(ownPlan) }
    #expect(fg_plan_describe(ownPlan, 0, &info, nil, 0) == fg_status(FG_OK))
    #expect(info.result.format == reordered.image.format)
    let expected = exchanged(output.pixels, result)
    // Both plans take both orders.
    for plan in [plan, ownPlan] {
      let answer = Answer.of {
        fg_plan_run(plan, &own.image, &reordered.image, 1, nil, $0, $1)
      }
      #expect(answer == Answer(status: FG_OK, error: ""))
      #expect(reordered.pixels == expected)
      #expect(reordered.changedGaps == 0)
    }
    // From one order to the other.
    #expect(fg_plan_run(plan, &own.image, &output.image, 1, nil, nil, 0) == fg_status(FG_OK))
    #expect(exchanged(output.pixels, result) == expected)
    guard result == format else { return }
    var (from, to) = (own.image, own.image)
    #expect(fg_plan_run(plan, &from, &to, 1, nil, nil, 0) == fg_status(FG_OK))
    #expect(own.pixels == expected)
  }

  /// The copies of a run in another order than the plan's count, and are refused where the limit has no room for them.
  @Test func runsInAnotherOrderKeepToTheLimit() throws {
    let chain = "saturate(180%)"
    let image = TestImages.noise(200, 100, .rgb8)
    let bytes = Int64(200 * 100 * 3)
    func memory(_ image: fg_image) throws -> Int64 {
      let caller = try Caller()
      let plan = try caller.plan([chain], image)
      defer { fg_plan_free(plan) }
      var info = fg_plan_info()
      info.struct_size = MemoryLayout<fg_plan_info>.stride
      #expect(fg_plan_describe(plan, 0, &info, nil, 0) == fg_status(FG_OK))
      return info.memory
    }
    let (input, other) = (CallerImage(image), CallerImage(image))
    let (output, otherOutput) = (CallerImage(image), CallerImage(image))
    exchanged(other)
    exchanged(otherOutput)
    let least = try memory(input.image)
    #expect(try memory(other.image) == least + 2 * bytes)

    for copies in Int64(0)...2 {
      for limit in [least + copies * bytes - 1, least + copies * bytes] where limit >= least {
        let caller = try Caller(memory: limit)
        let plan = try caller.plan([chain], input.image)
        defer { fg_plan_free(plan) }
        // Red first needs no copy, one image with blue first needs one, two need two.
        let runs = [
          (input, output, 0), (input, otherOutput, 1), (other, output, 1), (other, otherOutput, 2),
        ]
        for (from, to, needed) in runs {
          let answer = Answer.of {
            fg_plan_run(plan, &from.image, &to.image, 1, nil, $0, $1)
          }
          let fits = least + Int64(needed) * bytes <= limit
          #expect(answer.status == (fits ? FG_OK : FG_TOO_LARGE), "\(needed) \(limit): \(answer)")
        }
      }
    }
  }

  @Test func aMaskMayHaveBlueFirst() throws {
    let caller = try Caller()
    let image = TestImages.noise(61, 47, .gray8)
    let input = CallerImage(image)
    let coverage = CallerImage(TestImages.noise(61, 47, .rgba8))
    var results: [[UInt8]] = []
    for isExchanged in [false, true] {
      if isExchanged { exchanged(coverage) }
      var mask = fg_mask()
      mask.struct_size = MemoryLayout<fg_mask>.stride
      mask.channel = 3
      let plan = try withUnsafePointer(to: coverage.image) { picture in
        mask.picture = picture
        return try withUnsafePointer(to: mask) { mask in
          try caller.plan(["blur(4px)"], input.image) { $0.mask = mask }
        }
      }
      defer { fg_plan_free(plan) }
      let output = CallerImage(Image(zeros: image.size, format: .gray8))
      #expect(fg_plan_run(plan, &input.image, &output.image, 1, nil, nil, 0) == fg_status(FG_OK))
      results.append(output.pixels)
    }
    #expect(results[0] == results[1])
  }
}
