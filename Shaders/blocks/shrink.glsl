// Shrink samples of 8 bit by 2, 4 or 8: a group fetches rows of the picture side by side, so that neighbors read
// neighbors, and keeps them as words until the next rows come. Two invocations make each column of the picture
// that is FACTOR times smaller, two of its samples at a time, in the halves of words: red and blue, or green and
// alpha. For 8 that is halved once more, from memory that the group shares.
//
// The numbers are those of passes/resample.glsl, one halving after the other: to halve bytes loses nothing.
layout(local_size_x = 128) in;

#if FACTOR == 2
const int taps = 4;
const uint weights[6] = uint[6](1u, 3u, 3u, 1u, 0u, 0u);
#else
const int taps = 10;
const uint weights[12] = uint[12](1u, 3u, 6u, 10u, 12u, 12u, 10u, 6u, 3u, 1u, 0u, 0u);
#endif
// Columns of the picture for each column, and those of one place in their turn.
const int segment = COLUMNS + (taps + FACTOR - 1) / FACTOR;
const int width = FACTOR * COLUMNS + taps - FACTOR;
shared uint strip[FACTOR * FACTOR * segment];
// A sample is two words.
shared uint shrunk[2 * COLUMNS * ROWS];
const int outputs = BLOCK_X * BLOCK_Y / 128 + (BLOCK_X * BLOCK_Y % 128 == 0 ? 0 : 1);
uvec4 texels[outputs];

ivec2 place(int index) {
  int n = int(gl_LocalInvocationID.x) + 128 * index;
  // Beyond the block is beyond the target, too.
  return n < BLOCK_X * BLOCK_Y ? ivec2(n % BLOCK_X, n / BLOCK_X) : ivec2(1 << 24);
}

// The next rows of the picture, four bytes to a word.
void bring(ivec2 corner) {
  // Others may still look at what is there.
  barrier();
  for (int n = int(gl_LocalInvocationID.x); n < FACTOR * width; n += 128) {
    int row = n / width;
    int column = n - row * width;
    uvec2 pairs = packed0(corner + ivec2(column, row));
    strip[(row * FACTOR + column % FACTOR) * segment + column / FACTOR] = pairs.x | pairs.y << 8u;
  }
  memoryBarrierShared();
  barrier();
}

// The sums along a row, each at most 64 · 255.
uvec2 sumsOf(int row, int column, uint shift) {
  uint sum = 0u;
  for (int tap = 0; tap < taps; ++tap) {
    uint word = strip[(row * FACTOR + tap % FACTOR) * segment + column + tap / FACTOR];
    sum += weights[tap] * (word >> shift & 0xff00ffu);
  }
  return uvec2(sum & 65535u, sum >> 16u);
}

void shrink(ivec2 first) {
  int column = min(int(gl_LocalInvocationID.x) >> 1, COLUMNS - 1);
  int half_ = int(gl_LocalInvocationID.x) & 1;
  ivec2 corner = FACTOR * first + (FACTOR == 2 ? -1 : -3);
  // What the next rows add to, and what is whole with them.
  uvec2 next = uvec2(0u);
  uvec2 last = uvec2(0u);
  for (int row = -LATE; row < ROWS; ++row) {
    bring(corner + ivec2(0, FACTOR * (row + LATE)));
    uvec2 begun = uvec2(0u);
    for (int k = 0; k < FACTOR; ++k) {
      uvec2 sums = sumsOf(k, column, 8u * uint(half_));
      begun += weights[k] * sums;
      next += weights[FACTOR + k] * sums;
#if FACTOR == 4
      last += weights[2 * FACTOR + k] * sums;
#endif
    }
#if FACTOR == 4
    uvec2 whole = (last + 8u) >> 4u;
#else
    uvec2 whole = next << 2u;
#endif
    if (row >= 0) shrunk[2 * (row * COLUMNS + column) + half_] = whole.x | whole.y << 16u;
    last = next;
    next = begun;
  }
  memoryBarrierShared();
  barrier();
}

uvec4 shrunkAt(int n) {
  uvec2 words = uvec2(shrunk[2 * n], shrunk[2 * n + 1]);
  return uvec4(words & 65535u, words >> 16u);
}

void compute(ivec2 first) {
#if HALVES
  shrink(2 * first - 1);
#else
  shrink(first);
#endif
  for (int index = 0; index < outputs; ++index) {
    int n = int(gl_LocalInvocationID.x) + 128 * index;
    if (n >= BLOCK_X * BLOCK_Y) break;
#if HALVES
    int corner = 2 * (n / BLOCK_X * COLUMNS + n % BLOCK_X);
    uvec4 sum = uvec4(32u);
    for (int row = 0; row < 4; ++row) {
      int line = corner + row * COLUMNS;
      uvec4 sums = shrunkAt(line) + shrunkAt(line + 3) + 3u * (shrunkAt(line + 1) + shrunkAt(line + 2));
      sum += (row == 1 || row == 2 ? 3u : 1u) * sums;
    }
    texels[index] = sum >> 6u;
#else
    texels[index] = shrunkAt(n);
#endif
  }
}

uvec4 texelOf(int index) {
  uvec4 texel = texels[index];
#if TARGET_OPAQUE
  texel.a = 65280u;
#endif
  return texel;
}
