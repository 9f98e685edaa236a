// Where a dispatch puts what it makes: an image, or a storage buffer in which each pixel is a word, row after row.
#if TARGET_HOLDS_WORDS
layout(std430, binding = 0) writeonly buffer Target { uint target[]; };

uniform int targetWidth;

void put(ivec2 texel, uvec4 bytes) {
  target[texel.y * targetWidth + texel.x] = bytes.r | bytes.g << 8u | bytes.b << 16u | bytes.a << 24u;
}
#else
layout(TARGET_FORMAT, binding = 0) writeonly uniform highp TARGET_IMAGE target;

void put(ivec2 texel, TARGET_TYPE value) {
  imageStore(target, texel, value);
}
#endif
