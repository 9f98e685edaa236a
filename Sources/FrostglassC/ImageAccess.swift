package import CFrostglass
package import FrostglassCore

/// A caller's image whose numbers have been looked at.
package struct CheckedImage {
  /// Size, format, alpha and transfer.
  package let description: Plan.Input
  /// The first row; `nil` where memory is not looked at.
  private let data: UnsafeMutableRawPointer?
  private let bytesPerRow: Int
  /// What messages call it.
  private let name: String

  /// The longest side, and the most pixels, that anything here is worked out for.
  private static let longestSide = 1 << 24
  private static let mostPixels = 1 << 40

  /// What an image is like, its memory aside.
  init(describing image: fg_image, _ name: String) throws {
    self.name = name
    description = try Self.description(image, name)
    data = nil
    bytesPerRow = description.size.width * description.format.bytesPerPixel
  }

  /// An image with its memory.
  package init(_ image: fg_image, _ name: String) throws {
    self.name = name
    description = try Self.description(image, name)
    let length = description.size.width * description.format.bytesPerPixel
    let stride = image.stride == 0 ? Int64(length) : image.stride
    guard stride >= length else {
      throw Failure(FG_BAD_IMAGE, "stride of the \(name) is \(stride); a row takes \(length) bytes")
    }
    let sample = description.format.depth.bytes
    guard stride % Int64(sample) == 0, UInt(bitPattern: image.data) % UInt(sample) == 0 else {
      throw Failure(
        FG_BAD_IMAGE, "rows of the \(name) do not begin at a multiple of \(sample) bytes")
    }
    guard let data = image.data else { throw Failure(FG_BAD_IMAGE, "data of the \(name) is null") }
    let (gaps, tooLong) = Int(stride).multipliedReportingOverflow(by: description.size.height - 1)
    let (bytes, tooMany) = gaps.addingReportingOverflow(length)
    guard !tooLong, !tooMany,
      !UInt(bitPattern: data).addingReportingOverflow(UInt(bytes)).overflow
    else { throw Failure(FG_BAD_IMAGE, "the \(name) goes beyond the end of memory") }
    self.data = data
    // Of one row, nothing follows.
    bytesPerRow = description.size.height == 1 ? length : Int(stride)
  }

  private static func description(_ image: fg_image, _ name: String) throws -> Plan.Input {
    for (side, value) in [("width", image.width), ("height", image.height)] {
      guard (1...Int64(longestSide)).contains(value) else {
        throw Failure(
          FG_BAD_IMAGE, "\(side) of the \(name) is \(value); it must be from 1 to \(longestSide)")
      }
    }
    let size = Size(width: Int(image.width), height: Int(image.height))
    guard size.area <= mostPixels else {
      throw Failure(FG_TOO_LARGE, "the \(name) has \(size) pixels; at most \(mostPixels) are taken")
    }
    guard PixelFormat.all.indices.contains(Int(image.format) - 1) else {
      throw Failure(
        FG_BAD_IMAGE,
        "format of the \(name) is \(image.format); it must be from 1 to \(PixelFormat.all.count)")
    }
    guard image.reserved == 0 else {
      throw Failure(FG_BAD_ARGUMENT, "reserved of the \(name) is \(image.reserved), not 0")
    }
    return Plan.Input(
      size: size, format: PixelFormat.all[Int(image.format) - 1],
      alpha: try choice(image.alpha, "alpha of the \(name)", of: AlphaMode.numbered),
      transfer: try choice(image.transfer, "transfer of the \(name)", of: [.encoded, .linear]))
  }

  /// All bytes from the first pixel to the last.
  private var bytes: UnsafeMutableRawBufferPointer {
    let length = description.size.width * description.format.bytesPerPixel
    return UnsafeMutableRawBufferPointer(
      start: data, count: bytesPerRow * (description.size.height - 1) + length)
  }

  /// To be read.
  package var source: PixelMemory {
    PixelMemory(description, bytes: UnsafeRawBufferPointer(bytes), bytesPerRow: bytesPerRow)
  }

  /// To be written to.
  var target: MutablePixelMemory { MutablePixelMemory(bytes: bytes, bytesPerRow: bytesPerRow) }

  /// Whether it is the same image.
  func isSame(as other: CheckedImage) -> Bool {
    data == other.data && bytesPerRow == other.bytesPerRow && description == other.description
  }

  /// Checks that no byte of a pixel is one of the other's.
  ///
  /// Images whose rows are equally far apart may be side by side in the same rows.
  func checkApart(from other: CheckedImage) throws {
    let (first, second) = (UInt(bitPattern: data), UInt(bitPattern: other.data))
    let isBefore = first + UInt(bytes.count) <= second
    let isBehind = second + UInt(other.bytes.count) <= first
    guard !isBefore, !isBehind else { return }
    if bytesPerRow == other.bytesPerRow {
      let stride = UInt(bytesPerRow)
      let offset = second >= first ? (second - first) % stride : stride - (first - second) % stride
      let length = UInt(description.size.width * description.format.bytesPerPixel)
      let otherLength = UInt(other.description.size.width * other.description.format.bytesPerPixel)
      if offset >= length, offset + otherLength <= stride { return }
    }
    throw Failure(FG_BAD_IMAGE, "the \(name) overlaps the \(other.name)")
  }
}

