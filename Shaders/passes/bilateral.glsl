// Bilateral: a window's mean, weighted by distance and by difference from its center.
// taps: the weights along x, and from vector `firstRow` on those along y; the center's first.
layout(std140, binding = 0) uniform Taps { vec4 taps[1024]; };
// The weights of differences 0, 1, 2, … / fineness.
layout(std140, binding = 1) uniform Range { vec4 range[1024]; };

// Samples to each side along x and y, pixels between them, the last entry of `range`.
uniform ivec4 window;
uniform int firstRow;
uniform float fineness;

float rangeWeight(vec4 difference) {
  float last = float(window.w);
  float place = sqrt(dot(difference, difference)) * fineness;
  // What is no number is not less than `last` either.
  float limited = place < last ? place : last;
  int entry = min(int(limited), window.w - 1);
  float low = range[entry >> 2][entry & 3];
  float high = range[(entry + 1) >> 2][(entry + 1) & 3];
  return low + (limited - float(entry)) * (high - low);
}

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
