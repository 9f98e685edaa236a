// Load: samples of an input picture become linear or encoded premultiplied values.
// Part of fetching the picture, under the name that LOAD stands for.
vec4 LOAD(vec4 v) {
#if LOW_BITS > 0
  v = min(v * (65535.0 / float((1 << LOW_BITS) - 1)), 1.0);
#endif
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
