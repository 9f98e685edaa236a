// Halve twice: each invocation makes eight targets below each other, and as many beside them.
layout(local_size_x = 64, local_size_y = 2) in;

const int outputs = 2 * QUARTERED_ROWS;

ivec2 place(int index) {
  return ivec2(gl_LocalInvocationID.xy) * ivec2(2, QUARTERED_ROWS) + ivec2(index & 1, index >> 1);
}

void compute(ivec2 first) {
  quarter(first + place(0));
}

uvec4 texelOf(int index) {
  uvec4 texel = quarteredTexel(index);
#if TARGET_OPAQUE
  texel.w = 65280u;
#endif
  return texel;
}
