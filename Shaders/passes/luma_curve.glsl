// LumaCurve: a matrix on premultiplied color, plus a curve of the straight color's brightness.
uniform vec3 red;
uniform vec3 green;
uniform vec3 blue;
uniform vec3 luma;
uniform vec4 curve;

vec4 pass(ivec2 p) {
  vec4 v = fetch0(p);
  float alpha = max(v.a, 0.0);
  float level = alpha > 0.0 ? clamp(dot(luma, v.rgb) / alpha, 0.0, 1.0) : 0.0;
  float lift = alpha * (((curve.w * level + curve.z) * level + curve.y) * level + curve.x);
  vec3 color = vec3(dot(red, v.rgb), dot(green, v.rgb), dot(blue, v.rgb));
  return vec4(clamp(color + lift, vec3(0.0), vec3(alpha)), v.a);
}
