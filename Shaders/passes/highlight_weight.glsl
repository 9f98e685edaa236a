// HighlightWeight: every pixel multiplied by a weight that grows with its brightness; at most 1.
uniform float highlights;
uniform vec3 luma;

vec4 pass(ivec2 p) {
  vec4 v = fetch0(p);
  float brightness = clamp(luma.r * v.r + luma.g * v.g + luma.b * v.b, 0.0, 1.0);
  float square = brightness * brightness;
  return v * ((1.0 + highlights * (square * square)) / (1.0 + highlights));
}
