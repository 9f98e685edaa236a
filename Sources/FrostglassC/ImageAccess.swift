package import CFrostglass
package import FrostglassCore

/// A caller's image with checked numbers.
package struct CheckedImage {
  /// Size, format, alpha and transfer.
  package let description: Plan.Input
  /// The order of its colors.
  package let order: ChannelOrder
  /// The first row; `nil` if the memory is ignored.
  private let data: UnsafeMutableRawPointer?
  private let bytesPerRow: Int
  /// The image's name in messages.
  private let name: String

  /// The longest side and the largest number of pixels.
  private static let longestSide = 1 << 24
  private static let mostPixels = 1 << 40

  /// Checks an image's description without its memory.
  init(describing image: fg_image, _ name: String) throws {
    self.name = name
    (description, order) = try Self.description(image, name)
    data = nil
    bytesPerRow = description.size.width * description.format.bytesPerPixel
  }

  /// Checks an image with its memory.
  package init(_ image: fg_image, _ name: String) throws {
    self.name = name
    (description, order) = try Self.description(image, name)
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
    // A single row has no next row.
    bytesPerRow = description.size.height == 1 ? length : Int(stride)
  }

  private static func description(
    _ image: fg_image, _ name: String
  ) throws -> (Plan.Input, ChannelOrder) {
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
    guard let format = CallersFormat(number: image.format) else {
      throw Failure(
        FG_BAD_IMAGE,
        "format of the \(name) is \(image.format); it must be from 1 to \(CallersFormat.count)")
    }
    guard image.reserved == 0 else {
      throw Failure(FG_BAD_ARGUMENT, "reserved of the \(name) is \(image.reserved), not 0")
    }
    let description = Plan.Input(
      size: size, format: format.format,
      alpha: try choice(image.alpha, "alpha of the \(name)", of: AlphaMode.numbered),
      transfer: try choice(image.transfer, "transfer of the \(name)", of: [.encoded, .linear]))
    return (description, format.order)
  }

  /// All bytes from the first pixel to the last.
  private var bytes: UnsafeMutableRawBufferPointer {
    let length = description.size.width * description.format.bytesPerPixel
    return UnsafeMutableRawBufferPointer(
      start: data, count: bytesPerRow * (description.size.height - 1) + length)
  }

  /// The memory to read.
  package var source: PixelMemory {
    PixelMemory(description, bytes: UnsafeRawBufferPointer(bytes), bytesPerRow: bytesPerRow)
  }

  /// Returns the pixels as an image. Its memory may be the caller's, so it must be read before the call ends.
  package func image() throws -> Image {
    if order == .rgb { return try Image(source, release: {}) }
    guard
      let image = try PixelInput.memory(source, isBlueFirst: true)
        .gathered(description, nil)
    else {
      throw Failure(FG_FAILED, "the \(name) cannot be read")
    }
    return image
  }

  /// The address of the first pixel; 0 if the memory is ignored.
  var address: UInt { UInt(bitPattern: data) }

  /// Bytes from row to row.
  var pitch: Int { bytesPerRow }

  /// The memory to write.
  var target: MutablePixelMemory { MutablePixelMemory(bytes: bytes, bytesPerRow: bytesPerRow) }

  /// Returns true if both are the same image.
  func isSame(as other: CheckedImage) -> Bool {
    data == other.data && bytesPerRow == other.bytesPerRow && description == other.description
      && order == other.order
  }

  /// Checks that two images share no byte of a pixel.
  ///
  /// Images with equal strides may be side by side in the same rows.
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
  /// The modes in the header's order.
  fileprivate static let numbered: [AlphaMode] = [.straight, .premultiplied, .opaque]

  /// The header's number.
  var number: Int32 { Int32(Self.numbered.firstIndex(of: self) ?? 0) }
}

/// A format of the header: channels, samples, and the order of colors.
struct CallersFormat {
  let format: PixelFormat
  let order: ChannelOrder

  /// The number of formats in the header: those with red first, then those with blue first.
  static let count = 2 * PixelFormat.all.count - grays
  private static let grays = PixelFormat.all.count { $0.layout == .gray }

  /// - Parameter order: ignored for gray.
  init(_ format: PixelFormat, _ order: ChannelOrder) {
    self.format = format
    self.order = format.layout == .gray ? .rgb : order
  }

