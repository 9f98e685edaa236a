// Halve twice what is no whole numbers, as colors that are multiplied by alpha: each invocation makes eight
// targets below each other, and as many beside them, from halved samples that are rounded to 65280ths as if
// their picture were there. So the numbers are those of both, one after the other: the first sums are those
// of passes/resample.glsl, term by term; the others, of whole numbers, are exact.
layout(local_size_x = 64, local_size_y = 2) in;

const int outputs = 16;
uvec4 sums[outputs];

// For two targets beside each other.
struct Pair {
  uvec4 left;
  uvec4 right;
};

// For the halved samples that these are made from.
struct Line {
  vec4 columns[6];
};

ivec2 place(int index) {
  return ivec2(gl_LocalInvocationID.xy) * ivec2(2, 8) + ivec2(index & 1, index >> 1);
}

vec4 halved(vec4 a, vec4 b, vec4 c, vec4 d) {
  PRECISE vec4 sum = vec4(0.0);
  sum += 0.125 * a;
  sum += 0.375 * b;
  sum += 0.375 * c;
  sum += 0.125 * d;
  return sum;
}

uvec4 binomial(uvec4 a, uvec4 b, uvec4 c, uvec4 d) {
  return a + d + 3u * (b + c);
}

// The sums along a row.
Line line(ivec2 p) {
  Line sums;
  vec4 first = fetch0(p);
  vec4 second = fetch0(p + ivec2(1, 0));
  for (int k = 0; k < 6; ++k) {
    vec4 third = fetch0(p + ivec2(2 * k + 2, 0));
    vec4 fourth = fetch0(p + ivec2(2 * k + 3, 0));
    sums.columns[k] = halved(first, second, third, fourth);
    first = third;
    second = fourth;
  }
  return sums;
}

Pair line(Line a, Line b, Line c, Line d) {
  uvec4 rounded[6];
  for (int k = 0; k < 6; ++k) {
    rounded[k] = encodeFixed16(halved(a.columns[k], b.columns[k], c.columns[k], d.columns[k]));
  }
  return Pair(binomial(rounded[0], rounded[1], rounded[2], rounded[3]),
              binomial(rounded[2], rounded[3], rounded[4], rounded[5]));
}

void compute(ivec2 first) {
  ivec2 start = 4 * (first + place(0)) - 3;
  Line above = line(start);
  Line upper = line(start + ivec2(0, 1));
  // The last four halved lines, the newest at the end.
  Pair a;
  Pair b;
  Pair c;
  Pair d;
  for (int k = 0; k < outputs + 2; ++k) {
    Line lower = line(start + ivec2(0, 2 * k + 2));
    Line below = line(start + ivec2(0, 2 * k + 3));
    a = b;
    b = c;
    c = d;
    d = line(above, upper, lower, below);
    above = lower;
    upper = below;
    if (k > 2 && (k & 1) == 1) {
      sums[k - 3] = binomial(a.left, b.left, c.left, d.left);
      sums[k - 2] = binomial(a.right, b.right, c.right, d.right);
    }
  }
}

uvec4 texelOf(int index) {
  uvec4 texel = (sums[index] + 32u) >> 6u;
#if TARGET_OPAQUE
  texel.w = 65280u;
#endif
  return texel;
}
