internal import Frostglass
internal import FrostglassCore

/// A scene's images, in the order of its assets. Some of them may be videos.
struct ScenePictures: Sendable {
  /// As they are now.
  private(set) var images: [Image] = []
  private var clips: [Clip] = []
  /// The scrolled content, if a video is in it; one or none.
  private var contents: [Content] = []

  private struct Clip: Sendable {
    let index: Int
    let clip: any FilmShow
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
    var pictures: ScenePictures
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
  mutating func append(_ film: any FilmShow, _ size: Size) async throws(FrostglassError) {
    let clip = Clip(index: images.count, clip: film, size: size)
    guard let first = try await clip.picture(at: 0) else {
      preconditionFailure("a video begins with a frame")
    }
    clips.append(clip)
    images.append(first)
  }

  /// The long image that scrolls, made of others.
  mutating func append(
    _ sheet: ContentSheet, of pictures: ScenePictures, by renderer: SceneRenderer
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
