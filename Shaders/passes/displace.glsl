// Displace: each pixel read from somewhere near, as the second picture says.
uniform vec3 span;

vec4 interpolated(ivec2 p, vec2 move) {
  vec2 whole = floor(move);
  vec2 part = move - whole;
  ivec2 q = p + ivec2(whole);
  vec4 top = fetch0(q) * (1.0 - part.x) + fetch0(q + ivec2(1, 0)) * part.x;
  vec4 bottom = fetch0(q + ivec2(0, 1)) * (1.0 - part.x) + fetch0(q + ivec2(1, 1)) * part.x;
  return top * (1.0 - part.y) + bottom * part.y;
}

vec4 pass(ivec2 p) {
  vec2 move = fetch1(p).rg - 0.5;
  vec4 v = interpolated(p, move * span.g);
#if DISPERSES
  v.r = interpolated(p, move * span.r).r;
  v.b = interpolated(p, move * span.b).b;
  v.rgb = clamp(v.rgb, vec3(0.0), vec3(max(v.a, 0.0)));
#endif
  return v;
}
