// Pack: the bytes of a picture's rows one after another, low byte first, four in each texel. What is
// read back is then what an image holds.

// Columns of the picture; texels per row of the target.
uniform ivec2 shape;

// A sample of the picture, counted along its rows; what lies behind the last is of no matter.
uint sampleAt(uint index) {
  uint pixel = index / uint(CHANNELS);
  uint columns = uint(shape.x);
  float v = fetch0(ivec2(pixel % columns, pixel / columns))[int(index % uint(CHANNELS))];
#if BYTES == 1
  return uint(v * 255.0 + 0.5);
#elif BYTES == 2
  return uint(v * 65535.0 + 0.5);
#else
  return floatBitsToUint(v);
#endif
}

vec4 pass(ivec2 p) {
  uint texel = uint(p.y) * uint(shape.y) + uint(p.x);
#if BYTES == 1
  uvec4 bytes = uvec4(
      sampleAt(4u * texel), sampleAt(4u * texel + 1u), sampleAt(4u * texel + 2u),
      sampleAt(4u * texel + 3u));
#elif BYTES == 2
  uvec2 samples = uvec2(sampleAt(2u * texel), sampleAt(2u * texel + 1u));
  uvec4 bytes = uvec4(samples.x, samples.x >> 8, samples.y, samples.y >> 8);
#else
  uvec4 bytes = uvec4(sampleAt(texel)) >> uvec4(0, 8, 16, 24);
#endif
  return vec4(bytes & 255u) / 255.0;
}
