internal import FrostglassConfinement
internal import FrostglassCore
internal import FrostglassFind

/// The models that orders have brought, and what their networks find.
///
/// A network is read anew for images of another size: in OpenCV 4.6 CenterFace gives other numbers for an image
/// after one of another size.
struct Networks {
  private var models: [Detector: [UInt8]] = [:]
  /// With the size of the images that each has looked at; `nil` of one that has looked at none.
  private var networks: [Detector: (size: Size?, network: Network)] = [:]

  /// Does what an order asks.
  mutating func answer(to frame: Frame) -> FindAnswer {
    guard let order = FindOrder(words: String(decoding: frame.head, as: UTF8.self)),
      let bytes = frame.parts.first
    else { return .failed("the order cannot be read") }
    do throws(Network.Failure) {
      switch order {
      case .model(let detector):
        networks[detector] = (nil, try Network(bytes, of: detector))
        models[detector] = bytes
        return .found([])
      case .look(let detector, let size, let score):
        guard bytes.count == 3 * size.area else { return .failed("the image is cut off") }
        return .found(try network(of: detector, for: size).found(in: bytes, size, from: score))
      }
    } catch { return .failed(error.reason) }
  }

  private mutating func network(
    of detector: Detector, for size: Size
  ) throws(Network.Failure) -> Network {
    let size = Detector.inputSize(of: size)
    if let known = networks[detector], known.size ?? size == size {
      networks[detector]?.size = size
      return known.network
    }
    networks[detector] = nil
    guard let model = models[detector] else {
      throw Network.Failure(reason: "there is no model of \(detector.rawValue)")
    }
    let network = try Network(model, of: detector)
    networks[detector] = (size, network)
    return network
  }
}
