// Load: an input picture becomes linear or encoded premultiplied values.
vec4 pass(ivec2 p) {
  vec4 v = fetch0(p);
#if CHANNELS == 1
  v.rgb = v.rrr;
#endif
#if OPAQUE
  v.a = 1.0;
#endif
#if DECODES && PREMULTIPLIED
  v.rgb = straightColor(v);
#endif
#if DECODES
  v.rgb = decodeTransfer(v.rgb);
#endif
#if STRAIGHT || (DECODES && PREMULTIPLIED)
  v.rgb *= v.a;
#endif
  return v;
}
