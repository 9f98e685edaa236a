/// What leaves it open whether a mask covers what was meant.
public struct MaskDoubt: Sendable, Hashable, CustomStringConvertible {
  /// What kinds there are.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A shape covers nothing of the picture, as it lies outside it.
    case outside
    /// The mask, or the picture in which its shapes were found, has another size than the picture.
    case otherSize = "other-size"
    /// The mask is the alpha channel of a picture that has none, and so covers everything.
    case noAlpha = "no-alpha"
  }

  /// What kind of doubt it is.
  public let kind: Kind
  /// Which of the mask's shapes it is about, counted from 0; `nil` for all of them.
  public let shape: Int?
  /// What was found, in words for the one who gave the mask.
  public let description: String
}

extension Mask {
  /// What is doubtful where the mask is used for a picture of a size.
  ///
  /// - Parameter scale: pixels per point.
  public func doubts(in size: Size, scale: Double = 1) -> [MaskDoubt] {
    var doubts: [MaskDoubt] = []
    if let pictureSize, pictureSize != size {
      doubts.append(
        MaskDoubt(
          kind: .otherSize, shape: nil,
          description: "regions were found in a picture of \(pictureSize), this one has \(size)"))
    }
    for (index, shape) in shapes.enumerated() {
      if case .picture(let picture) = shape {
        doubts += picture.doubts(in: size, shape: index)
      } else if (try? shape.bounds(in: size, scale: scale)) == .some(nil) {
        doubts.append(
          MaskDoubt(
            kind: .outside, shape: index,
            description:
              "region \(index + 1), \(shape), is outside the picture of \(size) and covers nothing")
        )
      }
    }
    return doubts
  }

  /// Refuses what is doubtful, as far as it is not allowed.
  ///
  /// - Throws: `PlanError.doubtful`.
  func checkDoubts(in size: Size, scale: Double) throws(PlanError) {
    guard !refused.isEmpty else { return }
    let doubts = doubts(in: size, scale: scale).filter { refused.contains($0.kind) }
    guard doubts.isEmpty else { throw .doubtful(doubts) }
  }
}

extension MaskPicture {
  fileprivate func doubts(in target: Size, shape: Int) -> [MaskDoubt] {
    var doubts: [MaskDoubt] = []
    if size != target {
      doubts.append(
        MaskDoubt(
          kind: .otherSize, shape: shape,
          description: "the mask has \(size) pixels and is stretched to the picture's \(target)"))
    }
    if lacksAlpha {
      doubts.append(
        MaskDoubt(
          kind: .noAlpha, shape: shape,
          description: "the mask has no alpha channel to be taken, so that it covers everything"))
    }
    return doubts
  }
}
