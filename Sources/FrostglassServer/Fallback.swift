internal import Frostglass
internal import FrostglassCore
package import FrostglassOptions

/// The image that who asked for one gets in place of a problem document, so that a page shows it.
package struct Fallback: Sendable {
  private let bytes: [UInt8]
  private let type: String
  private let status: Int?
  /// The largest such file, in bytes.
  private static let mostBytes = 4 << 20

  /// - Parameters:
  ///   - path: the file, which is given out as it is.
  ///   - status: the status of the answer; `nil` for the problem's.
  /// - Throws: `Failure` where that is no image file.
  package init(_ path: String, status: Int?) throws(Failure) {
    do { bytes = try bytesOfFile(path, most: Self.mostBytes) } catch {
      switch error {
      case .system: throw Failure("\(path): cannot be read (\(error.words))", .noInput)
      case .tooLarge:
        throw Failure(
          "\(path): has more than \(ByteCount(Self.mostBytes)) for --fallback", .badData)
      }
    }
    guard let format = StillFormat(signature: bytes) else {
      throw Failure("\(path): is not a \(StillFormat.names("or")) file, for --fallback", .badData)
    }
    type = format.mediaType
    self.status = status
  }

  /// Puts the image in a problem's place where an image was asked for. The problem is named in the head, and kept
  /// for the record.
  func replace(_ response: inout Response, to context: RequestContext) {
    guard response["content-type"] == Problem.contentType, context.route.isWork,
      ["GET", "HEAD"].contains(context.head.method), context.head.wantsImage
    else { return }
    response.problem = response.body
    response.headers.removeAll { $0.name == "Content-Type" }
    response.headers += [
      Field("Content-Type", type),
      Field(
        "X-Frostglass-Problem",
        Problem.kind(of: response.body).map { Problem.typePrefix + $0 } ?? "about:blank"),
    ]
    response.body = bytes
    if let status { response.status = status }
  }
}

extension RequestHead {
  /// True if `Accept` names images, as browsers do for `<img>`. Programs that read problem documents do not.
  fileprivate var wantsImage: Bool {
    AcceptedRange.list(all("accept").joined(separator: ",")).contains {
      $0.type.hasPrefix("image/") && $0.quality > 0
    }
  }
}
