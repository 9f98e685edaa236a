import FrostglassCore
import FrostglassStills
import Testing

/// Regions that an image carries in its XMP.
@Suite struct XMPRegionTests {
  private static let size = Size(width: 200, height: 100)

  private func list(_ inside: String) -> XMPRegion.List? {
    let packet = LateOrientationTests.packet(
      "xmlns:mwg-rs='http://www.metadataworkinggroup.com/schemas/regions/' "
        + "xmlns:stArea='http://ns.adobe.com/xmp/sType/Area#' "
        + "xmlns:stDim='http://ns.adobe.com/xap/1.0/sType/Dimensions#' "
        + "xmlns:MP='http://ns.microsoft.com/photo/1.2/' "
        + "xmlns:MPRI='http://ns.microsoft.com/photo/1.2/t/RegionInfo#' "
        + "xmlns:MPReg='http://ns.microsoft.com/photo/1.2/t/Region#'", inside)
    return XMPRegion.list(in: packet, Self.size)
  }

  private func group(
    _ items: String, _ dimensions: String = "stDim:w='200' stDim:h='100' stDim:unit='pixel'"
  ) -> String {
    "<mwg-rs:Regions rdf:parseType='Resource'><mwg-rs:AppliedToDimensions \(dimensions)/><mwg-rs:RegionList><rdf:Bag>\(items)</rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>"
  }

  /// Programs write the same as attributes, as elements, and with a description of its own.
  @Test(arguments: [
    "<rdf:li><rdf:Description mwg-rs:Name='A' mwg-rs:Type='Face'><mwg-rs:Area stArea:x='0.5' stArea:y='0.25' "
      + "stArea:w='0.1' stArea:h='0.2' stArea:unit='normalized'/></rdf:Description></rdf:li>",
    "<rdf:li rdf:parseType='Resource'><mwg-rs:Area rdf:parseType='Resource'><stArea:x>0.5</stArea:x>"
      + "<stArea:y>0.25</stArea:y><stArea:w>0.1</stArea:w><stArea:h>0.2</stArea:h></mwg-rs:Area>"
      + "<mwg-rs:Type>Face</mwg-rs:Type></rdf:li>",
    "<rdf:li mwg-rs:Type='FACE'><mwg-rs:Area stArea:x='0.5' stArea:y='0.25' stArea:w='0.1' stArea:h='0.2'/></rdf:li>",
  ])
  func aFaceIsReadHoweverItIsWritten(_ item: String) throws {
    let found = try #require(list(group(item)))
    let box = try #require(found.regions.first).box
    #expect(found.regions.map(\.kind) == ["face"] && found.size == Self.size)
    for (side, expected) in zip(box, [0.45, 0.15, 0.1, 0.2]) {
      #expect(abs(side - expected) < 1e-9, "\(box)")
    }
  }

  @Test func kindsGoWithTheirAreas() throws {
    let items = ["Face", "Pet"].enumerated().map { index, kind in
      "<rdf:li><rdf:Description mwg-rs:Type='\(kind)'><mwg-rs:Area stArea:x='0.\(index + 2)' stArea:y='0.5' "
        + "stArea:w='0.1' stArea:h='0.1'/></rdf:Description></rdf:li>"
    }
    let found = try #require(list(group(items.joined())))
    #expect(found.regions.map(\.kind) == ["face", "pet"])
    #expect(found.regions.map { ($0.box[0] * 100).rounded() } == [15, 25])
  }

  @Test func circlesAreCoveredByTheLongerSide() throws {
    let item = "<rdf:li><mwg-rs:Area stArea:x='0.5' stArea:y='0.5' stArea:d='0.1'/></rdf:li>"
    let found = try #require(list(group(item)))
    // 20 pixels of 200, and as many of 100.
    #expect(found.regions.map(\.box) == [[0.45, 0.4, 0.1, 0.2]])
    #expect(found.regions[0].kind == "region")
  }

  @Test func rectanglesOfMicrosoftAreFaces() throws {
    let inside =
      "<MP:RegionInfo rdf:parseType='Resource'><MPRI:Regions><rdf:Bag>"
      + "<rdf:li MPReg:Rectangle='0.1, 0.2, 0.3, 0.4' MPReg:PersonDisplayName='A'/></rdf:Bag></MPRI:Regions>"
      + "</MP:RegionInfo>"
    let found = try #require(list(inside))
    #expect(found.regions.map(\.kind) == ["face"])
    #expect(found.regions.map(\.box) == [[0.1, 0.2, 0.3, 0.4]])
    #expect(found.size == nil)
  }

  /// One that cannot be understood might be the one that matters.
  @Test(arguments: [
    "stArea:x='0.5' stArea:y='0.5'", "stArea:x='0.5' stArea:y='0.5' stArea:w='0.1'",
    "stArea:x='0.5' stArea:y='0.5' stArea:w='0' stArea:h='0.1'",
    "stArea:x='50' stArea:y='50' stArea:w='10' stArea:h='10' stArea:unit='pixel'",
    "stArea:x='nan' stArea:y='0.5' stArea:w='0.1' stArea:h='0.1'",
  ])
  func whatHasNoExtentIsRefused(_ area: String) {
    #expect(list(group("<rdf:li><mwg-rs:Area \(area)/></rdf:li>")) == nil)
  }

  /// They might be those of another image, which nobody could tell.
  @Test(arguments: [
    "stDim:w='200'", "stDim:w='200' stDim:h='0'", "stDim:w='200' stDim:h='much'",
    "stDim:w='200.5' stDim:h='100'", "stDim:w='-200' stDim:h='100'",
    "stDim:w='200' stDim:h='100' stDim:unit='inch'", "stDim:unit='pixel'",
  ])
  func sizesThatCannotBeComparedAreRefused(_ dimensions: String) {
    let item =
      "<rdf:li><mwg-rs:Area stArea:x='0.5' stArea:y='0.5' stArea:w='0.1' stArea:h='0.1'/></rdf:li>"
    #expect(list(group(item, dimensions)) == nil)
    #expect(list(group(item, "stDim:w=' 200 ' stDim:h='100'"))?.size == Self.size)
    let twice = group(item) + group(item, "stDim:w='100' stDim:h='200'")
    #expect(list(twice) == nil)
  }

  @Test func aRegionWithoutAPlaceIsRefused() {
    #expect(list(group("<rdf:li><rdf:Description mwg-rs:Type='Face'/></rdf:li>")) == nil)
  }

  @Test func packetsWithoutRegionsHaveNone() {
    #expect(list("")?.regions == [])
    #expect(XMPRegion.list(in: Array("<a".utf8), Self.size) == nil)
  }
}