  /// - Parameter number: the header's number, from 1 on.
  init?(number: Int32) {
    let index = Int(number) - 1
    guard (0..<Self.count).contains(index) else { return nil }
    let isReordered = index >= PixelFormat.all.count
    format = PixelFormat.all[isReordered ? index - PixelFormat.all.count + Self.grays : index]
    order = isReordered ? .bgr : .rgb
  }

  /// The header's number.
  var number: Int32 {
    let index = PixelFormat.all.firstIndex(of: format) ?? -1
    return Int32(index + 1 + (order == .bgr ? PixelFormat.all.count - Self.grays : 0))
  }

  /// The header's name.
  var name: String {
    let channels = order == .bgr ? (format.layout == .rgb ? "BGR" : "BGRA") : "\(format.layout)"
    return "FG_" + "\(channels)\("\(format)".dropFirst("\(format.layout)".count))".uppercased()
  }
}

extension Plan.Input {
  /// Format and alpha by the header's names.
  func headersNames(_ order: ChannelOrder) -> String {
    let name = CallersFormat(format, order).name
    guard format.layout.hasAlpha else { return name }
    return "\(name) and \(["FG_STRAIGHT", "FG_PREMULTIPLIED", "FG_OPAQUE"][Int(alpha.number)])"
  }
}

extension fg_image {
  /// Describes pixels without gaps between rows.
  package init(
    _ description: Plan.Input, _ data: UnsafeMutableRawPointer?, order: ChannelOrder = .rgb
  ) {
    self.init(
      struct_size: MemoryLayout<fg_image>.stride, data: data, width: Int64(description.size.width),
      height: Int64(description.size.height),
      stride: Int64(description.size.width * description.format.bytesPerPixel),
      format: CallersFormat(description.format, order).number,
      alpha: description.alpha.number,
      transfer: description.transfer == .linear ? 1 : 0, reserved: 0)
  }
}

extension Mask {
  /// Reads a caller's mask for images of a size.
  init(_ mask: fg_mask, for size: Size) throws {
    var shapes: [MaskShape] = []
    if let regions = mask.regions {
      shapes += try MaskShape.list(text: text(regions, "regions"))
    }
    if let picture = mask.picture {
      shapes.append(.picture(try Self.picture(picture, mask.channel, of: size)))
    }
    let use = try choice(mask.use, "use", of: MaskUse.allCases)
    self.init(
      shapes, feather: try Self.length(mask.feather, "feather", isSigned: false),
      grow: try Self.length(mask.grow, "grow", isSigned: true),
      isInverted: try choice(mask.inverted, "inverted", of: [false, true]),
      use: use.use, redaction: try Self.redaction(use, mask.color))
    // If a detector found nothing, nothing is blurred. A redaction of nothing is an error.
    mayCoverNothing = redaction == nil
    if redaction != nil { refused = Set(MaskWarning.Kind.allCases) }
  }

  /// The header's uses, in its order.
  private enum MaskUse: CaseIterable {
    case show, confine, scale, redact, redactWithColor

    var use: Use {
      switch self {
      case .confine: .confine
      case .scale: .scale
      case .show, .redact, .redactWithColor: .show
      }
    }
  }

  private static func redaction(_ use: MaskUse, _ color: Int32) throws -> Redaction? {
    guard use == .redactWithColor else {
      guard color == 0 else {
        throw Failure(
          FG_BAD_ARGUMENT, "color of the fg_mask is \(color); it is of FG_MASK_REDACT_COLOR alone")
      }
      return use == .redact ? Redaction(.surroundings) : nil
    }
    guard (0...0xFF_FFFF).contains(color) else {
      throw Failure(
        FG_BAD_ARGUMENT, "color of the fg_mask is \(color); it must be from 0 to 0xFFFFFF")
    }
    func part(_ shift: Int32) -> Double { Double(color >> shift & 0xFF) / 255 }
    return Redaction(.color, color: Color(red: part(16), green: part(8), blue: part(0)))
  }

  private static func picture(
    _ image: UnsafePointer<fg_image>, _ channel: Int32, of size: Size
  ) throws -> MaskImage {
    let checked = try CheckedImage(structure(image, "mask's fg_image"), "mask")
    guard checked.description.size == size else {
      throw Failure(
        FG_BAD_IMAGE, "the mask has \(checked.description.size) pixels, the input \(size)")
    }
    let channel = try choice(
      channel, "channel", of: [MaskChannel.automatic, .luma, .alpha, .red, .green, .blue])
    return MaskImage(try checked.image(), channel)
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
