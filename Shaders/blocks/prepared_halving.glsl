// Halved samples for what follows, each invocation a column of them.
// The sums are those of passes/resample.glsl, term by term.
vec4 halved(vec4 a, vec4 b, vec4 c, vec4 d) {
  PRECISE vec4 sum = vec4(0.0);
  sum += 0.125 * a;
  sum += 0.375 * b;
  sum += 0.375 * c;
  sum += 0.125 * d;
  return sum;
}

vec4 halvedLine(ivec2 p) {
  return halved(
      fetch0(p), fetch0(p + ivec2(1, 0)), fetch0(p + ivec2(2, 0)), fetch0(p + ivec2(3, 0)));
}

void prepare(ivec2 first) {
  corner = cornerOf(first);
  for (int n = int(gl_LocalInvocationIndex); n < COLUMNS; n += 128) {
    ivec2 start = 2 * (corner + ivec2(n, 0)) - 1;
    vec4 above = halvedLine(start);
    vec4 upper = halvedLine(start + ivec2(0, 1));
    for (int row = 0; row < ROWS; ++row) {
      vec4 lower = halvedLine(start + ivec2(0, 2 * row + 2));
      vec4 below = halvedLine(start + ivec2(0, 2 * row + 3));
      keep(n, row, PREPARED_ENCODE(halved(above, upper, lower, below)));
      above = lower;
      upper = below;
    }
  }
  memoryBarrierShared();
  barrier();
}
