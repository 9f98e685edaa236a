// Median of samples of 8 bits: a group keeps the texels that its targets look at as they came, in memory that it
// shares. A level is found bit by bit, the highest first, of two channels at once in the halves of a word: a bit
// is set where enough samples are not below the level that it makes.
layout(local_size_x = 16, local_size_y = 8) in;

uniform int rank;

const int outputs = 1;
const int side = 2 * RADIUS + 1;
const int columns = 15 + side;
const int rows = 7 + side;
shared uint tile[columns * rows];
vec4 results[outputs];

ivec2 place(int index) {
  return ivec2(gl_LocalInvocationID.xy);
}

// Ones in the halves that are at least `least`, both below 512.
uvec2 atLeast(uvec2 samples, uvec2 least) {
  return (((samples | 0x2000200u) - least) >> 9u) & 0x10001u;
}

void compute(ivec2 first) {
  for (int n = int(gl_LocalInvocationIndex); n < columns * rows; n += 128) {
    int row = n / columns;
    tile[n] = kept0(first + ivec2(n - row * columns, row) - RADIUS);
  }
  memoryBarrierShared();
  barrier();
  int start = int(gl_LocalInvocationID.y) * columns + int(gl_LocalInvocationID.x);
  uint enough = uint(side * side - rank);
  uvec2 found = uvec2(0u);
  for (uint bit = 0x800080u; bit > 0x10000u; bit = (bit >> 1u) & 0xff00ffu) {
    uvec2 least = found | bit;
    uvec2 count = uvec2(0u);
    for (int j = 0; j < side; ++j) {
      for (int i = 0; i < side; ++i) {
        uint texel = tile[start + j * columns + i];
        count += atLeast(uvec2(texel, texel >> 8u) & 0xff00ffu, least);
      }
    }
    uvec2 low = uvec2(greaterThanEqual(count & 65535u, uvec2(enough)));
    uvec2 high = uvec2(greaterThanEqual(count >> 16u, uvec2(enough)));
    found |= bit & (low * 0xffffu + high * 0xffff0000u);
  }
  results[0] = loaded0(found.x | found.y << 8u);
}
