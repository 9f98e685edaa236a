// Convolve: a symmetric filter along one axis, summed from the outermost pair inward.
// taps[k] serves the samples at distance k; four to a vector, as a block rounds each up to one.
layout(std140, binding = 0) uniform Taps { vec4 taps[1024]; };

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

float tap(int k) {
  return taps[k >> 2][k & 3];
}

vec4 pass(ivec2 p) {
  PRECISE vec4 sum = vec4(0.0);
  for (int k = radius; k > 0; --k) {
    ivec2 distance = k * axis.xy;
    sum += tap(k) * (fetch0(p - distance) + fetch0(p + distance));
  }
  sum += tap(0) * fetch0(p);
  return sum;
}
