internal import CKernels
package import FrostglassCore

extension CoverageVectors {
  /// - Parameter instructions: that the vectors are of.
  package init(_ instructions: InstructionSet) { self.init(instructions.kernels) }

  init(_ kernels: fg_row_kernels) {
    self.init(
      cover: { circle, target, count in
        var circle = fg_circle(
          column: circle.column, center: circle.center, square: circle.square,
          radius: circle.radius, grow: circle.grow, feather: circle.feather)
        kernels.cover_circle(&circle, target, count)
      },
      countBetween: { kernels.count_between($0, $1, $2, $3) })
  }
}
