package import Frostglass
internal import Glibc

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
  /// - Throws: `Failure` where the folder or one of its presets cannot be read.
  package init(folder: String, areRequired: Bool = false) throws(Failure) {
    var presets: [String: Preset] = [:]
    guard let listing = opendir(folder) else {
      throw Failure("\(folder): cannot be read (\(String(cString: strerror(errno))))")
    }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasSuffix(".json"), !name.hasPrefix(".") else { continue }
      do throws(PresetError) {
        presets[String(name.dropLast(".json".count))] = try Preset(file: "\(folder)/\(name)")
      } catch { throw Failure("\(error)") }
    }
    self.init(presets, areRequired: areRequired)
  }

  /// Why presets cannot be had; for the operator, with paths.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    fileprivate init(_ description: String) { self.description = description }
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
