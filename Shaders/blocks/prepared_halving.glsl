// Halved samples for what follows, each invocation a column of them.
vec4 halvedLine(bool isReversed, ivec2 p) {
  return halved(
      isReversed, fetch0(p), fetch0(p + ivec2(1, 0)), fetch0(p + ivec2(2, 0)),
      fetch0(p + ivec2(3, 0)));
}

void prepare(ivec2 first) {
  corner = cornerOf(first);
  for (int n = int(gl_LocalInvocationIndex); n < COLUMNS; n += 128) {
    ivec2 place = corner + ivec2(n, 0);
    ivec2 start = 2 * place - 1;
    bool isReversed = reversed0(place).x;
    vec4 above = halvedLine(isReversed, start);
    vec4 upper = halvedLine(isReversed, start + ivec2(0, 1));
    for (int row = 0; row < ROWS; ++row) {
      vec4 lower = halvedLine(isReversed, start + ivec2(0, 2 * row + 2));
      vec4 below = halvedLine(isReversed, start + ivec2(0, 2 * row + 3));
      bool isTurned = reversed0(place + ivec2(0, row)).y;
      keep(n, row, PREPARED_ENCODE(halved(isTurned, above, upper, lower, below)));
      above = lower;
      upper = below;
    }
  }
  memoryBarrierShared();
  barrier();
}
