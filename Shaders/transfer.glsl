// The sRGB curve of IEC 61966-2-1, odd around 0. `pow` may be off by some thousand units in the
// last place; one Newton step on a root brings it to a few.

float decodeTransfer(float v) {
  float magnitude = abs(v);
  if (magnitude <= 0.04045) return v / 12.92;
  // x^2.4 = x^2 (x^(1/5))^2
  float x = (magnitude + 0.055) / 1.055;
  float root = pow(x, 0.2);
  float square = root * root;
  root -= (root - x / (square * square)) * 0.2;
  float light = x * x * root * root;
  return v < 0.0 ? -light : light;
}

float encodeTransfer(float v) {
  float magnitude = abs(v);
  if (magnitude <= 0.0031308) return v * 12.92;
  // x^(1/2.4) = (x^(1/12))^5
  float root = pow(magnitude, 1.0 / 12.0);
  float square = root * root;
  float fourth = square * square;
  root -= (root - magnitude / (fourth * fourth * square * root)) / 12.0;
  square = root * root;
  float encoded = 1.055 * (square * square * root) - 0.055;
  return v < 0.0 ? -encoded : encoded;
}

vec3 decodeTransfer(vec3 v) {
  return vec3(decodeTransfer(v.r), decodeTransfer(v.g), decodeTransfer(v.b));
}

vec3 encodeTransfer(vec3 v) {
  return vec3(encodeTransfer(v.r), encodeTransfer(v.g), encodeTransfer(v.b));
}

// The straight color of a premultiplied pixel; nothing where nothing is.
vec3 straightColor(vec4 v) {
  return v.a > 0.0 ? v.rgb / v.a : vec3(0.0);
}
