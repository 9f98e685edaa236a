// Samples convolved along y for what follows, from a tile of those that were fetched: each invocation makes
// four below each other, whose windows overlap.
// The sums are those of passes/convolve.glsl, term by term.
layout(std140, binding = 2) uniform PreparedTaps { vec4 preparedTaps[1024]; };

const int strips = (ROWS + 3) / 4;
const int fetchedRows = 4 * strips + 2 * PREPARED_RADIUS;
shared uvec2 fetched[COLUMNS * fetchedRows];

float preparedTap(int k) {
  return preparedTaps[k >> 2][k & 3];
}

vec4 fetchedAt(int column, int row) {
  return samplesOf(fetched[row * COLUMNS + column]);
}

void convolveStrip(int column, int top) {
  // The samples at distance k above and below each of the four; both move by one as k falls.
  vec4 above[4];
  vec4 below[4];
  PRECISE vec4 sums[4];
  for (int j = 0; j < 4; ++j) {
    sums[j] = vec4(0.0);
    above[j] = fetchedAt(column, top + j);
    below[j] = fetchedAt(column, top + j + 2 * PREPARED_RADIUS);
  }
  for (int k = PREPARED_RADIUS; k > 0; --k) {
    for (int j = 0; j < 4; ++j) sums[j] += preparedTap(k) * (above[j] + below[j]);
    for (int j = 0; j < 3; ++j) above[j] = above[j + 1];
    for (int j = 3; j > 0; --j) below[j] = below[j - 1];
    above[3] = fetchedAt(column, top + 4 + PREPARED_RADIUS - k);
    below[0] = fetchedAt(column, top + PREPARED_RADIUS + k - 1);
  }
  for (int j = 0; j < 4; ++j) {
    sums[j] += preparedTap(0) * above[j];
    if (top + j < ROWS) keep(column, top + j, PREPARED_ENCODE(sums[j]));
  }
}

void prepare(ivec2 first) {
  corner = cornerOf(first);
  for (int n = int(gl_LocalInvocationIndex); n < COLUMNS * fetchedRows; n += 128) {
    int row = n / COLUMNS;
    ivec2 place = ivec2(n - row * COLUMNS, row - PREPARED_RADIUS);
    fetched[n] = wordsOf(uvec4(fetch0(corner + place)));
  }
  memoryBarrierShared();
  barrier();
  for (int n = int(gl_LocalInvocationIndex); n < COLUMNS * strips; n += 128) {
    int strip = n / COLUMNS;
    convolveStrip(n - strip * COLUMNS, 4 * strip);
  }
  memoryBarrierShared();
  barrier();
}
