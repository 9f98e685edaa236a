public import FrostglassCore

/// The motion from one small plane to the next, per block, computed on demand.
///
/// The motion of a block of 8 × 8 samples leads to its most similar copy. Blocks without structure, or without a
/// similar copy, have no motion.
struct Motion {
  /// The motion of a box, in samples of the plane.
  struct Step {
    var x: Double
    var y: Double
    /// True if blocks of the box itself say it, false if it is the whole image's.
    var isSure: Bool
  }

  private struct Vector {
    var x: Float
    var y: Float
  }

  private static let block = 8
  /// Distance of blocks.
  private static let grid = 4
  /// The farthest that is looked, in samples.
  private static let reach = 16
  /// The mean difference of samples from their block's mean that makes a structure.
  private static let leastStructure = 3
  /// Blocks that are asked along a side of a box, at most.
  private static let mostAlongSide = 5

  private let from: LumaPlane
  private let to: LumaPlane
  private var known: [Int: Vector?] = [:]
  private var shift: Step?

  init(from: LumaPlane, to: LumaPlane) {
    (self.from, self.to) = (from, to)
  }

  /// The motion of what is in a box, in samples of the plane.
  mutating func step(of box: FoundBox) -> Step {
    let columns = Self.places(from: box.left, to: box.right, within: from.width)
    let rows = Self.places(from: box.top, to: box.bottom, within: from.height)
    if let found = middle(columns, rows) { return found }
    return wholeShift()
  }

  /// The motion of the whole image.
  private mutating func wholeShift() -> Step {
    if let shift { return shift }
    // While this is not known, blocks look around where they are.
    shift = Step(x: 0, y: 0, isSure: false)
    let columns = stride(from: 2, to: from.width / Self.grid - 1, by: 10)
    let rows = stride(from: 2, to: from.height / Self.grid - 1, by: 8)
    var found = middle(Array(columns), Array(rows)) ?? Step(x: 0, y: 0, isSure: false)
    found.isSure = false
    known = [:]
    shift = found
    return found
  }

  /// Numbers of blocks whose centers are in the inner part of a side, or next to its middle.
  private static func places(from start: Double, to end: Double, within length: Int) -> [Int] {
    let inset = (end - start) * 0.1
    let last = max(length / grid - 1, 1)
    func place(_ at: Double) -> Int { Int(min(max(at, 0), Double(length)) / Double(grid)) }
    let middle = min(max(place((start + end) / 2), 1), last)
    let (low, high) = (place(start + inset) + 1, place(end - inset))
    guard low < high else { return [middle] }
    let step = max((high - low + mostAlongSide - 1) / mostAlongSide, 1)
    let places = stride(from: low, through: high, by: step).filter { (1...last).contains($0) }
    return places.isEmpty ? [middle] : places
  }

