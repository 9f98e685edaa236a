// Bilateral: a window's mean, weighted by distance and by difference from its center.
// taps: the weights along x, and from vector `firstRow` on those along y; the center's first.
layout(std140, binding = 0) uniform Taps { vec4 taps[1024]; };

// Samples to each side along x and y, pixels between them.
uniform ivec4 window;
uniform int firstRow;

vec4 pass(ivec2 p) {
  vec4 center = fetch0(p);
  vec4 sum = vec4(0.0);
  float weights = 0.0;
  for (int j = -window.y; j <= window.y; ++j) {
    vec4 rowSum = vec4(0.0);
    float rowWeights = 0.0;
    for (int i = -window.x; i <= window.x; ++i) {
      vec4 v = fetch0(p + ivec2(i, j) * window.z);
      float weight = taps[abs(i) >> 2][abs(i) & 3] * rangeWeight(v - center);
      rowSum += weight * v;
      rowWeights += weight;
    }
    float down = taps[firstRow + (abs(j) >> 2)][abs(j) & 3];
    sum += down * rowSum;
    weights += down * rowWeights;
  }
  return sum / weights;
}
