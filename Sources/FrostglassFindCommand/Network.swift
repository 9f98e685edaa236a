internal import COpenCV
internal import FrostglassConfinement
internal import FrostglassCore
internal import FrostglassFind
internal import Glibc

/// A detector's network, as OpenCV runs it.
final class Network {
  private let pointer: OpaquePointer
  private let detector: Detector

  /// A network that cannot be read or run.
  struct Failure: Error {
    /// The error.
    var reason: String
  }

  /// Reads a model's file.
  init(_ bytes: [UInt8], of detector: Detector) throws(Failure) {
    var reason = [CChar](repeating: 0, count: Self.longestReason)
    guard let pointer = fgk_network_read(bytes, bytes.count, &reason, reason.count) else {
      throw Failure(reason: Self.text(reason))
    }
    self.pointer = pointer
    self.detector = detector
  }

  deinit { fgk_network_free(pointer) }

  /// Finds what the network sees in an image.
  ///
  /// - Parameter rgb: three bytes for each pixel, rows without gaps.
  func found(in rgb: [UInt8], _ size: Size, from score: Double) throws(Failure) -> [Found] {
    let input = Detector.inputSize(of: size)
    let planes = detector.planes(of: rgb, size)
    let names = detector.outputs
    var reason = [CChar](repeating: 0, count: Self.longestReason)
    let words = names.map { strdup($0) }
    defer { for word in words { free(word) } }
    let status = words.map { UnsafePointer($0) }.withUnsafeBufferPointer { words in
      fgk_network_run(
        pointer, planes, Int32(input.width), Int32(input.height), words.baseAddress, words.count,
        &reason, reason.count)
    }
    guard status == 0 else { throw Failure(reason: Self.text(reason)) }
    var outputs: [NetworkOutput] = []
    for (index, name) in names.enumerated() {
      guard let output = output(index) else {
        throw Failure(reason: "its output \(name) holds no 32-bit numbers")
      }
      outputs.append(output)
    }
    do throws(DetectorError) {
      return try detector.found(in: outputs, of: input, from: score)
    } catch { throw Failure(reason: error.description) }
  }

  private func output(_ index: Int) -> NetworkOutput? {
    var shape = [Int32](repeating: 0, count: 8)
    var dimensions: Int32 = 0
    guard let values = fgk_network_output(pointer, index, &shape, &dimensions) else { return nil }
    let extents = shape.prefix(Int(dimensions)).map { Int($0) }
    let count = extents.reduce(1, *)
    return NetworkOutput(
      shape: extents, values: Array(UnsafeBufferPointer(start: values, count: count)))
  }

  private static let longestReason = 400

  private static func text(_ reason: [CChar]) -> String {
    String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// The models that orders have brought, and what their networks find.
///
/// A network is read anew for images of another size: in OpenCV 4.6 CenterFace gives other numbers for an image
/// after one of another size.
struct Networks {
  private var models: [Detector: [UInt8]] = [:]
  /// With the size of the images that each has looked at; `nil` of one that has looked at none.
  private var networks: [Detector: (size: Size?, network: Network)] = [:]

  /// Does what an order asks.
  mutating func answer(to frame: Message) -> FindAnswer {
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
