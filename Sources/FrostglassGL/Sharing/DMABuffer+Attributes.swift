internal import CGLES
internal import FrostglassCore

// What goes to and comes from EGL.
extension DMABuffer {
  /// Planes in memory that an earlier one has given the descriptor of come without one.
  package static func planes(
    _ descriptors: [Int32], _ offsets: [Int32], _ strides: [Int32]
  ) -> [DMABuffer.Plane] {
    var last: Int32 = -1
    return descriptors.indices.map { index in
      if descriptors[index] >= 0 { last = descriptors[index] }
      return DMABuffer.Plane(
        descriptor: last, offset: Int(offsets[index]), stride: Int(strides[index]))
    }
  }

  /// What EGL is told of shared memory whose numbers fit 32 bits.
  package var attributes: [Int32] {
    let names = [
      [EGL_DMA_BUF_PLANE0_FD_EXT, EGL_DMA_BUF_PLANE0_OFFSET_EXT, EGL_DMA_BUF_PLANE0_PITCH_EXT],
      [EGL_DMA_BUF_PLANE1_FD_EXT, EGL_DMA_BUF_PLANE1_OFFSET_EXT, EGL_DMA_BUF_PLANE1_PITCH_EXT],
      [EGL_DMA_BUF_PLANE2_FD_EXT, EGL_DMA_BUF_PLANE2_OFFSET_EXT, EGL_DMA_BUF_PLANE2_PITCH_EXT],
      [EGL_DMA_BUF_PLANE3_FD_EXT, EGL_DMA_BUF_PLANE3_OFFSET_EXT, EGL_DMA_BUF_PLANE3_PITCH_EXT],
    ]
    let modifiers = [
      [EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT],
      [EGL_DMA_BUF_PLANE1_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE1_MODIFIER_HI_EXT],
      [EGL_DMA_BUF_PLANE2_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE2_MODIFIER_HI_EXT],
      [EGL_DMA_BUF_PLANE3_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE3_MODIFIER_HI_EXT],
    ]
    var list = [
      EGL_WIDTH, EGLint(size.width), EGL_HEIGHT, EGLint(size.height),
      EGL_LINUX_DRM_FOURCC_EXT, EGLint(bitPattern: format.code),
    ]
    for (index, plane) in planes.enumerated() {
      let values = [plane.descriptor, EGLint(plane.offset), EGLint(plane.stride)]
      for (name, value) in zip(names[index], values) { list += [name, value] }
      guard let modifier = modifier else { continue }
      let halves = [modifier, modifier >> 32].map { EGLint(truncatingIfNeeded: $0) }
      for (name, value) in zip(modifiers[index], halves) { list += [name, value] }
    }
    return list
  }
}
