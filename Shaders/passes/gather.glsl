// Gather: the mean of a picture seen through several affine maps.
// Four vectors per view. Coefficients count 2^-24 of a sample, positions 2^-12; each coefficient
// comes in an upper part and its lower 12 bits, so that 32-bit integers hold the products of both
// with coordinates up to 2^16: together they are the exact sum, rounded down.
layout(std140, binding = 0) uniform Views { vec4 numbers[1024]; };

uniform int views;

// In 2^-12 of a sample, from the sample's own place.
ivec2 displacement(int view, ivec2 p) {
  ivec4 upper = ivec4(numbers[view]);
  ivec4 lower = ivec4(numbers[view + 1]);
  ivec4 start = ivec4(numbers[view + 2]);
  ivec2 rest = ivec2(numbers[view + 3].xy);
  ivec2 fine = ivec2(lower.x * p.x + lower.y * p.y, lower.z * p.x + lower.w * p.y) + rest;
  ivec2 coarse = ivec2(upper.x * p.x + upper.y * p.y, upper.z * p.x + upper.w * p.y);
  return coarse + start.xz * 4096 + start.yw + (fine >> 12);
}

vec4 pass(ivec2 p) {
  vec4 sum = vec4(0.0);
  for (int k = 0; k < views; ++k) {
    ivec2 position = p * 4096 + displacement(4 * k, p);
    ivec2 q = position >> 12;
    vec2 f = vec2(position & 4095) / 4096.0;
    vec4 upper = (1.0 - f.x) * fetch0(q) + f.x * fetch0(q + ivec2(1, 0));
    vec4 lower = (1.0 - f.x) * fetch0(q + ivec2(0, 1)) + f.x * fetch0(q + ivec2(1, 1));
    sum += numbers[4 * k + 3].z * ((1.0 - f.y) * upper + f.y * lower);
  }
  return sum;
}
