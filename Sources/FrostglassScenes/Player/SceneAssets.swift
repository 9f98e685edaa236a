public import Frostglass
internal import FrostglassBackends
internal import FrostglassCore
internal import FrostglassStills
internal import Glibc

/// Loads what a scene's storyboard asks for.
struct SceneAssets {
  let file: SceneFile
  let decoder: StillDecoder
  /// The selector of the backend that renders the scrolled content.
  let selector: BackendSelector
  /// Opens videos; `nil` takes y4m alone.
  let videos: (any VideoFiles)?

  /// - Throws: `FrostglassError.element` for an image that is missing or damaged and a text that cannot
  ///   be drawn, with `.decode` or `.lettering` in it; `.plan` and `.execute` for the content.
  func load(_ storyboard: Storyboard) async throws(FrostglassError) -> SceneImages {
    try await load(storyboard.assets, sheet: storyboard.sheet)
  }

  private func load(
    _ assets: [Asset], sheet: ContentSheet?
  ) async throws(FrostglassError) -> SceneImages {
    var images = SceneImages()
    var pixels = 0
    // What the document says is known before the first is made.
    for asset in assets {
      if let size = asset.size { try count(size, &pixels) }
    }
    for asset in assets {
      switch asset {
      case .picture(let path, let size) where SceneClip.isNamed(path) || VideoName.isVideo(path):
        try await append(path, size, to: &images)
      case .picture(let path, let size):
        images.append(
          try picture(path, size) { source, size throws(DecodeError) in
            try decoder.picture(source, size)
          })
      case .mask(let path, let size):
        images.append(
          try picture(path, size) { source, size throws(DecodeError) in
            try decoder.mask(source, size)
          })
      case .text(let text, let font, let size, let alignment, let wrapWidth):
        let drawn = try lettering(
          text,
          TextStyle(
            font: font, size: size, wrapWidth: wrapWidth, alignment: TextAlignment(alignment)))
        try count(drawn.size, &pixels)
        images.append(drawn)
      case .symbol(let symbol, let size, let weight, let level):
        images.append(symbol.picture(in: size, weight: weight, level: level))
      case .gradient(let colors, let angle, let size):
        images.append(GradientImage.picture(colors, angle: angle, size))
      case .content:
        guard let sheet else { continue }
        try await images.append(
          sheet, of: load(sheet.assets, sheet: nil), by: SceneRenderer(backend: selector.cpu))
      }
    }
    return images
  }

  /// Counts an image of a scene; all together are limited as one image is.
  private func count(_ size: Size, _ pixels: inout Int) throws(FrostglassError) {
    pixels += size.area
    let limit = decoder.options.maxPixels
    guard pixels <= limit else {
      throw .plan(.tooLarge(size, limit: "\(limit) pixels for all images of a scene together"))
    }
  }

  /// A video.
  private func append(
    _ name: String, _ size: Asset.ImageSize, to images: inout SceneImages
  ) async throws(FrostglassError) {
    do {
      let video = try await open(name)
      let shown: Size =
        switch size {
        case .width(let width): ImageSize.width(width).size(of: video.size)
        case .frame(let frame, .stretch): frame
        case .frame(let frame, let fit): frame.filled(with: video.size, fit)
        }
      try await images.append(video, shown)
    } catch { throw file.located(error, at: ["image", "images"]) { $0 == name } }
  }

  private func open(_ name: String) async throws(FrostglassError) -> any VideoShow {
    guard case .file(let path) = try mapped(FrostglassError.decode, file.source(of: name)) else {
      throw .decode(.unsupportedKind(name: name, found: "a video that is no file"))
    }
    let maxPixels = decoder.options.maxPixels
    if SceneClip.isNamed(path) {
      return try SceneClip(path, named: path, maxPixels: maxPixels, on: selector.cpu)
    }
    guard let videos else {
      throw .video(
        "\(path): videos are read by the program frostglass-video; give a video as y4m here")
    }
    do {
      return try await videos.show(path, maxPixels: maxPixels, on: Pipeline(selector: selector))
    } catch {
      switch error {
      case .unreadable where access(path.systemPath, F_OK) != 0: throw .decode(.missing(path: path))
      case .unreadable(_, let reason): throw .decode(.unreadable(path: path, reason: reason))
      case .renderer(let error): throw error
      default: throw .video("\(error)")
      }
    }
  }

