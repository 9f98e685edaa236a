import FrostglassFind
import TestSupport

/// A video of planes with things that move over a background, all of noise that is smooth enough to be followed.
struct SyntheticVideo {
  /// Of frames, four times that of planes.
  static let (width, height) = (384, 216)
  static let scale = 4.0

  /// A thing on a straight way.
  struct Thing {
    var x: Double
    var y: Double
    var side = 40.0
    var speed: (x: Double, y: Double)
    var seed: UInt64 = 5

    /// Its box in a frame.
    func box(_ frame: Int) -> FoundBox {
      let left = x + speed.x * Double(frame)
      let top = y + speed.y * Double(frame)
      return FoundBox(left: left, top: top, right: left + side, bottom: top + side)
    }
  }

  var frames: Int
  var things: [Thing]
  var background: UInt64 = 1
  /// Behind a cut another background is to be seen.
  var cut = Int.max

  /// The brightness of a smooth noise at a place, 0…255.
  static func noise(_ x: Double, _ y: Double, _ seed: UInt64) -> Double {
    let (column, row) = (x.rounded(.down), y.rounded(.down))
    func corner(_ across: Double, _ down: Double) -> Double {
      let key = Int64(column + across) &* 73_856_093 ^ Int64(row + down) &* 19_349_663
      var numbers = SplitMix(state: UInt64(bitPattern: key) ^ (seed &* 83_492_791))
      return Double(numbers.next() >> 56)
    }
    let (part, rest) = (x - column, y - row)
    let top = corner(0, 0) * (1 - part) + corner(1, 0) * part
    let bottom = corner(0, 1) * (1 - part) + corner(1, 1) * part
    return top * (1 - rest) + bottom * rest
  }

  func plane(_ frame: Int) -> LumaPlane {
    let (width, height) = (Self.width / 4, Self.height / 4)
    var samples = [UInt8](repeating: 0, count: width * height)
    let seed = frame < cut ? background : background + 100
    for y in 0..<height {
      for x in 0..<width {
        samples[y * width + x] = UInt8(Self.noise(Double(x) / 3, Double(y) / 3, seed) / 2)
      }
    }
    for thing in things {
      let box = thing.box(frame)
      for y in Int(box.top / 4)..<Int(box.bottom / 4) where (0..<height).contains(y) {
        for x in Int(box.left / 4)..<Int(box.right / 4) where (0..<width).contains(x) {
          let (across, down) = (Double(x) - box.left / 4, Double(y) - box.top / 4)
          samples[y * width + x] = UInt8(
            100 + Self.noise(across / 2, down / 2, thing.seed) * 0.6)
        }
      }
    }
    return LumaPlane(width: width, height: height, samples: samples)
  }

  /// Planes of all frames, made once.
  var planes: [LumaPlane] { (0..<frames).map(plane) }

  /// Sightings of a thing where it is, at some frames.
  func sightings(
    of thing: Int = 0, at frames: some Sequence<Int>, score: Double = 0.9
  ) -> [Int: [Found]] {
    Dictionary(
      uniqueKeysWithValues: frames.map { frame in
        (frame, [Found(things[thing].box(frame), score: score)])
      })
  }
}

extension Found {
  init(_ box: FoundBox, score: Double) {
    self.init(x: box.left, y: box.top, width: box.width, height: box.height, score: score)
  }
}

/// Tracks sightings over planes.
func track(
  _ planes: [LumaPlane], _ found: [Int: [Found]], cuts: Set<Int> = []
) -> FoundTracks {
  var tracker = Tracker(width: SyntheticVideo.width, height: SyntheticVideo.height)
  for (frame, plane) in planes.enumerated() {
    tracker.add(plane, beginsShot: cuts.contains(frame), found: found[frame] ?? [])
  }
  return tracker.finish()
}

extension FoundTracks {
  /// The boxes that cover a frame.
  func boxes(_ frame: Int) -> [FoundBox] {
    tracks.flatMap { track in track.places.filter { $0.frame == frame }.map(\.box) }
  }

  /// The frames in which something is covered.
  var covered: Set<Int> { Set(tracks.flatMap { $0.places.map(\.frame) }) }
}
