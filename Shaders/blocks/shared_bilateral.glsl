// Bilateral from shared memory, several targets for each sample. The sums are those of passes/bilateral.glsl,
// term by term.
layout(std140, binding = 0) uniform Taps { vec4 taps[1024]; };

uniform int firstRow;

const int radiusX = WINDOW_X / 2;
const int radiusY = WINDOW_Y / 2;
// What the columns of a row count, in order.
shared float across[WINDOW_X];

void compute(ivec2 first) {
  for (int n = int(gl_LocalInvocationIndex); n < WINDOW_X; n += LOCAL_X * LOCAL_Y) {
    int distance = abs(n - radiusX);
    across[n] = taps[distance >> 2][distance & 3];
  }
  vec4 centers[outputs];
  vec4 sums[outputs];
  float weights[outputs];
  for (int k = 0; k < outputs; ++k) {
    centers[k] = fetch0(first + place(k));
    sums[k] = vec4(0.0);
    weights[k] = 0.0;
  }
  for (int begin = 0; begin < span; begin += STEPS) {
    int steps = bring(first, begin);
    for (int step = 0; step < steps; ++step) {
      int start = startOf(step);
      vec4 rowSums[outputs];
      float rowWeights[outputs];
      for (int k = 0; k < outputs; ++k) {
        rowSums[k] = vec4(0.0);
        rowWeights[k] = 0.0;
      }
      for (int i = 0; i < WINDOW_X; ++i) {
        vec4 v = tile[start + i];
        float share = across[i];
        for (int k = 0; k < outputs; ++k) {
          float weight = share * rangeWeight(v - centers[k]);
          rowSums[k] += weight * v;
          rowWeights[k] += weight;
        }
      }
      // The first rows are the upper target's alone, the last ones the lowest's.
      for (int k = 0; k < outputs; ++k) {
        int distance = abs(begin + step - k - radiusY);
        if (distance <= radiusY) {
          float down = taps[firstRow + (distance >> 2)][distance & 3];
          sums[k] += down * rowSums[k];
          weights[k] += down * rowWeights[k];
        }
      }
    }
  }
  for (int k = 0; k < outputs; ++k) results[k] = sums[k] / weights[k];
}
