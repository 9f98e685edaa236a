import FrostglassCore
import TestSupport

/// Makes broken inputs from valid ones, the same ones from the same seed, and tries them.
package struct InputFuzzer: Sendable {
  /// The samples that inputs are made from.
  package let samples: [FuzzSample]
  private let byKind: [FuzzKind: [FuzzSample]]
  private let folder: String

  /// - Parameter folder: the folder for files of trials; each process needs its own.
  /// - Throws: `EncodeError` if a sample cannot be made.
  package init(folder: String) throws {
    self.folder = folder
    samples = try ImageSamples.all() + BlockSamples.all + TextSamples.all()
    byKind = Dictionary(grouping: samples, by: \.kind)
  }

  /// The kinds that have samples.
  package var kinds: [FuzzKind] { FuzzKind.allCases.filter { byKind[$0] != nil } }

  /// The input with a number, of one kind.
  package func input(_ kind: FuzzKind, seed: UInt64, number: Int) -> FuzzCase {
    let own = byKind[kind] ?? []
    var random = SplitMix(state: seed &* 0x2545_F491_4F6C_DD1D ^ UInt64(number) << 8)
    let original = random.pick(own)
    let other = random.pick(own).bytes
    var bytes = original.bytes
    // One change mostly; sometimes many.
    var changes = 1
    while !random.once(in: 3), changes < 12 { changes += 1 }
    for _ in 0..<changes {
      if kind.isText || kind == .xmp {
        TextMutator.mutate(&bytes, other: other, &random)
      } else {
        let structure = ImageStructure.of(kind, bytes)
        ByteMutator.mutate(&bytes, structure, other: other, &random)
      }
    }
    if kind == .png || kind == .apng, !random.once(in: 16) {
      ImageStructure.repairChecksums(&bytes)
    }
    return FuzzCase(kind: kind, bytes: bytes, original: original)
  }

  /// Tries an input.
  ///
  /// - Throws: `FuzzFinding` if a rule is broken. A crash is a finding too.
  package func run(_ kind: FuzzKind, _ bytes: [UInt8]) async throws(FuzzFinding) -> FuzzVerdict {
    switch kind {
    case .png, .apng, .jpeg, .gif, .webp, .tiff, .avif, .heic, .jxl, .bmp, .ppm, .pfm:
      try await ImageTrial(folder: folder).run(bytes)
    case .exif, .iptc, .xmp: try BlockTrial(kind: kind).run(bytes)
    default: try TextTrial(kind: kind, folder: folder).run(bytes)
    }
  }
}
