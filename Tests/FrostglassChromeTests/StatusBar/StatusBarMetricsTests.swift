import FrostglassChrome
import Testing

struct StatusBarMetricsTests {
  @Test func aPhoneWithAHomeButtonGrowsInACall() {
    #expect(StatusBarMetrics.classic.height(during: .none) == 20)
    #expect(StatusBarMetrics.classic.height(during: .call) == 40)
    #expect(StatusBarMetrics.classic.height(during: .location) == 40)
    #expect(StatusBarMetrics.classic.source == .documented)
  }

  @Test func notchedPhonesDoNot() throws {
    let notched = StatusBarMetrics.all.dropFirst()
    #expect(notched.map(\.height) == [44, 47, 48, 50, 54, 59])
    #expect(notched.allSatisfy { $0.height(during: .call) == $0.height })
    #expect(notched.allSatisfy { $0.source == .unverified })
    #expect(try StatusBarMetrics(named: "notch-47").height == 47)
  }

  @Test func anUnknownNameIsAnError() {
    let error = #expect(throws: StatusBarError.self) { try StatusBarMetrics(named: "notch-7") }
    #expect(
      error?.description == "no status bar is called “notch-7”; there are classic, notch-44, "
        + "notch-47, notch-48, notch-50, notch-54, notch-59")
  }
}
