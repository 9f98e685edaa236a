internal import Frostglass
internal import FrostglassConfinement
internal import FrostglassStills
internal import Glibc

/// Has everything opened that work opens when it is first done: plugins of codecs, threads, fonts, facts
/// about the machine.
///
/// Behind its walls a process can open nothing any more. What fails here will fail there, in the
/// answer to an order. Codecs are part of libvips and its modules, which are loaded whole, the modules
/// with the HEIC file: none needs to have worked. Encoders of AVIF, HEIC and JPEG XL would have 15 MB of
/// tables and code with them.
package enum WarmUp {
  /// Does as little of all work as has everything opened.
  ///
  /// - Parameter hasFonts: true if fonts can be opened later; they are then searched for now.
  static func run(_ worker: any Worker, hasFonts: Bool) async {
    let picture = (try? StillEncoder().encode(sample, as: .png)) ?? []
    let fields = [Field("sigma", "1")]
    _ = await worker.perform(
      WorkOrder("blur", fields: fields + [Field("format", "png")], parts: ["picture": picture]))
    // Newer versions of libheif load their plugins with the first file; a header suffices.
    _ = await worker.perform(WorkOrder("plan", fields: fields, parts: ["picture": heic]))
    if hasFonts { _ = try? TextImage("Aa") }
    // x265 queries this when it creates threads: otherwise it creates others, and writes other bytes.
    learnProcessorNodes()
    // The time zone.
    tzset()
  }

  private static var sample: Image {
    var image = Image(zeros: Size(width: 16, height: 16), format: .rgb8)
    image.bytes = image.bytes.indices.map { UInt8(truncatingIfNeeded: $0 * 7) }
    return image
  }

  /// A HEIC file of a kind that is not written here: 64×48 at 10 bits, made with libvips and x265.
  package static var heic: [UInt8] { [UInt8](hexadecimal: heicDigits) }

  private static let heicDigits = """
    0000001c6674797068656963000000006d696631686569636d696166000001ac6d6574610000000000000021
    68646c72000000000000000070696374000000000000000000000000000000000e7069746d00000000000200
    00001069646174000000000040003000000038696c6f630100000044400002000100000000000001d0000100
    0000000000003a00020001000000000000000100000000000000080000003869696e66000000000002000000
    15696e66650200000100010000687663310000000015696e666502000000000200006772696400000000d769
    707270000000b56970636f00000075687663430104080000000000000000001ef000fcfdfafa00000f032000
    01001740010c01ffff0408000003009db800000300001eba0240210001002a4201010408000003009db80000
    0300001ea0208104d96eae4a6b9b81010302000003000200000300021022000100064401c173c08900000014
    6973706500000000000000400000004000000014697370650000000000000040000000300000001070697869
    00000000030a0a0a0000001a69706d610000000000000002000102810200020203840000001a697265660000
    00000000000e64696d67000200010001000000426d646174000000362801af1380e53275b3f8f993ff9d953f
    172664ea0c42fff29d8fb8e9f2eaa22c41bddc789eff8bcc58e3959ff14598e71ab839cbffc0
    """
}

extension [UInt8] {
  /// Bytes of two hexadecimal digits each; everything else, such as line ends, is passed over.
  init(hexadecimal text: String) {
    let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    self = stride(from: 0, to: digits.count - 1, by: 2).map {
      UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
  }
}