extension AlphaMode {
  /// In the header's order.
  fileprivate static let numbered: [AlphaMode] = [.straight, .premultiplied, .opaque]

  /// The header's number.
  var number: Int32 { Int32(Self.numbered.firstIndex(of: self) ?? 0) }
}

extension Plan.Input {
  /// Format and alpha by the header's names.
  var headersNames: String {
    let format = Self.names[PixelFormat.all.firstIndex(of: format) ?? 0]
    guard self.format.layout.hasAlpha else { return format }
    return "\(format) and \(["FG_STRAIGHT", "FG_PREMULTIPLIED", "FG_OPAQUE"][Int(alpha.number)])"
  }

  private static let names = [
    "FG_GRAY8", "FG_GRAY16", "FG_GRAYF32", "FG_RGB8", "FG_RGB16", "FG_RGBF32", "FG_RGBA8",
    "FG_RGBA16",
    "FG_RGBAF32",
  ]
}

extension fg_image {
  /// What pixels without gaps between rows are like.
  package init(_ description: Plan.Input, _ data: UnsafeMutableRawPointer?) {
    self.init(
      struct_size: MemoryLayout<fg_image>.stride, data: data, width: Int64(description.size.width),
      height: Int64(description.size.height),
      stride: Int64(description.size.width * description.format.bytesPerPixel),
      format: Int32(PixelFormat.all.firstIndex(of: description.format) ?? -1) + 1,
      alpha: description.alpha.number,
      transfer: description.transfer == .linear ? 1 : 0, reserved: 0)
  }
}

extension Mask {
  /// A caller's mask for pictures of a size.
  init(_ mask: fg_mask, for size: Size) throws {
    var shapes: [MaskShape] = []
    if let regions = mask.regions {
      shapes += try MaskShape.list(text: text(regions, "regions"))
    }
    if let picture = mask.picture {
      shapes.append(.picture(try Self.picture(picture, mask.channel, of: size)))
    }
    guard mask.reserved == 0 else {
      throw Failure(FG_BAD_ARGUMENT, "reserved of the fg_mask is not 0")
    }
    self.init(
      shapes, feather: try Self.length(mask.feather, "feather", isSigned: false),
      grow: try Self.length(mask.grow, "grow", isSigned: true),
      isInverted: try choice(mask.inverted, "inverted", of: [false, true]),
      use: try choice(mask.use, "use", of: [.show, .confine, .scale]))
    // Of a picture in which a detector found nothing, nothing is blurred.
    mayCoverNothing = true
  }

  private static func picture(
    _ image: UnsafePointer<fg_image>, _ channel: Int32, of size: Size
  ) throws -> MaskPicture {
    let checked = try CheckedImage(structure(image, "mask's fg_image"), "mask")
    guard checked.description.size == size else {
      throw Failure(
        FG_BAD_IMAGE, "the mask has \(checked.description.size) pixels, the input \(size)")
    }
    let channel = try choice(
      channel, "channel", of: [MaskChannel.automatic, .luma, .alpha, .red, .green, .blue])
    // The memory is the caller's until this returns.
    return MaskPicture(try Image(checked.source, release: {}), channel)
  }

  private static func length(
    _ start: UnsafePointer<CChar>?, _ name: String, isSigned: Bool
  ) throws -> Length {
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
