// The numbers of a kernel: one text for Swift, for CUDA and for the C++ of the tests.
#pragma once

enum {
  /// Words of a table: taps of a convolution, or phases of growth along x and then along y.
  CCUDATableWords = 512,
  /// Rows that a thread grows, at most.
  CCUDAGrownRows = 8,
  /// Taps of shrinking along one axis.
  CCUDAShrinkTaps = 4
};

/// The samples beyond an edge, as the plan's edge modes.
enum CCUDAEdge {
  CCUDAEdgeClamp, CCUDAEdgeMirror, CCUDAEdgeWrap, CCUDAEdgeReflect101, CCUDAEdgeTransparent
};

/// One axis of the source.
struct CCUDAAxis {
  /// The first sample in memory, and the number of them.
  int first, count;
  /// The image's own samples, and what lies beyond them.
  int low, span, edge;
};

/// One pass: a rectangle of the target, made of a source.
struct CCUDAPass {
  /// The target's rectangle; its first sample is the first in memory.
  int x, y, width, height;
  struct CCUDAAxis columns, rows;
  /// Bytes from row to row.
  long long sourcePitch, targetPitch;
  /// Bits that every RGBA pixel gets when it is read: alpha of images that are opaque.
  unsigned set;
  /// A convolution's taps to each side, and whether it is along y.
  int radius, isAlongY;
  /// Source samples per target sample when shrinking; the first one's offset; the number of taps.
  int strideX, firstX, lengthX, strideY, firstY, lengthY;
  /// The taps of shrinking, in 256ths.
  unsigned shrinkX[CCUDAShrinkTaps], shrinkY[CCUDAShrinkTaps];
  /// Phases of growth along x and y, each a power of two, and the sums of their taps, as powers of two.
  int phasesX, phasesY, unitX, unitY;
  /// Taps of a convolution from the center outward, in 65536ths. Of growth, a word for each phase: the tap of
  /// the sample before in the lower half, that of the sample after in the upper one.
  unsigned table[CCUDATableWords];
};
