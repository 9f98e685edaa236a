// Gaussians of 8-bit images on a CUDA device, in whole numbers: every sum is exact and rounded once, so a plan's
// bytes are the same on every device, and those of any other backend that sums as exactly.
//
// Samples between passes are 65280ths in 16 bits: one of a gray image, four of any other. Taps are 65536ths that sum
// to 65536, and 65536 × 65280 fits into 32 bits. Straight colors times alpha are 65025ths.
//
// `make ptx` makes blur.ptx of it. Tests compile it as C++ with Tests/Programs/CUDA/host.h before it.

#include "CCUDAPass.h"

#define INLINE __device__ __forceinline__

template <int count> struct Samples {
  unsigned of[count];
};

template <int count> INLINE Samples<count> zero() {
  Samples<count> made;
  for (int c = 0; c < count; ++c) made.of[c] = 0;
  return made;
}

template <int count> INLINE void add(Samples<count> &sum, unsigned tap, const Samples<count> &value) {
#pragma unroll
  for (int c = 0; c < count; ++c) sum.of[c] += tap * value.of[c];
}

// ---- Sources: how a sample is read at a column of a row.

INLINE unsigned low8(unsigned word, int byte) { return word >> 8 * byte & 255; }

struct Gray {
  enum { count = 1, areProducts = 0 };
  static INLINE Samples<1> read(const char *row, int x, unsigned) {
    return {{(unsigned)((const unsigned char *)row)[x] << 8}};
  }
};

struct Rgb {
  enum { count = 4, areProducts = 0 };
  static INLINE Samples<4> read(const char *row, int x, unsigned) {
    const unsigned char *at = (const unsigned char *)row + 3 * (long long)x;
    return {{(unsigned)at[0] << 8, (unsigned)at[1] << 8, (unsigned)at[2] << 8, 65280}};
  }
};

struct Rgba {
  enum { count = 4, areProducts = 0 };
  static INLINE Samples<4> read(const char *row, int x, unsigned set) {
    unsigned word = ((const unsigned *)row)[x] | set;
    return {{low8(word, 0) << 8, low8(word, 1) << 8, low8(word, 2) << 8, low8(word, 3) << 8}};
  }
};

struct Straight {
  enum { count = 4, areProducts = 1 };
  static INLINE Samples<4> read(const char *row, int x, unsigned) {
    unsigned word = ((const unsigned *)row)[x], alpha = word >> 24;
    return {{low8(word, 0) * alpha, low8(word, 1) * alpha, low8(word, 2) * alpha, 255 * alpha}};
  }
};

struct Slot1 {
  enum { count = 1, areProducts = 0 };
  static INLINE Samples<1> read(const char *row, int x, unsigned) {
    return {{((const unsigned short *)row)[x]}};
  }
};

struct Slot4 {
  enum { count = 4, areProducts = 0 };
  static INLINE Samples<4> read(const char *row, int x, unsigned) {
    uint2 words = ((const uint2 *)row)[x];
    return {{words.x & 65535, words.x >> 16, words.y & 65535, words.y >> 16}};
  }
};

// ---- Targets: how a sum, in 65536ths of a sample, is rounded, and how a pixel is written.

template <bool areProducts> INLINE unsigned step(unsigned sum) {
  return areProducts ? ((sum + 32640) >> 8) / 255 : (sum + 32768) >> 16;
}
template <bool areProducts> INLINE unsigned level(unsigned sum) {
  return areProducts ? ((sum + 8355840) >> 16) / 255 : (sum + 8388608) >> 24;
}

INLINE unsigned quotient(unsigned color, unsigned alpha) {
  unsigned made = (510 * color + alpha) / (2 * alpha);
  return made < 255 ? made : 255;
}

