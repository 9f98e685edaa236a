// Halve samples of 8 bit twice: each invocation makes eight targets below each other, and as many beside
// them, from sums of [1 3 3 1] of such sums along both axes. Along rows two samples are added at once, in the
// halves of a word, as a sum is at most 64 · 255. Down to the target it is at most 4096 · 255, and a sixteenth
// of that is the target's 65280ths.
// The first halving loses nothing, so the numbers are those of both, one after the other.
layout(local_size_x = 64, local_size_y = 2) in;

const int outputs = 16;
uvec4 sums[outputs];

// For two targets beside each other.
struct Pair {
  uvec4 left;
  uvec4 right;
};

ivec2 place(int index) {
  return ivec2(gl_LocalInvocationID.xy) * ivec2(2, 8) + ivec2(index & 1, index >> 1);
}

uvec2 binomial(uvec2 a, uvec2 b, uvec2 c, uvec2 d) {
  return a + d + 3u * (b + c);
}

Pair binomial(Pair a, Pair b, Pair c, Pair d) {
  return Pair(a.left + d.left + 3u * (b.left + c.left), a.right + d.right + 3u * (b.right + c.right));
}

uvec4 samples(uvec2 words) {
  return uvec4(words & 65535u, words >> 16u);
}

// The sums along a row.
Pair line(ivec2 p) {
  uvec2 halved[6];
  uvec2 first = packed0(p);
  uvec2 second = packed0(p + ivec2(1, 0));
  for (int k = 0; k < 6; ++k) {
    uvec2 third = packed0(p + ivec2(2 * k + 2, 0));
    uvec2 fourth = packed0(p + ivec2(2 * k + 3, 0));
    halved[k] = binomial(first, second, third, fourth);
    first = third;
    second = fourth;
  }
  return Pair(samples(binomial(halved[0], halved[1], halved[2], halved[3])),
              samples(binomial(halved[2], halved[3], halved[4], halved[5])));
}

void compute(ivec2 first) {
  ivec2 start = 4 * (first + place(0)) - 3;
  Pair above = line(start);
  Pair upper = line(start + ivec2(0, 1));
  // The last four halved lines, the newest at the end.
  Pair a = above;
  Pair b = above;
  Pair c = above;
  Pair d = above;
  for (int k = 0; k < outputs + 2; ++k) {
    Pair lower = line(start + ivec2(0, 2 * k + 2));
    Pair below = line(start + ivec2(0, 2 * k + 3));
    a = b;
    b = c;
    c = d;
    d = binomial(above, upper, lower, below);
    above = lower;
    upper = below;
    if (k > 2 && (k & 1) == 1) {
      Pair sum = binomial(a, b, c, d);
      sums[k - 3] = sum.left;
      sums[k - 2] = sum.right;
    }
  }
}

uvec4 texelOf(int index) {
  uvec4 texel = (sums[index] + 8u) >> 4u;
#if TARGET_OPAQUE
  texel.w = 65280u;
#endif
  return texel;
}
