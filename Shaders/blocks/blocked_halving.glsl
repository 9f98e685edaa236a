// Halve samples of 8 bit: each invocation makes eight targets below each other, and as many beside them,
// from sums of [1 3 3 1] along both axes. Two samples are added at once, in the halves of a word: a sum
// is at most 64 · 255, and four times that is the target's 65280ths.
// The numbers are those of passes/resample.glsl, which rounds to what is exact here.
layout(local_size_x = 64, local_size_y = 2) in;

const int outputs = 16;
uvec2 sums[outputs];

ivec2 place(int index) {
  return ivec2(gl_LocalInvocationID.xy) * ivec2(2, 8) + ivec2(index & 1, index >> 1);
}

// The sums along a row for two targets beside each other.
uvec4 line(ivec2 p) {
  uvec2 middle = packed0(p + ivec2(2, 0));
  uvec2 next = packed0(p + ivec2(3, 0));
  uvec2 left = packed0(p) + next + 3u * (packed0(p + ivec2(1, 0)) + middle);
  uvec2 right = middle + packed0(p + ivec2(5, 0)) + 3u * (next + packed0(p + ivec2(4, 0)));
  return uvec4(left, right);
}

void compute(ivec2 first) {
  ivec2 start = 2 * (first + place(0)) - 1;
  uvec4 above = line(start);
  uvec4 upper = line(start + ivec2(0, 1));
  for (int k = 0; k < outputs / 2; ++k) {
    uvec4 lower = line(start + ivec2(0, 2 * k + 2));
    uvec4 below = line(start + ivec2(0, 2 * k + 3));
    uvec4 both = above + below + 3u * (upper + lower);
    sums[2 * k] = both.xy;
    sums[2 * k + 1] = both.zw;
    above = lower;
    upper = below;
  }
}

uvec4 texelOf(int index) {
  uvec2 words = sums[index] << 2u;
  uvec4 texel = uvec4(words & 65535u, words >> 16u);
#if TARGET_OPAQUE
  texel.w = 65280u;
#endif
  return texel;
}
