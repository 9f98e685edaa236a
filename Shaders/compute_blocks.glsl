// A pass whose invocations make several targets each, or work together, as a compute shader; what
// follows the pass works on its results.
layout(TARGET_FORMAT, binding = 0) writeonly uniform highp TARGET_IMAGE target;

// The rows of this dispatch, and the target's columns: top, bottom, width.
uniform ivec3 band;

void main() {
  ivec2 block = ivec2(gl_WorkGroupID.xy) * ivec2(BLOCK_X, BLOCK_Y) + ivec2(0, band.x);
  block.y -= floorModulo(band.x + targetOrigin.y, PHASES_Y);
#ifdef PREPARES
  prepare(block + targetOrigin);
#endif
  compute(block + targetOrigin);
  for (int k = 0; k < outputs; ++k) {
    ivec2 texel = block + place(k);
    if (texel.x < band.z && texel.y >= band.x && texel.y < band.y) {
#ifdef WHOLE_TEXELS
      imageStore(target, texel, texelOf(k));
#else
      head = results[k];
      imageStore(target, texel, encodeTarget(pass(texel + targetOrigin)));
#endif
    }
  }
}