  private func picture(
    _ name: String, _ size: Asset.ImageSize,
    _ load: (StillSource, ImageSize) throws(DecodeError) -> Image
  ) throws(FrostglassError) -> Image {
    do {
      let source = try file.source(of: name)
      switch size {
      case .width(let width): return try load(source, .width(width))
      case .frame(let frame, .stretch): return try load(source, .exact(frame))
      case .frame(let frame, let fit):
        let own = try decoder.header(of: source).size
        return try load(source, .exact(frame.filled(with: own, fit)))
      }
    } catch { throw file.located(.decode(error), at: ["image", "images", "mask"]) { $0 == name } }
  }

  private func lettering(_ text: String, _ style: TextStyle) throws(FrostglassError) -> Image {
    do { return try TextImage(text, style).boxed } catch {
      if case .noFont = error {
        throw file.located(.lettering(error), at: ["font", "text"]) {
          $0 == style.font || $0 == text
        }
      }
      // Of rows it is the text with their number in it; values have become numbers, too.
      let whole = file.located(.lettering(error), at: ["text"]) { $0 == text }
      guard case .lettering = whole else { throw whole }
      throw file.located(.lettering(error), at: ["text"]) { $0.mayBecome(text) }
    }
  }
}

extension Asset {
  /// The pixels that it is made of, where the document says how many.
  fileprivate var size: Size? {
    switch self {
    case .picture(_, .frame(let size, _)), .mask(_, .frame(let size, _)): size
    case .symbol(_, let size, _, _), .gradient(_, _, let size): size
    case .picture, .mask, .text, .content: nil
    }
  }
}

/// Colors that flow into each other along a way through an image.
enum GradientImage {
  /// - Parameters:
  ///   - colors: two or more, at equal distances. Between two, what they add to an image changes
  ///     evenly, so that a transparent one has no color.
  ///   - angle: of the way, in degrees clockwise from up. As in CSS it is as long as it takes for the
  ///     corners to have the first and the last color.
  static func picture(_ colors: [Color], angle: Double, _ size: Size) -> Image {
    var image = Image(
      zeros: Size(width: max(size.width, 1), height: max(size.height, 1)), format: .rgba8)
    let (width, height) = (Double(image.size.width), Double(image.size.height))
    let (right, down) = (sin(angle * .pi / 180), -cos(angle * .pi / 180))
    let length = max(abs(width * right) + abs(height * down), 1)
    for y in 0..<image.size.height {
      for x in 0..<image.size.width {
        let along = (Double(x) + 0.5 - width / 2) * right + (Double(y) + 0.5 - height / 2) * down
        let color = color(of: colors, at: along / length + 0.5)
        let pixel = y * image.bytesPerRow + 4 * x
        for (channel, value) in [color.red, color.green, color.blue, color.alpha].enumerated() {
          image.bytes[pixel + channel] = UInt8((min(max(value, 0), 1) * 255).rounded())
        }
      }
    }
    return image
  }

  private static func color(of colors: [Color], at share: Double) -> Color {
    let place = min(max(share, 0), 1) * Double(colors.count - 1)
    let index = min(Int(place), colors.count - 2)
    let (a, b, t) = (colors[index], colors[index + 1], place - Double(index))
    let alpha = a.alpha + (b.alpha - a.alpha) * t
    guard alpha > 0 else { return Color(white: 0, alpha: 0) }
    let mixed = (a.components * (a.alpha * (1 - t)) + b.components * (b.alpha * t)) / alpha
    return Color(red: mixed.x, green: mixed.y, blue: mixed.z, alpha: alpha)
  }
}

extension SceneFile {
  /// True if the scene shows videos other than y4m, which `VideoFiles` reads.
  package var needsVideos: Bool {
    guard let storyboard = try? Storyboard(document) else { return false }
    return (storyboard.assets + (storyboard.sheet?.assets ?? [])).contains { asset in
      if case .picture(let path, _) = asset { VideoName.isVideo(path) } else { false }
    }
  }
}

extension FrostglassError {
  /// Wraps a scene's error, at its stage.
  init(_ error: SceneError) {
    switch error {
    case .plan(let error): self = .plan(error)
    case .backend(let error): self = .execute(error)
    }
  }
}