struct ToSlot1 {
  enum { isLevels = 0 };
  static INLINE void write(char *row, int x, const unsigned *v) { ((unsigned short *)row)[x] = (unsigned short)v[0]; }
};
struct ToSlot4 {
  enum { isLevels = 0 };
  static INLINE void write(char *row, int x, const unsigned *v) {
    ((uint2 *)row)[x] = make_uint2(v[0] | v[1] << 16, v[2] | v[3] << 16);
  }
};
struct ToGray {
  enum { isLevels = 1 };
  static INLINE void write(char *row, int x, const unsigned *v) { row[x] = (char)v[0]; }
};
struct ToRgb {
  enum { isLevels = 1 };
  static INLINE void write(char *row, int x, const unsigned *v) {
    char *at = row + 3 * (long long)x;
    at[0] = (char)v[0], at[1] = (char)v[1], at[2] = (char)v[2];
  }
};
struct ToRgba {
  enum { isLevels = 1 };
  static INLINE void write(char *row, int x, const unsigned *v) {
    ((unsigned *)row)[x] = v[0] | v[1] << 8 | v[2] << 16 | v[3] << 24;
  }
};
struct ToStraight {
  enum { isLevels = 0 };
  static INLINE void write(char *row, int x, const unsigned *v) {
    unsigned alpha = v[3];
    unsigned word = 0;
    if (alpha)
      word = quotient(v[0], alpha) | quotient(v[1], alpha) << 8 | quotient(v[2], alpha) << 16 |
             (alpha + 128) >> 8 << 24;
    ((unsigned *)row)[x] = word;
  }
};

// ---- Coordinates.

INLINE int floorModulo(int a, int n) {
  int rest = a % n;
  return rest < 0 ? rest + n : rest;
}

/// The place in memory of a coordinate of the source; -1 where nothing is there.
INLINE int place(const CCUDAAxis &axis, int v) {
  int from = v - axis.low;
  if (from < 0 || from >= axis.span) {
    if (axis.edge == CCUDAEdgeTransparent) return -1;
    if (axis.edge == CCUDAEdgeClamp) {
      from = from < 0 ? 0 : axis.span - 1;
    } else if (axis.edge == CCUDAEdgeWrap) {
      from = floorModulo(from, axis.span);
    } else {
      int turn = axis.edge == CCUDAEdgeMirror ? 2 * axis.span - 1 : 2 * axis.span - 2;
      int period = axis.edge == CCUDAEdgeMirror ? 2 * axis.span : turn > 1 ? turn : 1;
      from = floorModulo(from, period);
      from = from < turn - from ? from : turn - from;
    }
  }
  // Samples whose taps are 0 need not be in memory.
  int made = from + axis.low - axis.first;
  return made < 0 ? 0 : made < axis.count ? made : axis.count - 1;
}

template <class Source> INLINE Samples<Source::count> sample(
    const char *source, const CCUDAPass &pass, int column, int row) {
  if (column < 0 || row < 0) return zero<Source::count>();
  return Source::read(source + row * pass.sourcePitch, column, pass.set);
}

INLINE int threadX() { return (int)(blockIdx.x * blockDim.x + threadIdx.x); }
INLINE int threadY() { return (int)(blockIdx.y * blockDim.y + threadIdx.y); }

template <class Source, class Target> INLINE void finish(
    char *target, const CCUDAPass &pass, int x, int y, const Samples<Source::count> &sum) {
  unsigned made[Source::count];
#pragma unroll
  for (int c = 0; c < Source::count; ++c)
    made[c] = Target::isLevels ? level<Source::areProducts>(sum.of[c]) : step<Source::areProducts>(sum.of[c]);
  Target::write(target + y * pass.targetPitch, x, made);
}

// ---- Passes.

