// Median of samples of 8 bits: a group keeps the texels that its targets look at, in memory that it shares.
// A level is found bit by bit, the highest first, of two channels at once in the halves of a word: a bit is set
// where enough samples are not below the level that it makes. In each half there is a bit above the sample: what is
// left when a level is taken away has it where the sample is not below that level, and these bits are added up.
layout(local_size_x = 16, local_size_y = 8) in;

uniform int rank;

const int outputs = 1;
const int side = 2 * RADIUS + 1;
const int columns = 15 + side;
const int rows = 7 + side;
#if PAIRED
// As two such words, which saves to make them of a texel for each bit of a level.
shared uvec2 tile[columns * rows];
#else
// As they came.
shared uint tile[columns * rows];
#endif
vec4 results[outputs];

ivec2 place(int index) {
  return ivec2(gl_LocalInvocationID.xy);
}

uvec2 pairsOf(uint texel) {
  return (uvec2(texel, texel >> 8u) & 0xff00ffu) | 0x2000200u;
}

void compute(ivec2 first) {
  for (int n = int(gl_LocalInvocationIndex); n < columns * rows; n += 128) {
    int row = n / columns;
    uint texel = kept0(first + ivec2(n - row * columns, row) - RADIUS);
#if PAIRED
    tile[n] = pairsOf(texel);
#else
    tile[n] = texel;
#endif
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
      // Of a row, 512 for each: 15872 at most, in halves of 65536.
      uvec2 ofRow = uvec2(0u);
      for (int i = 0; i < side; ++i) {
        int n = start + j * columns + i;
#if PAIRED
        uvec2 pairs = tile[n];
#else
        uvec2 pairs = pairsOf(tile[n]);
#endif
        ofRow += (pairs - least) & 0x2000200u;
      }
      count += ofRow >> 9u;
    }
    uvec2 low = uvec2(greaterThanEqual(count & 65535u, uvec2(enough)));
    uvec2 high = uvec2(greaterThanEqual(count >> 16u, uvec2(enough)));
    found |= bit & (low * 0xffffu + high * 0xffff0000u);
  }
  results[0] = loaded0(found.x | found.y << 8u);
}
