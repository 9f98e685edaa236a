// Halves twice: QUARTERED_ROWS targets below each other, and as many beside them, from sums of [1 3 3 1] of
// such sums along both axes. The numbers are those of both, one after the other.
uvec4 quartered[2 * QUARTERED_ROWS];

// For two targets beside each other.
struct Pair {
  uvec4 left;
  uvec4 right;
};

uvec4 binomial(uvec4 a, uvec4 b, uvec4 c, uvec4 d) {
  return a + d + 3u * (b + c);
}

Pair binomial(Pair a, Pair b, Pair c, Pair d) {
  return Pair(
      binomial(a.left, b.left, c.left, d.left), binomial(a.right, b.right, c.right, d.right));
}

// Samples of 8 bit, two in the halves of a word along rows, where a sum is at most 64 · 255. Down to the
// target it is at most 4096 · 255, and a sixteenth of that is the target's 65280ths. Nothing is lost between.
const uint quarteredBits = 4u;

// A row of the picture, quartered along it.
#define Line Pair

uvec2 binomial(uvec2 a, uvec2 b, uvec2 c, uvec2 d) {
  return a + d + 3u * (b + c);
}

uvec4 samples(uvec2 words) {
  return uvec4(words & 65535u, words >> 16u);
}

Line lineAt(ivec2 p) {
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

// Half of four rows.
Pair halvedRows(int row, Line a, Line b, Line c, Line d) {
  return binomial(a, b, c, d);
}

void quarter(ivec2 first) {
  ivec2 start = 4 * first - 3;
  Line above = lineAt(start);
  Line upper = lineAt(start + ivec2(0, 1));
  // The last four halved rows, the newest at the end.
  Pair a;
  Pair b;
  Pair c;
  Pair d;
  for (int k = 0; k < 2 * QUARTERED_ROWS + 2; ++k) {
    Line lower = lineAt(start + ivec2(0, 2 * k + 2));
    Line below = lineAt(start + ivec2(0, 2 * k + 3));
    a = b;
    b = c;
    c = d;
    d = halvedRows(2 * first.y - 1 + k, above, upper, lower, below);
    above = lower;
    upper = below;
    if (k > 2 && (k & 1) == 1) {
      Pair sum = binomial(a, b, c, d);
      quartered[k - 3] = sum.left;
      quartered[k - 2] = sum.right;
    }
  }
}

// One of the targets in 65280ths, row by row.
uvec4 quarteredTexel(int index) {
  return (quartered[index] + (1u << (quarteredBits - 1u))) >> quarteredBits;
}
