/// A finite number with a unit behind it.
struct Quantity {
  let number: Double
  /// In lower case; empty when there is none.
  let unit: String

  /// Reads any number with any unit: `-1.5e3px`; `nil` for what does not begin with a number.
  ///
  /// An `e` belongs to the number only when digits follow, so `1em` is 1 em.
  init?(_ text: String) {
    let letters = Array(text.lowercased().unicodeScalars)
    var end = 0
    func digits() -> Int {
      let start = end
      while end < letters.count, ("0"..."9").contains(letters[end]) { end += 1 }
      return end - start
    }
    if end < letters.count, letters[end] == "+" || letters[end] == "-" { end += 1 }
    var count = digits()
    if end < letters.count, letters[end] == "." {
      end += 1
      count += digits()
    }
    guard count > 0 else { return nil }
    let mantissa = end
    if end < letters.count, letters[end] == "e" {
      end += 1
      if end < letters.count, letters[end] == "+" || letters[end] == "-" { end += 1 }
      if digits() == 0 { end = mantissa }
    }
    guard let number = Double(Self.text(letters[..<end])), number.isFinite else { return nil }
    self.number = number
    unit = Self.text(letters[end...])
  }

  /// Reads a number with one of `units`; an empty one stands for none.
  init?(_ text: String, units: [String]) {
    guard let quantity = Quantity(text), units.contains(quantity.unit) else { return nil }
    self = quantity
  }

  private static func text(_ letters: ArraySlice<Unicode.Scalar>) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: letters)
    return text
  }
}
