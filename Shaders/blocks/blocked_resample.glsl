// Resample in registers: each invocation makes several targets, a period of them at least, below each other,
// whose sums along x are made once. Blocks begin with a period, so that all offsets are known.
// The sums are those of passes/resample.glsl, term by term.
layout(local_size_x = LOCAL_X, local_size_y = LOCAL_Y) in;
layout(std140, binding = 0) uniform Columns { total columns[1024]; };
layout(std140, binding = 1) uniform Rows { total rows[1024]; };

// Phases and source samples per period: columns (x, y), rows (z, w).
uniform ivec4 periods;

const int outputs = OUTPUTS;
const int vectorsX = (TAPS_X + 4) / 4;
const int vectorsY = (TAPS_Y + 4) / 4;
// Where the samples of each target begin, from the first of all.
const int offsets[outputs] = OFFSETS;
total results[outputs];

ivec2 place(int index) {
  ivec2 id = ivec2(gl_LocalInvocationID.xy);
  return ivec2(id.x, id.y * outputs + index);
}

void compute(ivec2 first) {
  ivec2 p = first + place(0);
  int period = floorDivide(p.x, periods.x);
  int phase = (p.x - period * periods.x) * vectorsX;
  ivec2 start = ivec2(period * periods.y + int(columns[phase].x),
                      floorDivide(p.y, periods.z) * periods.w + FIRST);
  number tapsX[TAPS_X];
  for (int i = 0; i < TAPS_X; ++i) tapsX[i] = columns[phase + ((i + 1) >> 2)][(i + 1) & 3];
  TOTAL lines[SPAN];
  for (int line = 0; line < SPAN; ++line) {
    TOTAL sum = total(0);
    for (int i = 0; i < TAPS_X; ++i) sum += tapsX[i] * fetch0(start + ivec2(i, line));
    lines[line] = sum;
  }
  for (int k = 0; k < outputs; ++k) {
    int row = k % PHASES_Y * vectorsY;
    TOTAL sum = total(0);
    for (int j = 0; j < TAPS_Y; ++j) {
      // Taps that fill a shorter phase up are 0 and may lie below the last line.
      number tap = rows[row + ((j + 1) >> 2)][(j + 1) & 3];
      sum += tap * lines[min(offsets[k] + j, SPAN - 1)];
    }
    results[k] = sum;
  }
}
