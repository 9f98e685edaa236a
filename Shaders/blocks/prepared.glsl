// What a group makes before its targets, in memory that it shares: the samples of a picture that would
// otherwise be drawn and read again, as the 65280ths that it would hold. COLUMNS × ROWS of them, from LEFT and
// TOP of where the block's first period begins, STRIDE of them to a period.
shared uvec2 made[COLUMNS * ROWS];
ivec2 corner;

ivec2 cornerOf(ivec2 first) {
  ivec2 periods = ivec2(floorDivide(first.x, PERIOD_X), floorDivide(first.y, PERIOD_Y));
  return STRIDE * periods + ivec2(LEFT, TOP);
}

uvec2 wordsOf(uvec4 samples) {
  return samples.xy | samples.zw << 16u;
}

vec4 samplesOf(uvec2 words) {
  return vec4(uvec4(words & 65535u, words >> 16u));
}

void keep(int column, int row, uvec4 samples) {
  made[row * COLUMNS + column] = wordsOf(samples);
}

vec4 prepared(ivec2 p) {
  ivec2 place = p - corner;
  return samplesOf(made[place.y * COLUMNS + place.x]);
}
