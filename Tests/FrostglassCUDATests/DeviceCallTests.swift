import CFrostglass
import FrostglassC
import FrostglassCore
import FrostglassCUDA
import Glibc
import TestSupport
import Testing

extension CUDATests {
  /// Calls from C with device memory.
  @Suite struct DeviceCallTests {
    init() throws {
      // The driver is found by its name once a library with that name is loaded.
      let stub = dlopen(try StubDriver.path.get(), RTLD_NOW)
      try #require(stub != nil)
    }

    private func described(
      _ image: Image, _ memory: UnsafeMutableRawBufferPointer, stride: Int
    ) -> fg_image {
      var made = fg_image()
      made.struct_size = MemoryLayout<fg_image>.stride
      made.data = memory.baseAddress
      (made.width, made.height) = (Int64(image.size.width), Int64(image.size.height))
      made.stride = Int64(stride)
      made.format = Int32(image.format == .gray8 ? FG_GRAY8 : FG_RGBA8)
      return made
    }

    /// Calls `fg_apply_device` with images that `change` makes wrong, and returns status, error and output.
    private func apply(
      _ filters: String, _ image: Image,
      _ change: (inout fg_image, inout fg_image) -> Void = { _, _ in }
    ) -> (status: Int, error: String, output: [UInt8]) {
      var engine: OpaquePointer?
      fg_engine_create(nil, &engine, nil, 0)
      defer { fg_engine_free(engine) }
      var (input, output) = (image.bytes, [UInt8](repeating: 0, count: image.bytes.count))
      var error = [CChar](repeating: 0, count: 512)
      let row = image.size.width * image.format.bytesPerPixel
      let status = input.withUnsafeMutableBytes { input in
        output.withUnsafeMutableBytes { output in
          var (source, target) = (
            described(image, input, stride: row), described(image, output, stride: row)
          )
          change(&source, &target)
          return fg_apply_device(
            engine, filters, &source, &target, UnsafeMutableRawPointer(bitPattern: 9), &error,
            error.count)
        }
      }
      let message = error.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      return (Int(status), String(decoding: message, as: UTF8.self), output)
    }

    @Test(arguments: [PixelFormat.gray8, .rgba8])
    func theBytesAreTheKernels(format: PixelFormat) throws {
      let image = TestImages.noise(70, 50, format)
      let plan = try FilterChain(text: "blur(7px)").plan(for: Plan.Input(image))
      let made = apply("blur(7px)", image)
      #expect(made.status == FG_OK && made.error.isEmpty, "\(made.error)")
      #expect(
        made.output == (try StubDriver.result(of: plan, image, on: StubDriver.backend())))
    }

    @Test func whatIsWrongIsSaid() {
      let image = TestImages.noise(70, 50, .rgba8)
      let refused = apply("saturate(2)", image)
      #expect(refused.status == FG_UNAVAILABLE)
      #expect(
        refused.error
          == "the cuda backend cannot run this: ColorMatrix passes; Gaussians run there")
    }

    @Test func imagesThatDoNotFitAreRefused() {
      let image = TestImages.noise(70, 50, .rgba8)
      let same = apply("blur(7px)", image) { $1 = $0 }
      #expect(same.status == FG_BAD_IMAGE && same.error == "the output overlaps the input")
      let odd = apply("blur(7px)", image) { source, target in
        source.data = source.data + 1
        (source.height, target.height) = (49, 49)
      }
      #expect(odd.status == FG_BAD_IMAGE)
      #expect(odd.error == "rows of the input do not begin at a multiple of 4 bytes")
      let null = apply("blur(7px)", image) { _, target in target.data = nil }
      #expect(null.status == FG_BAD_IMAGE && null.error == "data of the output is null")
      let order = apply("blur(7px)", image) { _, target in target.format = Int32(FG_BGRA8) }
      #expect(order.status == FG_BAD_IMAGE)
      #expect(order.error == "input and output have colors in different orders")
    }
  }
}
