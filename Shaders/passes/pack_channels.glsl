// PackChannels: a gray picture in front of another's red and green.
vec4 pass(ivec2 p) {
  vec4 rest = fetch1(p);
  return vec4(fetch0(p).r, rest.rg, 1.0);
}
