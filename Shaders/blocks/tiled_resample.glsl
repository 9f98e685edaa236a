// Resample through shared memory: the rows that a block of targets is summed from are made once.
// The sums are those of passes/resample.glsl, term by term.
layout(local_size_x = 16, local_size_y = 8) in;
layout(std140, binding = 0) uniform Columns { vec4 columns[1024]; };
layout(std140, binding = 1) uniform Rows { vec4 rows[1024]; };

// Phases and source samples per period: columns (x, y), rows (z, w).
uniform ivec4 periods;

const int side = 16;
const int outputs = 2;
const int vectorsX = (TAPS_X + 4) / 4;
const int vectorsY = (TAPS_Y + 4) / 4;

// SPAN rows of the source, in the targets' columns.
shared vec4 tile[SPAN * side];
vec4 results[outputs];

ivec2 place(int index) {
  ivec2 id = ivec2(gl_LocalInvocationID.xy);
  return ivec2(id.x, id.y + index * (side / outputs));
}

// The phase of a target row, as its place in the table, and its first source row.
ivec2 rowStart(int y) {
  int period = floorDivide(y, periods.z);
  int phase = (y - period * periods.z) * vectorsY;
  return ivec2(phase, period * periods.w + int(rows[phase].x));
}

vec4 sumOfColumns(int x, int row) {
  int period = floorDivide(x, periods.x);
  int phase = (x - period * periods.x) * vectorsX;
  int first = period * periods.y + int(columns[phase].x);
  PRECISE vec4 sum = vec4(0.0);
  for (int i = 0; i < TAPS_X; ++i) {
    float tap = columns[phase + ((i + 1) >> 2)][(i + 1) & 3];
    sum += tap * fetch0(ivec2(first + i, row));
  }
  return sum;
}

void compute(ivec2 first) {
  int top = rowStart(first.y).y;
  for (int n = int(gl_LocalInvocationIndex); n < SPAN * side; n += 128) {
    int line = n / side;
    tile[n] = sumOfColumns(first.x + n - line * side, top + line);
  }
  memoryBarrierShared();
  barrier();
  for (int k = 0; k < outputs; ++k) {
    ivec2 own = place(k);
    ivec2 start = rowStart(first.y + own.y);
    PRECISE vec4 sum = vec4(0.0);
    for (int j = 0; j < TAPS_Y; ++j) {
      float tap = rows[start.x + ((j + 1) >> 2)][(j + 1) & 3];
      // Taps that fill a shorter phase up are 0 and may lie below the tile.
      int line = min(start.y - top + j, SPAN - 1);
      sum += tap * tile[line * side + own.x];
    }
    results[k] = sum;
  }
}
