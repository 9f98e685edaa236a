internal import CKernels
internal import FrostglassCore

/// What rows of intermediate pictures are made of, and with it which kernels compute them.
protocol RowSample: BitwiseCopyable {
  /// Nothing is there.
  static var transparent: Self { get }
  /// Samples per pixel of a picture.
  static func channels(of layout: Layout) -> Int
  /// What computes a step of a strip's schedule; `nil` where the next step does it on the way.
  static func program(for step: Step, of strip: RowStrip<Self>) -> RowProgram?
}

/// 16-bit fixed point; `CKernels.h` says what a sample stands for.
extension Int16: RowSample {
  static var transparent: Int16 { -Int16(FG_FULL) }

  /// Colors have a fourth sample, full where there is no alpha.
  static func channels(of layout: Layout) -> Int { layout == .gray ? 1 : 4 }

  static func program(for step: Step, of strip: RowStrip<Int16>) -> RowProgram? {
    strip.fixedProgram(for: step)
  }
}

/// 32-bit float, any value.
extension Float: RowSample {
  static var transparent: Float { 0 }

  static func channels(of layout: Layout) -> Int { layout.channels }

  static func program(for step: Step, of strip: RowStrip<Float>) -> RowProgram? {
    strip.floatProgram(for: step)
  }
}
