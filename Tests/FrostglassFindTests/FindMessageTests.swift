import FrostglassCore
import FrostglassFind
import Testing

/// Orders to the program that runs detectors, and its answers.
@Suite struct FindMessageTests {
  @Test func ordersAreReadAsTheyWereWritten() {
    let orders = [
      FindOrder.model(.yunet), .look(.centerface, Size(width: 640, height: 4096), 0.25),
    ]
    for order in orders { #expect(FindOrder(words: order.words) == order) }
  }

  @Test(arguments: [
    "", "model", "model scrfd", "model yunet 1", "look yunet 10 10", "look yunet 0 10 0.5",
    "look yunet 10 4097 0.5", "look yunet 10 10 1.5", "look yunet 10 10 nan", "look yunet -1 10 0",
    "look yunet 9999999999999999999 10 0",
  ]) func whatIsNoOrderIsRefused(_ words: String) {
    #expect(FindOrder(words: words) == nil)
  }

  @Test func answersAreReadAsTheyWereWritten() {
    let points = (0..<5).map { Found.Point(x: Double($0) / 3, y: -Double($0)) }
    let answers = [
      FindAnswer.failed("a reason of several words"), .found([]),
      .found([
        Found(x: 0.1, y: -2e-7, width: 3e20, height: 4, score: 0.5, points: points),
        Found(x: 1, y: 2, width: 3, height: 4, score: 1),
      ]),
    ]
    for answer in answers { #expect(FindAnswer(words: answer.words) == answer) }
  }

  @Test(arguments: [
    "", "lost", "failed", "found 1", "found\n1 2 3 4", "found\n1 2 3 4 nan", "found\n1 2 3 4 5 6",
    "found\n1 2 3 4 five",
  ]) func whatIsNoAnswerIsRefused(_ words: String) {
    #expect(FindAnswer(words: words) == nil)
  }
}
