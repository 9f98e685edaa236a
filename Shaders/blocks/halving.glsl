// The half of four neighbors, as passes/resample.glsl sums them, term by term: beyond an edge that mirrors
// they are those of a sample inside in the other order, and so is the sum.
vec4 halved(bool isReversed, vec4 a, vec4 b, vec4 c, vec4 d) {
  PRECISE vec4 sum = vec4(0.0);
  sum += 0.125 * (isReversed ? d : a);
  sum += 0.375 * (isReversed ? c : b);
  sum += 0.375 * (isReversed ? b : c);
  sum += 0.125 * (isReversed ? a : d);
  return sum;
}
