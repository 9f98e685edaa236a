// A pass whose invocations make several targets each, or work together, as a compute shader; what
// follows the pass works on its results.
// What this dispatch makes of the target: top, bottom, left, right.
uniform ivec4 band;

void main() {
  ivec2 block = ivec2(gl_WorkGroupID.xy) * ivec2(BLOCK_X, BLOCK_Y) + band.zx;
  block.y -= floorModulo(band.x + targetOrigin.y, PHASES_Y);
  compute(block + targetOrigin);
  for (int k = 0; k < outputs; ++k) {
    ivec2 texel = block + place(k);
    if (texel.x < band.w && texel.y >= band.x && texel.y < band.y) {
#ifdef WHOLE_TEXELS
      put(texel, texelOf(k));
#else
      head = results[k];
      put(texel, encodeTarget(pass(texel + targetOrigin)));
#endif
    }
  }
}
