// Blend: two pictures mixed.
uniform float amount;

vec4 pass(ivec2 p) {
  return fetch0(p) * (1.0 - amount) + fetch1(p) * amount;
}
