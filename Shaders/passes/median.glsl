// Median: the sample of a given rank in a square window, each channel on its own.
// Found by halving: how many samples are at most the middle of the interval that is left says in
// which half the one of that rank lies, and the half is narrowed to samples that there are.
uniform int radius;
uniform int rank;

// Whole numbers in the order of the values: a float's bits, those of negative ones turned over.
// Undoes itself.
ivec4 turned(ivec4 bits) {
  return bits ^ ((bits >> 31) & 0x7fffffff);
}

ivec4 key(ivec2 p) {
  return turned(floatBitsToInt(fetch0(p)));
}

vec4 pass(ivec2 p) {
  ivec4 low = key(p);
  ivec4 high = low;
  for (int j = -radius; j <= radius; ++j) {
    for (int i = -radius; i <= radius; ++i) {
      ivec4 k = key(p + ivec2(i, j));
      low = min(low, k);
      high = max(high, k);
    }
  }
  // Each turn at least halves an interval of less than 2^32.
  for (int turn = 0; turn < 32 && low != high; ++turn) {
    ivec4 middle = (low >> 1) + (high >> 1) + (low & high & 1);
    ivec4 count = ivec4(0);
    ivec4 below = low;
    ivec4 above = high;
    for (int j = -radius; j <= radius; ++j) {
      for (int i = -radius; i <= radius; ++i) {
        ivec4 k = key(p + ivec2(i, j));
        bvec4 isBelow = lessThanEqual(k, middle);
        count += ivec4(isBelow);
        below = max(below, mix(below, k, isBelow));
        above = min(above, mix(k, above, isBelow));
      }
    }
    bvec4 isInLower = greaterThan(count, ivec4(rank));
    high = mix(high, below, isInLower);
    low = mix(above, low, isInLower);
  }
  return intBitsToFloat(turned(low));
}