extension String {
  /// Returns true if this is a template with a row's number or values in it that can expand to a text.
  fileprivate func mayBecome(_ text: String) -> Bool {
    guard let start = firstIndex(of: "{"), let end = lastIndex(of: "}"), start < end else {
      return false
    }
    return text.hasPrefix(self[..<start]) && text.hasSuffix(self[index(after: end)...])
  }
}

extension TextAlignment {
  fileprivate init(_ alignment: TextDocument.Alignment) {
    switch alignment {
    case .left: self = .left
    case .center: self = .center
    case .right: self = .right
    }
  }
}

extension Size {
  /// The size in which an image of another covers this one, or is contained in it.
  fileprivate func filled(with own: Size, _ fit: ImageFit) -> Size {
    let frame = LayoutSize(width: Double(width), height: Double(height))
    let factors = fit.factors(from: own, to: frame)
    return Size(
      width: max(1, Int((Double(own.width) * factors.x).rounded())),
      height: max(1, Int((Double(own.height) * factors.y).rounded())))
  }
}

extension TextImage {
  /// The text's box as an image: with as much room at opposite sides as ink stands out of either.
  fileprivate var boxed: Image {
    let (inkWidth, inkHeight) = (image.size.width, image.size.height)
    let room = (
      x: max(0, -left, left + inkWidth - width), y: max(0, -top, top + inkHeight - height)
    )
    var box = Image(
      zeros: Size(width: max(width, 1) + 2 * room.x, height: max(height, 1) + 2 * room.y),
      format: .gray8)
    for y in 0..<inkHeight {
      let from = y * image.bytesPerRow
      let to = (y + top + room.y) * box.bytesPerRow + left + room.x
      box.bytes.replaceSubrange(to..<to + inkWidth, with: image.bytes[from..<from + inkWidth])
    }
    return box
  }
}

/// A scene's images, in the order of its assets. Some of them may be videos.
struct SceneImages: Sendable {
  /// As they are now.
  private(set) var images: [Image] = []
  private var clips: [Clip] = []
  /// The scrolled content, if a video is in it; one or none.
  private var contents: [Content] = []

  private struct Clip: Sendable {
    let index: Int
    let clip: any VideoShow
    /// The size to which its frames are scaled.
    let size: Size

    func picture(at time: Double) async throws(FrostglassError) -> Image? {
      guard let image = try await clip.picture(at: time) else { return nil }
      return try mapped(FrostglassError.decode, image.scaled(to: size, .sharp))
    }
  }

  private struct Content: Sendable {
    let index: Int
    let sheet: ContentSheet
    var pictures: SceneImages
    var renderer: SceneRenderer

    mutating func image() async throws(FrostglassError) -> Image {
      do {
        let scene = try sheet.scene(pictures.images.map { Plan.Input($0) })
        return try await renderer.render(scene, pictures.images).image
      } catch { throw FrostglassError(error) }
    }
  }

  /// True if any image moves.
  var areMoving: Bool { !clips.isEmpty || !contents.isEmpty }

  mutating func append(_ image: Image) { images.append(image) }

  /// A video, at its beginning.
  ///
  /// - Parameter size: the size to which its frames are scaled.
  mutating func append(_ video: any VideoShow, _ size: Size) async throws(FrostglassError) {
    let clip = Clip(index: images.count, clip: video, size: size)
    guard let first = try await clip.picture(at: 0) else {
      preconditionFailure("a video begins with a frame")
    }
    clips.append(clip)
    images.append(first)
  }

  /// The long image that scrolls, made of others.
  mutating func append(
    _ sheet: ContentSheet, of pictures: SceneImages, by renderer: SceneRenderer
  ) async throws(FrostglassError) {
    var content = Content(
      index: images.count, sheet: sheet, pictures: pictures, renderer: renderer)
    images.append(try await content.image())
    if pictures.areMoving { contents.append(content) }
  }

  /// Lets time pass.
  ///
  /// - Parameter time: in seconds, not before the last one.
  /// - Returns: true if any image is another one.
  mutating func move(to time: Double) async throws(FrostglassError) -> Bool {
    var isNew = false
    for clip in clips {
      guard let image = try await clip.picture(at: time) else { continue }
      images[clip.index] = image
      isNew = true
    }
    for place in contents.indices {
      guard try await contents[place].pictures.move(to: time) else { continue }
      contents[place].renderer.forget()
      images[contents[place].index] = try await contents[place].image()
      isNew = true
    }
    return isNew
  }
}

