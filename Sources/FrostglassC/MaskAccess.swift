internal import CFrostglass
internal import FrostglassCore

extension Mask {
  /// A caller's mask for pictures of a size.
  init(_ mask: fg_mask, for size: Size) throws(Failure) {
    var shapes: [MaskShape] = []
    if let regions = mask.regions {
      let text = try text(regions, "regions")
      do throws(RegionTextError) { shapes += try MaskShape.list(text: text) } catch {
        throw Failure(FG_BAD_TEXT, "\(error)")
      }
    }
    if let picture = mask.picture {
      shapes.append(.picture(try Self.picture(picture, mask.channel, of: size)))
    }
    guard !shapes.isEmpty else {
      throw Failure(FG_BAD_ARGUMENT, "the mask has neither regions nor a picture")
    }
    guard mask.reserved == 0 else {
      throw Failure(FG_BAD_ARGUMENT, "reserved of the fg_mask is not 0")
    }
    self.init(
      shapes, feather: try Self.length(mask.feather, "feather", isSigned: false),
      grow: try Self.length(mask.grow, "grow", isSigned: true),
      isInverted: try choice(mask.inverted, "inverted", of: [false, true]),
      use: try choice(mask.use, "use", of: [.show, .confine, .scale]))
  }

  private static func picture(
    _ image: UnsafePointer<fg_image>, _ channel: Int32, of size: Size
  ) throws(Failure) -> MaskPicture {
    let checked = try CheckedImage(structure(image, "mask's fg_image"), "mask")
    guard checked.description.size == size else {
      throw Failure(
        FG_BAD_IMAGE, "the mask has \(checked.description.size) pixels, the input \(size)")
    }
    let channel = try choice(
      channel, "channel", of: [MaskChannel.automatic, .luma, .alpha, .red, .green, .blue])
    // The memory is the caller's until this returns.
    do throws(ImageError) {
      return MaskPicture(try Image(checked.source, release: {}), channel)
    } catch { throw Failure(FG_BAD_IMAGE, "\(error)") }
  }

  private static func length(
    _ start: UnsafePointer<CChar>?, _ name: String, isSigned: Bool
  ) throws(Failure) -> Length {
    guard let start else { return 0 }
    let text = try text(start, name)
    guard let length = Length(text: text), isSigned || length.value >= 0 else {
      throw Failure(
        FG_BAD_TEXT,
        "\(name) is \(text.isEmpty ? "empty" : text); it must be a number of pixels"
          + "\(isSigned ? "" : ", 0 or more"), or one with px, pt or % of the shorter side")
    }
    return length
  }
}