/// A symmetric filter along one axis, a thread for each sample.
template <class Source, class Target> INLINE void convolve(
    const char *source, char *target, const CCUDAPass &pass) {
  int x = threadX(), y = threadY();
  if (x >= pass.width || y >= pass.height) return;
  int column = place(pass.columns, pass.x + x), row = place(pass.rows, pass.y + y);
  Samples<Source::count> sum = zero<Source::count>();
  add(sum, pass.table[0], sample<Source>(source, pass, column, row));
  for (int k = 1; k <= pass.radius; ++k) {
    Samples<Source::count> one, other;
    if (pass.isAlongY) {
      one = sample<Source>(source, pass, column, place(pass.rows, pass.y + y - k));
      other = sample<Source>(source, pass, column, place(pass.rows, pass.y + y + k));
    } else {
      one = sample<Source>(source, pass, place(pass.columns, pass.x + x - k), row);
      other = sample<Source>(source, pass, place(pass.columns, pass.x + x + k), row);
    }
#pragma unroll
    for (int c = 0; c < Source::count; ++c) one.of[c] += other.of[c];
    add(sum, pass.table[k], one);
  }
  finish<Source, Target>(target, pass, x, y, sum);
}

/// A smaller image by the same few taps everywhere, a thread for each sample.
template <class Source, class Target> INLINE void shrink(
    const char *source, char *target, const CCUDAPass &pass) {
  int x = threadX(), y = threadY();
  if (x >= pass.width || y >= pass.height) return;
  int fromX = (pass.x + x) * pass.strideX + pass.firstX, fromY = (pass.y + y) * pass.strideY + pass.firstY;
  int columns[CCUDAShrinkTaps];
#pragma unroll
  for (int i = 0; i < CCUDAShrinkTaps; ++i) columns[i] = place(pass.columns, fromX + i);
  Samples<Source::count> sum = zero<Source::count>();
#pragma unroll
  for (int j = 0; j < CCUDAShrinkTaps; ++j) {
    if (j >= pass.lengthY) break;
    int row = place(pass.rows, fromY + j);
    Samples<Source::count> line = zero<Source::count>();
#pragma unroll
    for (int i = 0; i < CCUDAShrinkTaps; ++i)
      if (i < pass.lengthX) add(line, pass.shrinkX[i], sample<Source>(source, pass, columns[i], row));
    add(sum, pass.shrinkY[j], line);
  }
  finish<Source, Target>(target, pass, x, y, sum);
}

/// The three taps of a phase of growth.
INLINE void taps(unsigned made[3], unsigned word, int unit) {
  made[0] = word & 65535, made[2] = word >> 16;
  made[1] = (1u << unit) - made[0] - made[2];
}

template <bool isWide> struct GrownSum {
  typedef unsigned Type;
};
template <> struct GrownSum<true> {
  typedef unsigned long long Type;
};

/// A larger image from samples and their neighbors. A thread makes up to eight rows of a column, which lie between
/// the same samples. Sums by taps of more than 16 bits along both axes together are wide.
template <class Source, class Target, bool isWide> INLINE void grow(
    const char *source, char *target, const CCUDAPass &pass) {
  typedef typename GrownSum<isWide>::Type Sum;
  enum { count = Source::count };
  int height = pass.phasesY < CCUDAGrownRows ? pass.phasesY : CCUDAGrownRows;
  // Counted from the group with the rectangle's first row.
  int x = pass.x + threadX(), y = (pass.y & -height) + threadY() * height;
  if (x >= pass.x + pass.width || y >= pass.y + pass.height) return;
  int phaseX = x & (pass.phasesX - 1), phaseY = y & (pass.phasesY - 1);
  int aroundX = (x - phaseX) / pass.phasesX, aroundY = (y - phaseY) / pass.phasesY;
  unsigned across[3];
  taps(across, pass.table[phaseX], pass.unitX);
  int columns[3];
#pragma unroll
  for (int i = 0; i < 3; ++i) columns[i] = place(pass.columns, aroundX - 1 + i);
  Samples<count> lines[3];
#pragma unroll
  for (int j = 0; j < 3; ++j) {
    int row = place(pass.rows, aroundY - 1 + j);
    lines[j] = zero<count>();
#pragma unroll
    for (int i = 0; i < 3; ++i) add(lines[j], across[i], sample<Source>(source, pass, columns[i], row));
  }
  int shift = pass.unitX + pass.unitY;
  for (int k = 0; k < height; ++k) {
    int made = y + k - pass.y;
    if (made < 0 || made >= pass.height) continue;
    unsigned down[3];
    taps(down, pass.table[pass.phasesX + phaseY + k], pass.unitY);
    unsigned rounded[count];
#pragma unroll
    for (int c = 0; c < count; ++c) {
      Sum sum = (Sum)down[0] * lines[0].of[c] + (Sum)down[1] * lines[1].of[c] + (Sum)down[2] * lines[2].of[c];
      int bits = Target::isLevels ? shift + 8 : shift;
      rounded[c] = bits ? (unsigned)((sum + ((Sum)1 << (bits - 1))) >> bits) : (unsigned)sum;
    }
    Target::write(target + made * pass.targetPitch, x - pass.x, rounded);
  }
}

