import FrostglassCore
import Testing

struct FilterTextTests {
  @Test func readsWhatAStyleSheetHas() throws {
    let chain = try FilterChain(text: "blur(20px) saturate(180%) tint(white, 0.3)")
    #expect(chain == [.blur(20), .saturate(1.8), .tint(.white, alpha: 0.3)])
  }

  @Test func namedAndPositionalArgumentsMeanTheSame() throws {
    let named = try FilterChain(text: "gaussian(y=5, x=20px)")
    #expect(named == [.gaussian(x: 20, y: 5)])
    #expect(try FilterChain(text: "GAUSSIAN( 20 , 5 )") == named)
  }

  @Test(arguments: [
    ("blur(2pt)", Sigma(2, .points)), ("blur(1.5%)", Sigma(percent: 1.5)), ("blur(7)", Sigma(7)),
    ("blur(.5px)", Sigma(0.5)), ("blur()", Sigma(0)),
  ])
  func sigmaUnits(text: String, sigma: Sigma) throws {
    #expect(try FilterChain(text: text) == .blur(sigma))
  }

  @Test(arguments: [("90deg", 90.0), ("0.25turn", 90), ("100grad", 90), ("-45", -45)])
  func angleUnits(text: String, degrees: Double) throws {
    let chain = try FilterChain(text: "hue-rotate(\(text))")
    #expect(chain == [.hueRotate(Angle(degrees: degrees))])
  }

  /// Every filter's text form reads back as the same filter, defaults and others.
  @Test func textFormsRoundTrip() throws {
    for filter in Catalog.filters {
      for filter in filter.samples {
        let chain = FilterChain(filter)
        #expect(try FilterChain(text: chain.text) == chain, "\(chain.text)")
      }
    }
  }

  @Test(arguments: [
    ("", "empty"), ("   ", "empty"), ("blr(2px)", "did you mean blur"),
    ("blur(2px", "closing parenthesis of blur"), ("blur 2px", "opening parenthesis"),
    ("blur(2px, clamp, 3px)", "at most 2 arguments"), ("tint(white, alpha=2)", "alpha is 2"),
    ("tint(wite)", "color is wite"), ("gaussian(x=1, 2, x=3)", "x is given twice"),
    ("gaussian(z=1)", "takes x, y, edge"), ("gaussian(sigma=1)", "no parameter sigma"),
    ("blur(-1px)", "radius is -1px"), ("blur(nan)", "radius is nan"),
    ("blur(1e9)", "from 0 to 1000"),
    ("blur(5em)", "radius is 5em"), ("box(2.5)", "whole number from 0 to 1000"),
    ("saturation(1, luma=x)", "one of rec709"), (") blur(1)", "(column 1)"),
    ("blur(0x10)", "radius is 0x10"), ("blur(pilow:3)", "such as pillow:10"),
    ("blur(1) 2", "after 2"), ("blur(4px); saturate(2)", "no ; between them"),
    ("tint(whit)", "did you mean white?"), ("tint(transparant)", "did you mean transparent?"),
    ("opacity(1,)", "at most 1"), ("box(,2)", "radius is empty"),
  ])
  func mistakesAreNamed(text: String, words: String) throws {
    let error = try #require(throws: FilterTextError.self) { try FilterChain(text: text) }
    #expect(error.description.contains(words), "\(error)")
  }

  /// Errors say where: the word at fault stands at the position.
  @Test(arguments: [
    ("blur(2px) blr(2px)", TextPosition(column: 11)),
    ("blur(2px)\n  tint(wite)", .init(line: 2, column: 8)),
    ("tint(white, alpha=7)", TextPosition(column: 13)), ("blur(", TextPosition(column: 5)),
    ("gaussian(1, 2, clamp, 4)", TextPosition(column: 23)),
    ("blur(1px) ; x", TextPosition(column: 13)),
    ("/* one */ blr()", TextPosition(column: 11)), ("blur(1px) /* open", TextPosition(column: 11)),
    ("filter:\r\n blur(4)", TextPosition(line: 2, column: 7)),
  ])
  func mistakesAreLocated(text: String, position: TextPosition) throws {
    let error = try #require(throws: FilterTextError.self) { try FilterChain(text: text) }
    #expect(error.position == position, "\(error)")
    #expect(error.description.hasSuffix("(\(position))"))
  }
}

extension Filter {
  /// The filter with its defaults, and with each parameter set to other values it accepts.
  var samples: [any Filter] {
    var samples: [any Filter] = [self]
    for (index, parameter) in info.parameters.enumerated() {
      for value in parameter.kind.samples {
        var filter = self
        filter.set(parameter: index, to: value)
        samples.append(filter)
      }
    }
    return samples
  }
}

extension ParameterKind {
  /// A few values that are accepted.
  var samples: [ParameterValue] {
    switch self {
    case .factor(let range):
      [range.lowerBound, max(range.lowerBound, 0.37), range.upperBound].map { .number($0) }
    case .integer(let range): [.integer(range.lowerBound), .integer(min(7, range.upperBound))]
    case .length(let range):
      [
        .length(Length(range.lowerBound)), .length(Length(range.upperBound)),
        .length(Length(4, .points)), .length(Length(2.5, .percent)),
      ]
    case .sigma: [.sigma(0), .sigma(3.25), .sigma(Sigma(4, .points)), .sigma(Sigma(percent: 2))]
    case .angle: [.angle(Angle(degrees: 33.5))]
    case .color:
      [.color(Color(red: 1, green: 0.2, blue: 0)), .color(Color(white: 0.5, alpha: 0.5))]
    case .choice(let words): words.map { .word($0) }
    }
  }
}
