// Store: premultiplied values become what the caller asked for. The rounding is the target's.
uniform vec3 background;

vec4 pass(ivec2 p) {
  vec4 v = fetch0(p);
#if HAS_BACKGROUND
  v = vec4(v.rgb + background * (1.0 - v.a), 1.0);
#endif
#if STRAIGHT || ENCODES
  v = vec4(straightColor(v), v.a);
#endif
#if ENCODES
  v.rgb = encodeTransfer(v.rgb);
#endif
#if ENCODES && PREMULTIPLIED
  v.rgb *= v.a;
#endif
#if LOW_BITS > 0
  v = clamp(v, 0.0, 1.0) * (float((1 << LOW_BITS) - 1) / 65535.0);
#endif
  return v;
}