#define KERNEL(name, ...)                                                                                          \
  extern "C" __global__ void __launch_bounds__(256) name(                                                          \
      const char *__restrict__ source, char *__restrict__ target, const __grid_constant__ CCUDAPass pass) {        \
    __VA_ARGS__(source, target, pass);                                                                             \
  }

KERNEL(shrink_gray_slot, shrink<Gray, ToSlot1>)
KERNEL(shrink_rgb_slot, shrink<Rgb, ToSlot4>)
KERNEL(shrink_rgba_slot, shrink<Rgba, ToSlot4>)
KERNEL(shrink_straight_slot, shrink<Straight, ToSlot4>)
KERNEL(shrink_slot1_slot, shrink<Slot1, ToSlot1>)
KERNEL(shrink_slot4_slot, shrink<Slot4, ToSlot4>)

KERNEL(convolve_gray_slot, convolve<Gray, ToSlot1>)
KERNEL(convolve_rgb_slot, convolve<Rgb, ToSlot4>)
KERNEL(convolve_rgba_slot, convolve<Rgba, ToSlot4>)
KERNEL(convolve_straight_slot, convolve<Straight, ToSlot4>)
KERNEL(convolve_slot1_slot, convolve<Slot1, ToSlot1>)
KERNEL(convolve_slot4_slot, convolve<Slot4, ToSlot4>)
KERNEL(convolve_slot1_gray, convolve<Slot1, ToGray>)
KERNEL(convolve_slot4_rgb, convolve<Slot4, ToRgb>)
KERNEL(convolve_slot4_rgba, convolve<Slot4, ToRgba>)
KERNEL(convolve_slot4_straight, convolve<Slot4, ToStraight>)
KERNEL(convolve_gray_gray, convolve<Gray, ToGray>)
KERNEL(convolve_rgb_rgb, convolve<Rgb, ToRgb>)
KERNEL(convolve_rgba_rgba, convolve<Rgba, ToRgba>)
KERNEL(convolve_straight_straight, convolve<Straight, ToStraight>)

KERNEL(grow_slot1_slot, grow<Slot1, ToSlot1, false>)
KERNEL(grow_slot4_slot, grow<Slot4, ToSlot4, false>)
KERNEL(grow_slot1_gray, grow<Slot1, ToGray, false>)
KERNEL(grow_slot4_rgb, grow<Slot4, ToRgb, false>)
KERNEL(grow_slot4_rgba, grow<Slot4, ToRgba, false>)
KERNEL(grow_slot4_straight, grow<Slot4, ToStraight, false>)
KERNEL(grow_wide_slot1_slot, grow<Slot1, ToSlot1, true>)
KERNEL(grow_wide_slot4_slot, grow<Slot4, ToSlot4, true>)
KERNEL(grow_wide_slot1_gray, grow<Slot1, ToGray, true>)
KERNEL(grow_wide_slot4_rgb, grow<Slot4, ToRgb, true>)
KERNEL(grow_wide_slot4_rgba, grow<Slot4, ToRgba, true>)
KERNEL(grow_wide_slot4_straight, grow<Slot4, ToStraight, true>)
