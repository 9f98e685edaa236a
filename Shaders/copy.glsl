// The picture as it is fetched: what a load that is no part of another pass comes to.
vec4 pass(ivec2 p) {
  return fetch0(p);
}