/// A scene file that was read, with the folder that its images are found from.
public struct SceneFile: Sendable {
  /// The path of the scene file.
  public let path: String
  /// The parsed scene.
  package let document: SceneDocument
  /// Images that came with it; `nil` where they are files.
  private let pictures: [String: [UInt8]]?
  /// The document's text, in which names are located.
  package let text: String

  /// Reads a scene file.
  ///
  /// - Parameter appearance: light or dark, for what the scene has twice; `nil` is what it says itself.
  /// - Throws: `FrostglassError.scene` when the file is not there, cannot be read, or has a mistake.
  public init(
    _ path: String, appearance: FilterChain.Appearance? = nil
  ) throws(FrostglassError) {
    try self.init(path, try Self.contents(path, named: path), pictures: nil, appearance)
  }

  /// - Parameter name: for messages.
  private static func contents(
    _ path: String, named name: String
  ) throws(FrostglassError) -> String {
    do { return try TextFile.contents(path, most: 16) } catch {
      switch error {
      case .missing: throw .scene(.missing(path: name))
      case .unreadable(let reason): throw .scene(.unreadable(path: name, reason: reason))
      case .notText(let place):
        throw .scene(.malformed(path: name, mistake: "\(place.short): \(TextFile.notUTF8)"))
      }
    }
  }

  /// Reads a scene from standard input; its images are found from the current folder.
  ///
  /// - Parameter appearance: as of a file.
  /// - Throws: `FrostglassError.scene` when it cannot be read or has a mistake.
  public static func standardInput(
    appearance: FilterChain.Appearance? = nil
  ) throws(FrostglassError) -> SceneFile {
    let name = "standard input"
    let text = try contents("/dev/stdin", named: name)
    return try SceneFile(name, text, pictures: nil, appearance)
  }

  /// Reads a scene from memory, which opens no file.
  ///
  /// - Parameter pictures: image files by the names that the scene has for them.
  /// - Throws: `FrostglassError.scene` when it has a mistake.
  public init(text: String, pictures: [String: [UInt8]]) throws(FrostglassError) {
    try self.init("the scene", text, pictures: pictures, nil)
  }

  private init(
    _ path: String, _ text: String, pictures: [String: [UInt8]]?,
    _ appearance: FilterChain.Appearance?
  ) throws(FrostglassError) {
    self.path = path
    self.pictures = pictures
    self.text = text
    do {
      document = try SceneDocument(json: text, appearance: appearance)
    } catch { throw FrostglassError(error, in: path) }
  }

  /// The duration of the scene, in seconds; 0 for one that does not move.
  public var duration: Double { document.duration }

  /// The pixels of its canvas.
  public var size: Size { document.canvas.pixels }

  /// An image that the document names.
  ///
  /// - Throws: `DecodeError.missing` for one that did not come with a scene from memory.
  func source(of picture: String) throws(DecodeError) -> StillSource {
    guard let pictures else { return .file(resolved(picture)) }
    guard let bytes = pictures[picture] else { throw .missing(path: picture) }
    return .bytes(bytes)
  }

  /// The same error with the place where the document first names what it is about.
  ///
  /// - Parameters:
  ///   - names: of members, the ones before the others.
  ///   - isMeant: true if a value is it.
  func located(
    _ error: FrostglassError, at names: [String], _ isMeant: (String) -> Bool
  ) -> FrostglassError {
    guard let found = SceneDocument.place(in: text, of: names, isMeant) else { return error }
    return .element(place: "\(path):\(found)", error)
  }

  /// The paths of the images, videos and masks that the scene shows.
  package var shownFiles: [String] {
    guard pictures == nil, let storyboard = try? Storyboard(document) else { return [] }
    return (storyboard.assets + (storyboard.sheet?.assets ?? [])).compactMap { asset in
      switch asset {
      case .picture(let path, _), .mask(let path, _): resolved(path)
      default: nil
      }
    }
  }

  /// Returns the path of an image that the document names.
  private func resolved(_ picture: String) -> String {
    guard !picture.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return picture }
    return path[...slash] + picture
  }
}

extension FrostglassError {
  /// A mistake in a scene file.
  init(_ error: DocumentError, in path: String) {
    self = .scene(.malformed(path: path, mistake: "\(error)"))
  }
}
