// Grain: adds noise that depends on nothing but where a pixel is.
// The growth from lattice to pixels; each phase takes a vector for its first offset and its taps.
layout(std140, binding = 0) uniform Growth { vec4 growth[1024]; };

// Phases, and lattice points per period.
uniform ivec4 period;
uniform int seed;
uniform float amplitude;

uvec3 stirred(uvec3 v) {
  v.x += v.y * v.z;
  v.y += v.z * v.x;
  v.z += v.x * v.y;
  return v;
}

// The numbers for red, green and blue at a lattice point; Grain.swift says where the formula is from.
vec3 numbers(ivec2 p) {
  uvec3 v = stirred(uvec3(ivec3(p, seed)) * 1664525u + 1013904223u);
  v = stirred(v ^ (v >> 16));
#if BELL
  uvec3 sum = (v & 255u) + ((v >> 8) & 255u) + ((v >> 16) & 255u) + (v >> 24);
  return vec3(ivec3(sum) - 510);
#else
  return vec3(ivec3((v >> 26) * 2u) - 63);
#endif
}

vec3 noise(ivec2 p) {
  ivec2 turn = ivec2(floorDivide(p.x, period.x), floorDivide(p.y, period.x));
  ivec2 phase = p - turn * period.x;
  ivec2 first = turn * period.y + ivec2(growth[phase.x].x, growth[phase.y].x);
  vec3 sum = vec3(0.0);
  for (int j = 0; j < TAPS; ++j) {
    vec3 row = vec3(0.0);
    for (int i = 0; i < TAPS; ++i) {
      row += growth[phase.x][i + 1] * numbers(first + ivec2(i, j));
    }
    sum += growth[phase.y][j + 1] * row;
  }
#if !COLORED
  sum = sum.rrr;
#endif
  return sum * amplitude;
}

vec4 pass(ivec2 p) {
  vec4 v = fetch0(p);
  vec3 color = v.rgb;
#if ENCODES
  color = encodeTransfer(straightColor(v)) * v.a;
#endif
  vec3 added = noise(p) * v.a;
#if BELL
  // Limited alike in both directions, so that means stay.
  vec3 room = max(min(color, v.a - color), 0.0);
  color += max(min(added, room), -room);
#else
  color = max(min(color + added, max(color, v.a)), min(color, 0.0));
#endif
#if ENCODES
  color = decodeTransfer(straightColor(vec4(color, v.a))) * v.a;
#endif
  return vec4(color, v.a);
}
