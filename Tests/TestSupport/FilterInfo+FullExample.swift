package import FrostglassCore

extension FilterInfo {
  /// The filter in text form with a middling value for every parameter.
  package var fullExample: String {
    let values = parameters.map { parameter -> String in
      let value =
        switch parameter.kind {
        case .factor(let range): "\(min(max(range.lowerBound, 0.6), range.upperBound))"
        case .integer(let range): "\(min(max(range.lowerBound, 3), range.upperBound))"
        case .sigma: "6.5px"
        case .length(let range): "\(min(max(range.lowerBound, 6.5), range.upperBound))px"
        case .angle: "77deg"
        case .color: "rgb(20 200 120)"
        case .choice(let words): words[words.count - 1]
        }
      return "\(parameter.name)=\(value)"
    }
    return "\(name)(\(values.joined(separator: ", ")))"
  }
}
