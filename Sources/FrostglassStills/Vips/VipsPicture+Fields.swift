internal import CVips

/// Metadata is kept by libvips as named fields.
extension VipsPicture {
  /// The names of all fields.
  var fieldNames: [String] {
    withPointer { image in
      guard let names = vips_image_get_fields(image) else { return [] }
      defer { g_strfreev(names) }
      var result: [String] = []
      var next = names
      while let name = next.pointee {
        result.append(String(cString: name))
        next += 1
      }
      return result
    }
  }

  func hasField(_ name: String) -> Bool {
    withPointer { vips_image_get_typeof($0, name) != 0 }
  }

  /// The bytes of a field, or `nil` where there is no such field or it is empty.
  func blob(_ name: String) -> [UInt8]? {
    guard hasField(name) else { return nil }
    return withPointer { image in
      var start: UnsafeRawPointer?
      var count = 0
      guard vips_image_get_blob(image, name, &start, &count) == 0, let start, count > 0 else {
        vips_error_clear()
        return nil
      }
      return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
  }

  /// The text of a field, or `nil` where there is no such field or it is no text.
  func text(_ name: String) -> String? {
    guard hasField(name) else { return nil }
    return withPointer { image in
      var text: UnsafePointer<CChar>?
      guard vips_image_get_string(image, name, &text) == 0, let text else {
        vips_error_clear()
        return nil
      }
      return String(cString: text)
    }
  }

  /// The number in a field, or `nil` where there is no such field.
  func number(_ name: String) -> Int? {
    guard hasField(name) else { return nil }
    return withPointer { image in
      var value: Int32 = 0
      guard vips_image_get_int(image, name, &value) == 0 else {
        vips_error_clear()
        return nil
      }
      return Int(value)
    }
  }

  /// The numbers in a field, or `nil` where there is no such field.
  func numbers(_ name: String) -> [Int]? {
    guard hasField(name) else { return nil }
    return withPointer { image in
      var start: UnsafeMutablePointer<Int32>?
      var count: Int32 = 0
      guard vips_image_get_array_int(image, name, &start, &count) == 0, let start else {
        vips_error_clear()
        return nil
      }
      return UnsafeBufferPointer(start: start, count: Int(count)).map { Int($0) }
    }
  }

  func setNumber(_ name: String, _ value: Int) {
    withPointer { vips_image_set_int($0, name, Int32(clamping: value)) }
  }

  func setNumbers(_ name: String, _ values: [Int]) {
    withPointer { image in
      let numbers = values.map { Int32(clamping: $0) }
      vips_image_set_array_int(image, name, numbers, Int32(numbers.count))
    }
  }

  func setBlob(_ name: String, _ bytes: [UInt8]) {
    withPointer { image in
      bytes.withUnsafeBytes { vips_image_set_blob_copy(image, name, $0.baseAddress, $0.count) }
    }
  }

  func setText(_ name: String, _ text: String) {
    withPointer { vips_image_set_string($0, name, text) }
  }

  /// Computes this image, and those made of it, in one thread.
  ///
  /// With more, libvips 8.14 sometimes loses the error of a decoder on the way between two threads,
  /// and a PNG with a broken checksum comes out well with black stripes: in up to 13 of 20 tries.
  /// Decoders work in one thread anyway.
  func limitToOneThread() {
    withPointer { vips_image_set_int($0, "concurrency", 1) }
  }

  func removeField(_ name: String) {
    _ = withPointer { vips_image_remove($0, name) }
  }
}
