// Blend: two pictures put together. MODE: 0 mix, 1 masked, 2 over, 3 multiply, 4 divide,
// 5 normalize, 6 plus lighter, 7 normalize above.
#if MODE == 0
uniform float amount;

vec4 pass(ivec2 p) {
  PRECISE vec4 mixed = fetch0(p) * (1.0 - amount) + fetch1(p) * amount;
  return mixed;
}
#elif MODE == 1
// Left, top, right, bottom: outside, the mask is 1 (first) or 0 (second).
uniform ivec4 firstPart;
uniform ivec4 secondPart;

bool isInside(ivec2 p, ivec4 part) {
  return p.x >= part.x && p.y >= part.y && p.x < part.z && p.y < part.w;
}

vec4 pass(ivec2 p) {
  float amount = 0.0;
  if (isInside(p, secondPart)) amount = isInside(p, firstPart) ? fetch2(p).r : 1.0;
  // What does not show is not looked at: it may be no number, and may cost much.
  vec4 first = vec4(0.0);
  vec4 second = vec4(0.0);
  if (amount != 1.0) first = fetch0(p);
  if (amount != 0.0) second = fetch1(p);
  if (amount == 0.0) return first;
  if (amount == 1.0) return second;
  PRECISE vec4 mixed = first * (1.0 - amount) + second * amount;
  return mixed;
}
#else
#if MODE == 7
uniform float share;
#endif

vec4 pass(ivec2 p) {
  vec4 a = fetch0(p);
  vec4 b = fetch1(p);
#if MODE == 2
  return a + b * (1.0 - a.a);
#elif MODE == 3
  return b.r == 0.0 ? vec4(0.0) : a * b.r;
#elif MODE == 4
  return b.r < 1.0 / 65536.0 ? vec4(0.0) : clamp(a / b.r, 0.0, 1.0);
#elif MODE == 5
  return a.a < 1.0 / 65536.0 ? b : clamp(a * (b.a / a.a), 0.0, b.a);
#elif MODE == 7
  if (a.a == 0.0) return b;
  float least = share * b.a;
  vec4 made = a.a < least ? a / share + b * (1.0 - a.a / least) : a * (b.a / a.a);
  return clamp(made, 0.0, b.a);
#else
  return min(a + b, vec4(1.0));
#endif
}
#endif
