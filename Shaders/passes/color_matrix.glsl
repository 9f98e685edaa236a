// ColorMatrix: a 3×4 matrix on premultiplied color, then a factor on the whole pixel.
uniform vec4 red;
uniform vec4 green;
uniform vec4 blue;
uniform float opacity;

vec4 pass(ivec2 p) {
  vec4 v = fetch0(p);
  vec3 color = vec3(dot(red, v), dot(green, v), dot(blue, v));
#if CLAMPS
  color = clamp(color, vec3(0.0), vec3(max(v.a, 0.0)));
#endif
  return vec4(color, v.a) * opacity;
}
