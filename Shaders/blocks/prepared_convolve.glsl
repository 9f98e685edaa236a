// Samples convolved along one axis for what follows, from a tile of those that were fetched: each invocation
// makes four neighbors along the axis, whose windows overlap. Along x, what is fetched are an input's texels
// as they came, and loaded where they are read; along y, 65280ths.
// The sums are those of passes/convolve.glsl, term by term.
layout(std140, binding = PREPARED_TABLE) uniform PreparedTaps { vec4 preparedTaps[1024]; };

#if PREPARED_X
const int preparedLines = ROWS;
const int preparedLength = COLUMNS;
#else
const int preparedLines = COLUMNS;
const int preparedLength = ROWS;
#endif
const int strips = (preparedLength + 3) / 4;
const int fetchedLength = 4 * strips + 2 * PREPARED_RADIUS;

float preparedTap(int k) {
  return preparedTaps[k >> 2][k & 3];
}

#if PREPARED_X
shared uint fetched[preparedLines * fetchedLength];

void fetchInto(int n) {
  int line = n / fetchedLength;
  fetched[n] = kept0(corner + ivec2(n - line * fetchedLength - PREPARED_RADIUS, line));
}

vec4 fetchedAt(int line, int index) {
  return loaded0(fetched[line * fetchedLength + index]);
}

ivec2 preparedPlace(int line, int index) {
  return ivec2(index, line);
}
#else
shared uvec2 fetched[preparedLines * fetchedLength];

void fetchInto(int n) {
  int index = n / preparedLines;
  ivec2 place = ivec2(n - index * preparedLines, index - PREPARED_RADIUS);
  fetched[n] = wordsOf(uvec4(fetch0(corner + place)));
}

vec4 fetchedAt(int line, int index) {
  return samplesOf(fetched[index * preparedLines + line]);
}

ivec2 preparedPlace(int line, int index) {
  return ivec2(line, index);
}
#endif

void convolveStrip(int line, int start) {
  // The samples at distance k before and after each of the four; both move by one as k falls.
  vec4 before[4];
  vec4 after[4];
  PRECISE vec4 sums[4];
  for (int j = 0; j < 4; ++j) {
    sums[j] = vec4(0.0);
    before[j] = fetchedAt(line, start + j);
    after[j] = fetchedAt(line, start + j + 2 * PREPARED_RADIUS);
  }
  for (int k = PREPARED_RADIUS; k > 0; --k) {
    for (int j = 0; j < 4; ++j) sums[j] += preparedTap(k) * (before[j] + after[j]);
    for (int j = 0; j < 3; ++j) before[j] = before[j + 1];
    for (int j = 3; j > 0; --j) after[j] = after[j - 1];
    before[3] = fetchedAt(line, start + 4 + PREPARED_RADIUS - k);
    after[0] = fetchedAt(line, start + PREPARED_RADIUS + k - 1);
  }
  for (int j = 0; j < 4; ++j) {
    sums[j] += preparedTap(0) * before[j];
    if (start + j < preparedLength) {
      ivec2 place = preparedPlace(line, start + j);
      keep(place.x, place.y, PREPARED_ENCODE(sums[j]));
    }
  }
}

void prepare(ivec2 first) {
  corner = cornerOf(first);
  for (int n = int(gl_LocalInvocationIndex); n < preparedLines * fetchedLength; n += 128) {
    fetchInto(n);
  }
  memoryBarrierShared();
  barrier();
  for (int n = int(gl_LocalInvocationIndex); n < preparedLines * strips; n += 128) {
#if PREPARED_X
    int line = n / strips;
    convolveStrip(line, 4 * (n - line * strips));
#else
    int strip = n / preparedLines;
    convolveStrip(n - strip * preparedLines, 4 * strip);
#endif
  }
  memoryBarrierShared();
  barrier();
}
