import Foundation
import FrostglassFind
import Testing

@Suite struct FoundTests {
  @Test func jsonKeepsEveryMember() throws {
    let found = Found(
      x: 1.5, y: -2, width: 30, height: 40.25, score: 0.75,
      points: [Found.Point(x: 5, y: 6)], label: "plate")
    let data = try JSONEncoder().encode(found)
    #expect(try JSONDecoder().decode(Found.self, from: data) == found)
  }
}
