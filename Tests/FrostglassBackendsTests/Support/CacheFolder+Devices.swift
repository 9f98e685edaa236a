import FrostglassGL
import TestSupport

extension CacheFolder {
  var devices: CacheDirectory { CacheDirectory(path).folder("devices") }
}
