package import Frostglass
internal import FrostglassCore
package import FrostglassOptions

/// The operator's presets, by name.
package struct Presets: Sendable {
  private let presets: [String: Preset]
  /// Whether nothing else is taken.
  package let areRequired: Bool

  /// What may be asked for beside a preset where presets are required.
  static let freeFields = ["preset", "format", "frame"]

  package init(_ presets: [String: Preset] = [:], areRequired: Bool = false) {
    self.presets = presets
    self.areRequired = areRequired
  }

  /// Reads all `NAME.json` of a folder.
  ///
  /// - Throws: `Failure` where the folder or one of its presets cannot be read; for the operator, with paths.
  package init(folder: String, areRequired: Bool = false) throws(Failure) {
    var presets: [String: Preset] = [:]
    let names: [String]
    do throws(FileReadFailure) { names = try namesOfFiles(in: folder) } catch {
      throw Failure("\(folder): cannot be read (\(error.words))", .noInput)
    }
    for name in names where name.hasSuffix(".json") && !name.hasPrefix(".") {
      do throws(PresetError) {
        presets[String(name.dropLast(".json".count))] = try Preset(file: "\(folder)/\(name)")
      } catch { throw error.failure }
    }
    self.init(presets, areRequired: areRequired)
  }

  /// Their names, in order.
  package var names: [String] { presets.keys.sorted() }

  /// Their names, for people.
  var list: String { names.isEmpty ? "there are none" : names.joined(separator: ", ") }

  /// - Throws: `Problem` where there is none of that name.
  func preset(_ name: String) throws(Problem) -> Preset {
    guard let preset = presets[name] else {
      let name = String(name.prefix(64))
      throw .badRequest(
        "there is no preset \(name)\(DidYouMean.hint(for: name, in: names)); presets are: \(list)")
    }
    return preset
  }

  /// All of them as JSON.
  var json: String {
    JSONText.array(
      names.compactMap { name in
        presets[name].map { preset in
          JSONText.object([
            ("name", JSONText.string(name)), ("title", JSONText.string(preset.name)),
            ("description", JSONText.string(preset.description)),
            ("filter", JSONText.string(preset.chain.text)),
          ])
        }
      })
  }
}
