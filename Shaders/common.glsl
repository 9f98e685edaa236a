// What every pass shares: integer arithmetic, edge modes, sample decoding and target encoding.
// Software renderers forgive `mediump`; phones do not.
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;

// Where texel (0, 0) of the target lies in the target's own grid.
uniform ivec2 targetOrigin;

// floor(a / n) for any sign of a, |a / n| < 2^20. Through float because `/` and `%` on negative
// integers are left undefined by the language and slow on software renderers; the quotient is at
// most one off, which the remainder shows.
int floorDivide(int a, int n) {
  int quotient = int(floor(float(a) / float(n)));
  int remainder = a - quotient * n;
  return quotient + int(remainder >= n) - int(remainder < 0);
}

int floorModulo(int a, int n) {
  return a - floorDivide(a, n) * n;
}

// The coordinate inside low ..< low + count that stands for v. `resolveNone` serves sources that
// are never read outside, and transparent ones, whose outside is masked after the fetch.
int resolveNone(int v, int low, int count) {
  return v;
}

int resolveClamp(int v, int low, int count) {
  return clamp(v, low, low + count - 1);
}

int resolveMirror(int v, int low, int count) {
  int phase = floorModulo(v - low, 2 * count);
  return low + min(phase, 2 * count - 1 - phase);
}

int resolveReflect101(int v, int low, int count) {
  int last = count - 1;
  int phase = floorModulo(v - low, max(2 * last, 1));
  return low + min(phase, 2 * last - phase);
}

int resolveWrap(int v, int low, int count) {
  return low + floorModulo(v - low, count);
}

// The same for an edge that is a number: 0 none, 1 clamp, 2 mirror, 3 wrap, 4 transparent, 5 reflect-101.
// Software renderers take all branches, and only the division is dear: so the three that repeat share one.
int resolveAny(int edge, int v, int low, int count) {
  int turn = 2 * count - (edge == 5 ? 2 : 1);
  int phase = floorModulo(v - low, edge == 2 ? 2 * count : edge == 5 ? max(turn, 1) : count);
  // Of wrap, the first is always the smaller one.
  int repeated = low + min(phase, turn - phase);
  return edge == 1 ? resolveClamp(v, low, count) : edge == 0 || edge == 4 ? v : repeated;
}

bool existsAlways(int v, int low, int count) {
  return true;
}

bool existsInside(int v, int low, int count) {
  return v >= low && v < low + count;
}

bool existsAny(int edge, int v, int low, int count) {
  return edge != 4 || existsInside(v, low, count);
}

// Texels to values. 65280 = 255 * 256 leaves no level of 8 bit between two steps.
vec4 decodeFloat(vec4 texel) {
  return texel;
}

vec4 decodeFixed16(uvec4 texel) {
  return vec4(texel) / 65280.0;
}

vec4 decodeFloatBits(uvec4 texel) {
  return uintBitsToFloat(texel);
}

vec4 decodeUnsigned8(uvec4 texel) {
  return vec4(texel) / 255.0;
}

vec4 decodeUnsigned16(uvec4 texel) {
  return vec4(texel) / 65535.0;
}

// The same bits as from integers, however the driver divides.
vec4 decodeUnorm8(vec4 texel) {
  return floor(texel * 255.0 + 0.5) / 255.0;
}

// The whole numbers that texels hold.
uvec4 wholeOf(uvec4 texel) {
  return texel;
}

uvec4 wholeOf(vec4 texel) {
  return uvec4(texel * 255.0 + 0.5);
}

// Sums by taps that are 65536ths: of 65280ths, or of colors times alpha, which are 65025ths. As values, as 65280ths
// and as 255ths.
#if SUMS_PRODUCTS
vec4 fractionsOf(uvec4 sum) {
  return vec4(sum) / 65536.0 / 65025.0;
}

uvec4 bytesOf(uvec4 sum) {
  return ((sum + 8355840u) >> 16u) / 255u;
}
#else
vec4 fractionsOf(uvec4 sum) {
  return vec4(sum) / 65536.0 / 65280.0;
}

uvec4 bytesOf(uvec4 sum) {
  return (sum + 0x800000u) >> 24u;
}
#endif

// Rounded by a shift of signed numbers, which loses nothing of 31 bits: of an unsigned one LLVM makes a way of
// storing 16 bits that doubles what llvmpipe takes for a convolution.
uvec4 stepsOf(bool areProducts, uvec4 sum) {
  return areProducts ? ((sum + 32640u) >> 8u) / 255u : uvec4(ivec4((sum >> 1u) + 0x4000u) >> 15);
}

// What pictures that are no inputs are loaded by.
vec4 asIs(vec4 v) {
  return v;
}

// The value limited to 0…1; not-a-number becomes 0. By its bits, as `isnan` may always be false
// and the result of `min` and `max` on it is open.
float limitToUnit(float v) {
  bool isNumber = (floatBitsToUint(v) & 0x7fffffffu) <= 0x7f800000u;
  return isNumber ? clamp(v, 0.0, 1.0) : 0.0;
}

vec4 limitToUnit(vec4 v) {
  return vec4(limitToUnit(v.r), limitToUnit(v.g), limitToUnit(v.b), limitToUnit(v.a));
}

// Values to texels. Rounding happens here, as what a store does with fractions is open.
vec4 encodeFloat(vec4 v) {
  return v;
}

uvec4 encodeFixed16(vec4 v) {
  return uvec4(floor(limitToUnit(v) * 65280.0 + 0.5));
}

uvec4 encodeFloatBits(vec4 v) {
  return floatBitsToUint(v);
}

uvec4 encodeUnsigned8(vec4 v) {
  return uvec4(floor(limitToUnit(v) * 255.0 + 0.5));
}

vec4 encodeUnorm8(vec4 v) {
  return floor(limitToUnit(v) * 255.0 + 0.5) / 255.0;
}

uvec4 encodeUnsigned16(vec4 v) {
  return uvec4(floor(limitToUnit(v) * 65535.0 + 0.5));
}

// What a pass computed, as the target stores it. Pictures without alpha carry alpha 1.
TARGET_TYPE encodeTarget(vec4 v) {
#if TARGET_OPAQUE
  v.a = 1.0;
#endif
  return TARGET_ENCODE(v);
}

#if TARGET_STORES_SUMS
// Such a sum, exact until it is rounded once: to 65280ths, or to the 255ths of a result.
TARGET_TYPE encodeTarget(uvec4 sum) {
#if TARGET_STORES_SUMS == 2
  uvec4 bytes = bytesOf(sum);
#if TARGET_OPAQUE
  bytes.a = 255u;
#endif
#if TARGET_HOLDS_WORDS
  return bytes;
#else
  return vec4(bytes) / 255.0;
#endif
#else
  uvec4 texel = stepsOf(SUMS_PRODUCTS == 1, sum);
#if TARGET_OPAQUE
  texel.a = 65280u;
#endif
  return texel;
#endif
}
#endif
