import Frostglass
import FrostglassScenes
import FrostglassCore
import Glibc

/// Reads a text; what reads and has a text form is written and read again.
struct TextTrial {
  let kind: FuzzKind
  let folder: String

  /// - Throws: `FuzzFinding` if a rule is broken.
  func run(_ bytes: [UInt8]) throws(FuzzFinding) -> FuzzVerdict {
    let text = String(decoding: bytes, as: UTF8.self)
    return switch kind {
    case .filter, .css: try chain(text)
    case .region: try shapes(text)
    case .csv, .json: try regions(text, bytes)
    case .preset: try preset(text, bytes)
    case .scene: try scene(text, bytes)
    default: try value(text)
    }
  }

  private func chain(_ text: String) throws(FuzzFinding) -> FuzzVerdict {
    let chain: FilterChain
    do throws(FilterTextError) { chain = try FilterChain(text: text) } catch {
      let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      let place = error.position
      guard (1...lines.count).contains(place.line),
        (1...lines[place.line - 1].count + 1).contains(place.column), !error.description.isEmpty
      else { throw FuzzFinding("the place of the mistake is not in the text: \(error)") }
      return .refused
    }
    guard (try? FilterChain(text: chain.text)) == chain else {
      throw FuzzFinding("it reads as another than its text \(chain.text)")
    }
    // Planning takes a hundred times as long as reading.
    guard text.utf8.count % 8 == 0 else { return .accepted }
    let input = Plan.Input(
      size: Size(width: 40, height: 30), format: .rgba8, alpha: .straight, transfer: .encoded)
    do throws(PlanError) {
      let plan = try chain.plan(for: input)
      try plan.validate(for: .none)
    } catch {
      if case .malformed(let reason) = error { throw FuzzFinding("its plan: \(reason)") }
    }
    return .accepted
  }

  private func shapes(_ text: String) throws(FuzzFinding) -> FuzzVerdict {
    guard let shapes = try? MaskShape.list(text: text) else { return .refused }
    let again = shapes.compactMap(\.text).joined(separator: ";")
    guard (try? MaskShape.list(text: again)) == shapes else {
      throw FuzzFinding("it reads as others than its text \(again)")
    }
    guard text.utf8.count % 8 == 0 else { return .accepted }
    let input = Plan.Input(
      size: Size(width: 40, height: 30), format: .rgb8, alpha: .opaque, transfer: .encoded)
    let options = PlanOptions(mask: Mask(shapes))
    do throws(PlanError) {
      let plan = try FilterChain([.gaussian(sigma: 2)]).plan(for: input, options: options)
      try plan.validate(for: .none)
    } catch {
      if case .malformed(let reason) = error { throw FuzzFinding("its plan: \(reason)") }
    }
    return .accepted
  }

  private func regions(_ text: String, _ bytes: [UInt8]) throws(FuzzFinding) -> FuzzVerdict {
    let regions = try? Region.list(text: text)
    // Whatever it is said to be, it is read or refused.
    if text.utf8.count % 16 == 1 {
      for format in RegionsFormat.allCases { _ = try? Region.list(text: text, as: format) }
    }
    try file(bytes, reads: regions != nil, as: text) { path in
      do throws(RegionsError) { return (true, "\(try Region.list(file: path).count)") } catch {
        return (false, error.description)
      }
    }
    return regions == nil ? .refused : .accepted
  }

  private func preset(_ text: String, _ bytes: [UInt8]) throws(FuzzFinding) -> FuzzVerdict {
    let preset = try? Preset(text: text)
    if let preset, (try? Preset(text: preset.text)) != preset {
      throw FuzzFinding("it reads as another than its text \(preset.text)")
    }
    try file(bytes, reads: preset != nil, as: text) { path in
      do throws(PresetError) { return (true, try Preset(file: path).name) } catch {
        return (false, error.description)
      }
    }
    return preset == nil ? .refused : .accepted
  }

  private func scene(_ text: String, _ bytes: [UInt8]) throws(FuzzFinding) -> FuzzVerdict {
    let isRead: Bool
    do throws(DocumentError) {
      _ = try SceneDocument(json: text)
      isRead = true
    } catch { isRead = false }
    try file(bytes, reads: isRead, as: text) { path in
      do throws(FrostglassError) { return (true, try SceneFile(path).path) } catch {
        return (false, error.description)
      }
    }
    return isRead ? .accepted : .refused
  }

  private func value(_ text: String) throws(FuzzFinding) -> FuzzVerdict {
    var isRead = false
    if let length = Length(text: text) {
      isRead = true
      guard Length(text: length.description) == length else {
        throw FuzzFinding("the length reads as another than its text \(length)")
      }
    }
    if let color = Color(text: text) {
      isRead = true
      let parts = [color.red, color.green, color.blue, color.alpha]
      guard parts.allSatisfy({ (0...1).contains($0) }) else {
        throw FuzzFinding("the color is out of range: \(color)")
      }
    }
    if let sigma = Sigma(text: text) {
      isRead = true
      guard sigma.value.isFinite else { throw FuzzFinding("σ is \(sigma)") }
    }
    if let count = ByteCount(text: text) {
      isRead = true
      guard count.bytes >= 1 else { throw FuzzFinding("it is \(count.bytes) bytes") }
    }
    return isRead ? .accepted : .refused
  }

  /// Reads the same from a file, now and then: whole and valid UTF-8, or an error that names it.
  private func file(
    _ bytes: [UInt8], reads: Bool, as text: String, _ read: (String) -> (Bool, String)
  ) throws(FuzzFinding) {
    guard bytes.count % 16 == 0 else { return }
    let path = "\(folder)/text"
    guard let file = fopen(path, "w") else { return }
    let isWritten = fwrite(bytes, 1, bytes.count, file) == bytes.count
    guard fclose(file) == 0, isWritten else { return }
    let (isRead, words) = read(path)
    let isValid = String(validating: bytes, as: UTF8.self) != nil
    guard isRead == (reads && isValid) else {
      throw FuzzFinding("the file and its text differ: \(words)")
    }
    guard isRead || words.contains(path) else {
      throw FuzzFinding("the error does not name the file: \(words)")
    }
  }
}
