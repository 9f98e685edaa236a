// One picture that the program reads. Included once per picture, with these names defined:
//   SAMPLER, DECODE      how texels are held
//   LOADED               how an input becomes values; `asIs` for other pictures
//   TEXELS, TEXELS_UNIT  the sampler's name and texture unit
//   PLACE                ivec4: where texel (0, 0) lies in the picture's grid, width, height
//   EDGE                 ivec4: first column and row of the picture, columns, rows
//   EDGES                ivec2: the edges as numbers, where they are not in the text
//   RESOLVE_X, EXISTS_X  what columns outside the picture stand for, and whether they exist
//   RESOLVE_Y, EXISTS_Y  the same for rows
//   FETCH                the function defined here: coordinates in the picture's grid to a value
//   WHOLE                whether samples are read as whole numbers by the function SAMPLES: 65280 for 1, or 65025
//                        where colors are multiplied by alpha; SHIFT makes the former of what texels hold
//   KEEPS                whether texels of 8 bit are kept as they came: KEPT is the function for one as a
//                        word, VALUE that for what it is loaded as
//   PACKING              0 none; samples of 8 bit in pairs: 1 from texels, 2 from an image of words
//   PACKED, WORDS        the function for these, and the image's name
//   CHANNELS, OPAQUE, STRAIGHT  what a load makes of them
//   STORED               0 for a texture; else samples of 8 bits of each pixel, in the words of the storage buffer
//                        TEXELS that is BLOCK at TEXELS_UNIT, row after row without gaps
//   TEXEL, HELD          the function for what is held at a place, and its type
//   BYTE                 the name of another
uniform ivec4 PLACE;
uniform ivec4 EDGE;
uniform ivec2 EDGES;

#if STORED
layout(std430, binding = TEXELS_UNIT) readonly buffer BLOCK { uint TEXELS[]; };

#if STORED == 4
uvec4 TEXEL(ivec2 p) {
  return (uvec4(TEXELS[p.y * PLACE.z + p.x]) >> uvec4(0u, 8u, 16u, 24u)) & 255u;
}
#else
uint BYTE(int index) {
  return TEXELS[index >> 2] >> uint((index & 3) << 3) & 255u;
}

// As textures of fewer channels are fetched.
uvec4 TEXEL(ivec2 p) {
  int first = STORED * (p.y * PLACE.z + p.x);
#if STORED == 3
  return uvec4(BYTE(first), BYTE(first + 1), BYTE(first + 2), 1u);
#else
  return uvec4(BYTE(first), 0u, 0u, 1u);
#endif
}
#endif
#else
layout(binding = TEXELS_UNIT) uniform SAMPLER TEXELS;

HELD TEXEL(ivec2 p) {
  return texelFetch(TEXELS, p, 0);
}
#endif

vec4 FETCH(ivec2 p) {
  ivec2 resolved =
      ivec2(RESOLVE_X(p.x, EDGE.x, EDGE.z), RESOLVE_Y(p.y, EDGE.y, EDGE.w));
  // A fetch outside the texture is undefined: a transparent outside, and helper invocations
  // beyond the target, must not make one.
  ivec2 texel = clamp(resolved - PLACE.xy, ivec2(0), PLACE.zw - 1);
  vec4 value = LOADED(DECODE(TEXEL(texel)));
  bool exists = EXISTS_X(p.x, EDGE.x, EDGE.z) && EXISTS_Y(p.y, EDGE.y, EDGE.w);
  return exists ? value : vec4(0.0);
}

#if WHOLE
uvec4 SAMPLES(ivec2 p) {
  ivec2 resolved =
      ivec2(RESOLVE_X(p.x, EDGE.x, EDGE.z), RESOLVE_Y(p.y, EDGE.y, EDGE.w));
  ivec2 texel = clamp(resolved - PLACE.xy, ivec2(0), PLACE.zw - 1);
  uvec4 samples = wholeOf(TEXEL(texel));
#if STRAIGHT
  samples *= uvec4(samples.aaa, 255u);
#else
  samples <<= SHIFT;
#endif
#if CHANNELS == 1
  samples.rgb = samples.rrr;
#endif
#if OPAQUE
  samples.a = 65280u;
#endif
  bool exists = EXISTS_X(p.x, EDGE.x, EDGE.z) && EXISTS_Y(p.y, EDGE.y, EDGE.w);
  return exists ? samples : uvec4(0u);
}
#endif

#if KEEPS
uint KEPT(ivec2 p) {
  ivec2 resolved =
      ivec2(RESOLVE_X(p.x, EDGE.x, EDGE.z), RESOLVE_Y(p.y, EDGE.y, EDGE.w));
  ivec2 texel = clamp(resolved - PLACE.xy, ivec2(0), PLACE.zw - 1);
  uvec4 samples = wholeOf(TEXEL(texel));
  return samples.r | samples.g << 8u | samples.b << 16u | samples.a << 24u;
}

vec4 VALUE(uint word) {
  return LOADED(decodeUnsigned8((uvec4(word) >> uvec4(0u, 8u, 16u, 24u)) & 255u));
}
#endif

#if PACKING
#if PACKING == 2
layout(r32ui, binding = 1) readonly uniform highp uimage2D WORDS;
#endif

// Red and blue in the halves of a word, green and alpha in those of another.
uvec2 PACKED(ivec2 p) {
  ivec2 resolved =
      ivec2(RESOLVE_X(p.x, EDGE.x, EDGE.z), RESOLVE_Y(p.y, EDGE.y, EDGE.w));
  ivec2 texel = clamp(resolved - PLACE.xy, ivec2(0), PLACE.zw - 1);
#if PACKING == 2 || STORED == 4
#if STORED
  uint word = TEXELS[texel.y * PLACE.z + texel.x];
#else
  uint word = imageLoad(WORDS, texel).r;
#endif
  uvec2 pairs = uvec2(word, word >> 8u) & 0xff00ffu;
#else
  uvec4 samples = wholeOf(TEXEL(texel));
  uvec2 pairs = samples.rg | samples.ba << 16u;
#endif
#if CHANNELS == 1
  pairs = uvec2((pairs.x & 255u) * 0x10001u);
#endif
#if OPAQUE
  pairs.y = (pairs.y & 255u) | 0xff0000u;
#endif
  bool exists = EXISTS_X(p.x, EDGE.x, EDGE.z) && EXISTS_Y(p.y, EDGE.y, EDGE.w);
  return exists ? pairs : uvec2(0u);
}
#endif
