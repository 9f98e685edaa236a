// A pass as a compute shader: groups of 16 × 8 invocations, which every device takes. Groups of half as many
// keep a large GPU waiting for the next.
layout(local_size_x = 16, local_size_y = 8) in;
// What this dispatch makes of the target: top, bottom, left, right.
uniform ivec4 band;

void main() {
  ivec2 texel = ivec2(gl_GlobalInvocationID.xy) + band.zx;
  if (texel.x >= band.w || texel.y >= band.y) return;
  put(texel, encodeTarget(pass(texel + targetOrigin)));
}
