// Resample: a change of scale, by filters that take turns along each axis.
// Each phase takes as many vectors as hold its first offset and its taps: first, tap 0, tap 1, ….
// Sums are of floats, or of whole numbers: `total` is what they are, TOTAL that of one that is summed up.
layout(std140, binding = 0) uniform Columns { total columns[1024]; };
layout(std140, binding = 1) uniform Rows { total rows[1024]; };

// Phases and source samples per period: columns (x, y), rows (z, w).
uniform ivec4 periods;

#if TAPS_ARE_UNIFORM
// The longest phase along x and y.
uniform ivec4 lengths;
#else
const ivec4 lengths = ivec4(TAPS_X, TAPS_Y, 0, 0);
#endif

total pass(ivec2 p) {
  ivec2 vectors = (lengths.xy + 4) >> 2;
  ivec2 period = ivec2(floorDivide(p.x, periods.x), floorDivide(p.y, periods.z));
  int phaseX = (p.x - period.x * periods.x) * vectors.x;
  int phaseY = (p.y - period.y * periods.z) * vectors.y;
  ivec2 first = period * periods.yw + ivec2(columns[phaseX].x, rows[phaseY].x);
  TOTAL sum = total(0);
  for (int j = 0; j < lengths.y; ++j) {
    TOTAL row = total(0);
    for (int i = 0; i < lengths.x; ++i) {
      number tap = columns[phaseX + ((i + 1) >> 2)][(i + 1) & 3];
      row += tap * fetch0(first + ivec2(i, j));
    }
    sum += rows[phaseY + ((j + 1) >> 2)][(j + 1) & 3] * row;
  }
  return sum;
}
