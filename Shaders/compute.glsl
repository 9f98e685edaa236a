// A pass as a compute shader: groups of 16 × 8 invocations, which every device takes. Groups of half as many
// keep a large GPU waiting for the next.
layout(local_size_x = 16, local_size_y = 8) in;
layout(TARGET_FORMAT, binding = 0) writeonly uniform highp TARGET_IMAGE target;

// The rows of this dispatch, and the target's columns: top, bottom, width.
uniform ivec3 band;

void main() {
  ivec2 texel = ivec2(gl_GlobalInvocationID.xy) + ivec2(0, band.x);
  if (texel.x >= band.z || texel.y >= band.y) return;
  imageStore(target, texel, encodeTarget(pass(texel + targetOrigin)));
}
