// Convolve: a symmetric filter along one axis, summed from the outermost pair inward.
// taps[k] serves the samples at distance k; four to a vector, as a block rounds each up to one.
// Sums are of floats, or of whole numbers: `total` is what they are, TOTAL that of one that is summed up.
layout(std140, binding = 0) uniform Taps { total taps[1024]; };

#if RADIUS_IS_UNIFORM
uniform int radius;
#else
const int radius = RADIUS;
#endif
#if AXIS_IS_UNIFORM
uniform ivec4 axis;
#else
const ivec4 axis = ivec4(AXIS_X, AXIS_Y, 0, 0);
#endif

number tap(int k) {
  return taps[k >> 2][k & 3];
}

total pass(ivec2 p) {
  TOTAL sum = total(0);
  for (int k = radius; k > 0; --k) {
    ivec2 distance = k * axis.xy;
    sum += tap(k) * (fetch0(p - distance) + fetch0(p + distance));
  }
  sum += tap(0) * fetch0(p);
  return sum;
}
