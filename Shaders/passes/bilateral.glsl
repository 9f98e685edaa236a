// Bilateral: a window's mean, weighted by distance and by difference from its center.
// taps: the weights along x, and from vector `firstRow` on those along y; the center's first.
layout(std140, binding = 0) uniform Taps { vec4 taps[1024]; };
// A polynomial for powers of two: coefficients 0 to 3, and the fourth.
layout(std140, binding = 1) uniform Powers { vec4 powers[1024]; };

// Samples to each side along x and y, pixels between them, whether weights fall linearly.
uniform ivec4 window;
uniform int firstRow;
// What the squared difference is multiplied by to get the weight's exponent; what the difference is.
uniform float slope;
// The least exponent.
uniform float least;

float rangeWeight(vec4 difference) {
  float square = dot(difference, difference);
  if (window.w == 1) {
    float lost = sqrt(square) * slope;
    // What is no number is not less than 1 either.
    return 1.0 - (lost < 1.0 ? lost : 1.0);
  }
  float exponent = square * slope;
  // As bits: whole exponents are a float's, and below them is the fraction.
  int place = int((exponent > least ? exponent : least) * 8388608.0);
  float m = intBitsToFloat((place & 0x7FFFFF) | 0x3F800000);
  vec4 c = powers[0];
  float power = c.x + m * (c.y + m * (c.z + m * (c.w + m * powers[1].x)));
  return intBitsToFloat(floatBitsToInt(power) + (place & ~0x7FFFFF));
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
