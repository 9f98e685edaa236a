// Convolve in registers: each invocation makes several neighbors along the axis, whose windows
// overlap, so that each fetch serves all of them.
// The sums are those of passes/convolve.glsl, term by term.
layout(local_size_x = LOCAL_X, local_size_y = LOCAL_Y) in;
layout(std140, binding = 0) uniform Taps { total taps[1024]; };

const int outputs = OUTPUTS;
const ivec2 along = ivec2(AXIS_X, 1 - AXIS_X);
total results[outputs];

number tap(int k) {
  return taps[k >> 2][k & 3];
}

ivec2 place(int index) {
  return ivec2(gl_LocalInvocationID.xy) * (1 + (outputs - 1) * along) + index * along;
}

void compute(ivec2 first) {
  ivec2 start = first + place(0);
  // The samples at distance k before and after each; both move by one as k falls.
  total before[outputs];
  total after[outputs];
  TOTAL sums[outputs];
  for (int j = 0; j < outputs; ++j) {
    sums[j] = total(0);
    before[j] = fetch0(start + (j - RADIUS) * along);
    after[j] = fetch0(start + (j + RADIUS) * along);
  }
  for (int k = RADIUS; k > 0; --k) {
    for (int j = 0; j < outputs; ++j) sums[j] += tap(k) * (before[j] + after[j]);
    for (int j = 0; j < outputs - 1; ++j) before[j] = before[j + 1];
    for (int j = outputs - 1; j > 0; --j) after[j] = after[j - 1];
    before[outputs - 1] = fetch0(start + (outputs - k) * along);
    after[0] = fetch0(start + (k - 1) * along);
  }
  for (int j = 0; j < outputs; ++j) {
    sums[j] += tap(0) * before[j];
    results[j] = sums[j];
  }
}
