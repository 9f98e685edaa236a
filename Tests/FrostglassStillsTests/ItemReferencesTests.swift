import FrostglassStills
import Testing

/// HEIC and AVIF files whose images are made of each other.
@Suite struct ItemReferencesTests {
  private typealias Reference = (type: String, from: Int, to: [Int])

  /// A grid whose one tile is the grid: without a look at it, libheif starts threads without end.
  @Test func anImageMadeOfItselfIsRefused() throws {
    var bytes = HEICFile.quarters
    #expect(throws: Never.self) { try StillDecoder().decode(.bytes(bytes)) }
    let reference = Array("dimg".utf8) + [0, 2, 0, 1, 0, 1]
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: reference) })
    bytes[place + reference.count - 1] = 2
    #expect(isRefused(bytes))
  }

  @Test func loopsAreRefusedHoweverLong() {
    #expect(!isRefused(file([("dimg", 1, [2]), ("dimg", 2, [3])])))
    #expect(isRefused(file([("dimg", 1, [2]), ("dimg", 2, [3]), ("dimg", 3, [1])])))
    #expect(isRefused(file([("dimg", 1, [2, 3, 4, 5]), ("dimg", 4, [6, 4])])))
    // The alpha of an image's alpha is the image.
    #expect(isRefused(file([("auxl", 2, [1]), ("auxl", 1, [2])])))
    // What the file's image is not made of is not decoded.
    #expect(!isRefused(file([("dimg", 2, [3]), ("dimg", 3, [2])])))
    #expect(!isRefused(file([("cdsc", 1, [1]), ("thmb", 1, [1])])))
  }

  @Test func aLongFileNamesItemsWith32Bits() {
    #expect(isRefused(file([("dimg", 70_000, [70_001, 70_000])], primary: 70_000, version: 1)))
    #expect(!isRefused(file([("dimg", 70_000, [4464])], primary: 70_000, version: 1)))
  }

  @Test func levelsAreCounted() {
    func chain(_ levels: Int) -> [UInt8] { file((1...levels).map { ("dimg", $0, [$0 + 1]) }) }
    #expect(!isRefused(chain(8)))
    #expect(isRefused(chain(9)))
  }

  /// 60 times 60 times 60 images of one, in a file of 400 bytes.
  @Test func usesAreCounted() {
    let same = { (item: Int) in [Int](repeating: item, count: 60) }
    #expect(!isRefused(file([("dimg", 1, same(2))])))
    #expect(isRefused(file([("dimg", 1, same(2)), ("dimg", 2, same(3)), ("dimg", 3, same(4))])))
    // Two images of many tiles, one of them the other's alpha.
    let tiles = Array(100..<700)
    #expect(!isRefused(file([("dimg", 1, tiles), ("dimg", 2, tiles), ("auxl", 2, [1])])))
  }

  @Test func boxesAreFoundWhereverTheyAre() {
    let loop: [Reference] = [("dimg", 1, [1])]
    let data = box("mdat", [UInt8](repeating: 7, count: 50))
    #expect(isRefused(file(loop, before: data)))
    // A length of 64 bits, and one that means the rest of the file.
    let wide = [0, 0, 0, 1] + Array("free".utf8) + [0, 0, 0, 0, 0, 0, 0, 20, 1, 2, 3, 4]
    #expect(isRefused(file(loop, before: wide)))
    var open = file(loop)
    open.replaceSubrange(20..<24, with: [0, 0, 0, 0])
    #expect(isRefused(open))
    // References that the file's end cuts off.
    for count in 0..<open.count { _ = isRefused(Array(open.prefix(count))) }
  }

  private func isRefused(_ bytes: [UInt8]) -> Bool {
    guard !bytes.isEmpty else { return true }
    do throws(DecodeError) {
      _ = try StillDecoder().decode(.bytes(bytes))
      return false
    } catch {
      return error.description.contains("its image is made of itself, or too often of others")
    }
  }

  /// A file of nothing but references.
  private func file(
    _ references: [Reference], primary: Int = 1, version: UInt8 = 0, before: [UInt8] = []
  ) -> [UInt8] {
    let count = version == 0 ? 2 : 4
    let boxes = references.flatMap { reference in
      box(
        reference.type,
        number(reference.from, count) + number(reference.to.count, 2)
          + reference.to.flatMap { number($0, count) })
    }
    let head = [version, 0, 0, 0]
    let meta = box("pitm", head + number(primary, count)) + box("iref", head + boxes)
    return box("ftyp", Array("heic".utf8) + [0, 0, 0, 0] + Array("mif1".utf8)) + before
      + box("meta", [0, 0, 0, 0] + meta)
  }

  private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    number(8 + content.count, 4) + Array(type.utf8) + content
  }

  private func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