  /// The middle of blocks' motions; `nil` where none has one.
  private mutating func middle(_ columns: [Int], _ rows: [Int]) -> Step? {
    var (across, down): ([Float], [Float]) = ([], [])
    for row in rows {
      for column in columns {
        guard let vector = vector(column, row) else { continue }
        across.append(vector.x)
        down.append(vector.y)
      }
    }
    guard !across.isEmpty else { return nil }
    func middle(_ values: [Float]) -> Double {
      let sorted = values.sorted()
      return Double(sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
    return Step(x: middle(across), y: middle(down), isSure: true)
  }

  private mutating func vector(_ column: Int, _ row: Int) -> Vector? {
    let key = row << 16 | column
    if let found = known[key] { return found }
    let guess = wholeShift()
    let found = search(column, row, around: (Int(guess.x.rounded()), Int(guess.y.rounded())))
    known[key] = .some(found)
    return found
  }

  /// Looks for a block around where it was, and around where the whole image's motion takes it.
  private func search(_ column: Int, _ row: Int, around guess: (x: Int, y: Int)) -> Vector? {
    let (size, width, height) = (Self.block, from.width, from.height)
    guard width >= size, height >= size, to.width == width, to.height == height else { return nil }
    let left = min(max(column * Self.grid - size / 2, 0), width - size)
    let top = min(max(row * Self.grid - size / 2, 0), height - size)
    return from.samples.withUnsafeBufferPointer { near in
      to.samples.withUnsafeBufferPointer { far in
        let structure = Self.structure(near, top * width + left, width)
        guard structure >= Self.leastStructure * size * size else { return nil }
        var best = (cost: Int.max, x: 0, y: 0)
        func cost(_ x: Int, _ y: Int, below limit: Int) -> Int? {
          guard left + x >= 0, top + y >= 0, left + x + size <= width, top + y + size <= height
          else { return nil }
          return Self.cost(
            near, top * width + left, far, (top + y) * width + left + x, width, below: limit)
        }
        func look(_ x: Int, _ y: Int) {
          if let cost = cost(x, y, below: best.cost) { best = (cost, x, y) }
        }
        func lookAround() {
          var center: (x: Int, y: Int)
          repeat {
            center = (best.x, best.y)
            for y in -1...1 { for x in -1...1 { look(center.x + x, center.y + y) } }
          } while (best.x, best.y) != center
        }
        look(0, 0)
        look(guess.x, guess.y)
        lookAround()
        // What has hardly changed is found where it was expected; the rest may be anywhere.
        if best.cost > structure / 4 {
          for center in guess == (0, 0) ? [(0, 0)] : [(0, 0), guess] {
            for y in stride(from: -Self.reach, through: Self.reach, by: 2) {
              for x in stride(from: -Self.reach, through: Self.reach, by: 2) {
                look(center.0 + x, center.1 + y)
              }
            }
          }
          lookAround()
        }
        // What is like no place has been covered, or has left.
        guard best.cost < structure else { return nil }
        func part(_ before: Int?, _ after: Int?) -> Float {
          guard let before, let after else { return 0 }
          let bend = before + after - 2 * best.cost
          return bend > 0 ? min(max(Float(before - after) / Float(2 * bend), -0.5), 0.5) : 0
        }
        let (x, y) = (best.x, best.y)
        return Vector(
          x: Float(x) + part(cost(x - 1, y, below: .max), cost(x + 1, y, below: .max)),
          y: Float(y) + part(cost(x, y - 1, below: .max), cost(x, y + 1, below: .max)))
      }
    }
  }

  /// The sum of differences of a block's samples from their mean.
  private static func structure(
    _ samples: UnsafeBufferPointer<UInt8>, _ start: Int, _ width: Int
  ) -> Int {
    var sum = 0
    for y in 0..<block { for x in 0..<block { sum += Int(samples[start + y * width + x]) } }
    let mean = sum / (block * block)
    var differences = 0
    for y in 0..<block {
      for x in 0..<block { differences += abs(Int(samples[start + y * width + x]) - mean) }
    }
    return differences
  }

  /// The sum of differences of two blocks' samples; `nil` where it is not below a limit.
  private static func cost(
    _ near: UnsafeBufferPointer<UInt8>, _ start: Int, _ far: UnsafeBufferPointer<UInt8>,
    _ place: Int, _ width: Int, below limit: Int
  ) -> Int? {
    var sum = 0
    for y in 0..<block {
      let (one, other) = (start + y * width, place + y * width)
      for x in 0..<block { sum += abs(Int(near[one + x]) - Int(far[other + x])) }
      if sum >= limit { return nil }
    }
    return sum
  }
}

/// Finds cuts: frames that differ from the one before much more than the frames on both sides do.
///
/// A frame's verdict comes one frame later, as it takes both sides: a video that is played backward has the same cuts,
/// and a flash is none.
package struct CutFinder {
  /// The number of frames by which a verdict is late.
  package static let delay = 1
  private static let columns = 64
  /// Less is no cut, whatever the neighbors.
  private static let least = 12.0

  private var last: LumaPlane?
  /// The difference of each frame from the one before; 0 for the first.
  private var differences: [Double] = []
  /// The number of the first of these.
  private var first = 0

  /// Creates one for a video.
  package init() {}

  /// Takes the next frame.
  package mutating func add(_ plane: LumaPlane) {
    let small = plane.shrunk(to: Self.columns)
    differences.append(last.map(small.difference(from:)) ?? 0)
    last = small
    if differences.count > 2 * Self.delay + 4 {
      differences.removeFirst()
      first += 1
    }
  }

  /// True if a shot begins with a frame, one of the last that were added.
  package func beginsShot(_ frame: Int) -> Bool {
    guard frame > 0 else { return true }
    let own = differences[frame - first]
    guard own > Self.least else { return false }
    let near = [frame - 1, frame + 1].filter { $0 > 0 && $0 - first < differences.count }
    return near.allSatisfy { own > 3 * differences[$0 - first] }
  }
}

/// A small image of brightness alone, by which frames are compared and things followed.
public struct LumaPlane: Sendable, Hashable {
  /// The width that frames are shrunk to; smaller ones stay as they are.
  public static let usualWidth = 320

  /// Samples of a row.
  public let width: Int
  /// Rows.
  public let height: Int
  /// Codes from 0, black, to 255, row by row.
  public let samples: [UInt8]

  /// Creates a plane.
  ///
  /// - Parameter samples: `width` × `height` codes.
  public init(width: Int, height: Int, samples: [UInt8]) {
    precondition(width > 0 && height > 0 && samples.count == width * height)
    (self.width, self.height, self.samples) = (width, height, samples)
  }

  /// Shrinks an image to the mean brightness of its parts.
  ///
  /// - Parameters:
  ///   - image: an image of 8-bit red, green and blue.
  ///   - mostColumns: the width of the plane, unless the image is smaller.
  public init(shrinking image: Image, to mostColumns: Int = usualWidth) {
    precondition(image.format == .rgb8)
    let (from, rowBytes) = (image.size, image.bytesPerRow)
    self = image.withUnsafeBytes { bytes in
      // Brightness of a frame's row is summed at once, as a frame has a hundred times the plane's samples.
      Self.shrunk(from, to: mostColumns) { y, x in
        let at = y * rowBytes + 3 * x
        return (77 * Int(bytes[at]) + 150 * Int(bytes[at + 1]) + 29 * Int(bytes[at + 2])) >> 8
      }
    }
  }

  /// Shrinks the plane further.
  func shrunk(to mostColumns: Int) -> LumaPlane {
    samples.withUnsafeBufferPointer { samples in
      Self.shrunk(Size(width: width, height: height), to: mostColumns) { y, x in
        Int(samples[y * width + x])
      }
    }
  }

  @inline(__always) private static func shrunk(
    _ from: Size, to mostColumns: Int, _ sample: (_ y: Int, _ x: Int) -> Int
  ) -> LumaPlane {
    let width = min(mostColumns, from.width)
    let height = max(1, (from.height * width + from.width / 2) / from.width)
    var samples = [UInt8](repeating: 0, count: width * height)
    var sums = [Int](repeating: 0, count: width)
    for y in 0..<height {
      let top = y * from.height / height
      let bottom = max((y + 1) * from.height / height, top + 1)
      for x in 0..<width { sums[x] = 0 }
      for row in top..<bottom {
        var (x, end) = (0, from.width / width)
        for column in 0..<from.width {
          if column == end {
            x += 1
            end = (x + 1) * from.width / width
          }
          sums[x] += sample(row, column)
        }
      }
      for x in 0..<width {
        let columns = (x + 1) * from.width / width - x * from.width / width
        let count = columns * (bottom - top)
        samples[y * width + x] = UInt8(clamping: (sums[x] + count / 2) / count)
      }
    }
    return LumaPlane(width: width, height: height, samples: samples)
  }

  /// The mean difference of samples, from 0 to 255; that of planes of other sizes is the largest.
  func difference(from other: LumaPlane) -> Double {
    guard width == other.width, height == other.height else { return 255 }
    var sum = 0
    for index in samples.indices { sum += abs(Int(samples[index]) - Int(other.samples[index])) }
    return Double(sum) / Double(samples.count)
  }
}
