import FrostglassCore

extension ChainCase {
  /// The smallest case found that still breaks a rule, by leaving things out one after another.
  ///
  /// - Parameter breaks: returns true if a case still fails as this one does.
  package func minimized(_ breaks: (ChainCase) async throws -> Bool) async rethrows -> ChainCase {
    var smallest = self
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for candidate in smallest.smaller where candidate != smallest {
        if try await breaks(candidate) {
          smallest = candidate
          isSmaller = true
          break
        }
      }
    }
    return smallest
  }

  /// Cases with something left out, those that leave out most first.
  private var smaller: [ChainCase] {
    var candidates: [ChainCase] = []
    func add(_ change: (inout ChainCase) -> Void) {
      var candidate = self
      change(&candidate)
      candidates.append(candidate)
    }
    for index in filters.indices where filters.count > 1 { add { $0.filters.remove(at: index) } }
    add { $0.mask = nil }
    add { $0.part = nil }
    for (width, height) in [
      (size.width / 2, size.height / 2), (size.width / 2, size.height),
      (size.width, size.height / 2), (size.width - 1, size.height), (size.width, size.height - 1),
    ] where width >= 1 && height >= 1 {
      add {
        $0.size = Size(width: width, height: height)
        let whole = Rect($0.size)
        $0.part = part.flatMap { whole.contains($0) ? $0 : nil }
      }
    }
    for index in filters.indices {
      for parameter in filters[index].parameters.indices {
        add { $0.filters[index].parameters.remove(at: parameter) }
      }
    }
    add { $0.linearLight = false }
    add { $0.scale = 1 }
    add { $0.quality = .high }
    add { $0.edge = .clamp }
    add { $0.alpha = .straight }
    add { $0.content = .noise }
    add { $0.seed = 1 }
    add { $0.format.depth = .uint8 }
    if mask != nil {
      add { $0.mask?.feather = 0 }
      add { $0.mask?.grow = 0 }
      add { $0.mask?.isInverted = false }
      add { $0.mask?.use = Mask.Use.show.rawValue }
    }
    return candidates
  }
}
