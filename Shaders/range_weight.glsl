// What a difference of two samples counts in bilateral filters.
// A polynomial for powers of two: coefficients 0 to 3, and the fourth.
layout(std140, binding = 1) uniform Powers { vec4 powers[1024]; };

// Whether weights fall in a line; programs for single filters have that in their text.
uniform bool fallsLinearly;
// What the squared difference is multiplied by to get 2^23 times the weight's exponent, or what the difference is.
uniform float slope;
// The least exponent, times 2^23.
uniform float least;

float rangeWeight(vec4 difference) {
  float square = dot(difference, difference);
  if (FALLS_LINEARLY) {
    float lost = sqrt(square) * slope;
    // What is no number is not less than 1 either.
    return 1.0 - (lost < 1.0 ? lost : 1.0);
  }
  float exponent = square * slope;
  // As bits: whole exponents are a float's, and below them is the fraction.
  int place = int(exponent > least ? exponent : least);
  float m = intBitsToFloat((place & 0x7FFFFF) | 0x3F800000);
  vec4 c = powers[0];
  float power = c.x + m * (c.y + m * (c.z + m * (c.w + m * powers[1].x)));
  return intBitsToFloat(floatBitsToInt(power) + (place & ~0x7FFFFF));
}
