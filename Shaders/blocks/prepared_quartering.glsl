// Samples halved twice for what follows, each invocation QUARTERED_ROWS of two columns at a time.
void prepare(ivec2 first) {
  corner = cornerOf(first);
  const int pairs = COLUMNS / 2;
  for (int n = int(gl_LocalInvocationIndex); n < pairs * (ROWS / QUARTERED_ROWS); n += 128) {
    int strip = n / pairs;
    ivec2 place = ivec2(2 * (n - strip * pairs), QUARTERED_ROWS * strip);
    quarter(corner + place);
    for (int k = 0; k < 2 * QUARTERED_ROWS; ++k) {
      keep(place.x + (k & 1), place.y + (k >> 1), quarteredTexel(k));
    }
  }
  memoryBarrierShared();
  barrier();
}
