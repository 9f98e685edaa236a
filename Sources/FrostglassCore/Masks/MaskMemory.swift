/// Bytes that pictures in masks take.
package struct MaskMemory: Sendable, Hashable {
  /// Bytes as long as the images are there.
  package private(set) var made: Int
  /// Bytes at most while they are made.
  package private(set) var making: Int

  /// Counts the mask images as given, each once, and what each mask makes of them for an image of a size.
  package init(_ masks: [Mask], for size: Size) {
    made = Set(masks.flatMap(\.pictures)).reduce(0) { $0 + MaskPicture.bytes(of: $1.size) }
    making = made
    for mask in masks {
      let own = mask.made(for: size)
      making = max(making, made + own.making)
      made += own.made
    }
  }

  fileprivate init(made: Int, making: Int) { (self.made, self.making) = (made, making) }
}

extension MaskPicture {
  /// Bytes of a mask.
  package static func bytes(of size: Size) -> Int { size.area * MemoryLayout<UInt16>.stride }
}

extension Mask {
  fileprivate var pictures: [MaskPicture] {
    shapes.compactMap { if case .picture(let picture) = $0 { picture } else { nil } }
  }

  /// Bytes of what becomes of its pictures, beside them: as `coverage` and `masking` make it.
  fileprivate func made(for size: Size) -> MaskMemory {
    let whole = MaskPicture.bytes(of: size)
    let isMoved = feather.value != 0 || grow.value != 0
    var (decided, covered, kept) = (0, 0, 0)
    // Temporary memory of one image, freed before the next.
    var (coveredBeside, keptBeside) = (0, 0)
    for picture in pictures {
      let own = MaskPicture.bytes(of: picture.size)
      let isStretched = picture.size != size
      decided += own
      if isMoved || isStretched { covered += whole }
      if isMoved, isStretched { coveredBeside = whole }
      // The hidden and the shown coverage.
      kept += 2 * whole
      if isStretched { keptBeside = max(keptBeside, own + whole) }
    }
    guard redaction != nil else {
      return MaskMemory(made: covered, making: covered + coveredBeside)
    }
    return MaskMemory(
      made: kept, making: max(decided + covered + coveredBeside, kept + keptBeside))
  }

  /// The mask with an outline in place of each mask image: its plan takes about as much memory without any.
  package var withoutPictures: Mask {
    var mask = self
    mask.shapes = shapes.map { shape in
      guard case .picture = shape else { return shape }
      let all = Length(100, .percent)
      return .ellipse(x: 0, y: 0, width: all, height: all)
    }
    (mask.feather, mask.grow) = (0, 0)
    (mask.pictureSizes, mask.refused) = ([], [])
    return mask
  }
}
