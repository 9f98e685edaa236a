// Stencil: a weighted sum of samples at whole offsets, other ones for each of up to 2×2 phases.
// One vector per tap: dx, dy, weight; phase after phase.
layout(std140, binding = 0) uniform Taps { vec4 taps[1024]; };

// Source samples and target samples per period.
uniform ivec4 shape;
// Where the taps of each phase end.
uniform ivec4 ends;

vec4 pass(ivec2 p) {
  ivec2 period = ivec2(floorDivide(p.x, shape.y), floorDivide(p.y, shape.y));
  ivec2 phases = p - period * shape.y;
  int phase = phases.x + shape.y * phases.y;
  int first = phase > 0 ? ends[phase - 1] : 0;
  int end = ends[phase];
  vec4 sum = vec4(0.0);
  for (int k = first; k < end; ++k) {
    vec4 tap = taps[k];
    sum += tap.z * fetch0(period * shape.x + ivec2(tap.xy));
  }
  return sum;
}
