// Stencil from shared memory: taps that fill most of a rectangle, several targets for each sample. The sums are
// those of passes/stencil.glsl, term by term, as taps come row by row.
layout(std140, binding = 0) uniform Taps { vec4 taps[1024]; };

// Where the taps end, and three more that other stencils have.
uniform ivec4 ends;

// Rows of nothing above and below the window, for targets that a row does not reach.
const int rest = outputs - 1;
const int cells = WINDOW_X * (WINDOW_Y + 2 * rest);
// What each sample of the window counts; 0 where there is no tap.
shared float grid[cells];

void compute(ivec2 first) {
  for (int n = int(gl_LocalInvocationIndex); n < cells; n += LOCAL_X * LOCAL_Y) grid[n] = 0.0;
  memoryBarrierShared();
  barrier();
  for (int n = int(gl_LocalInvocationIndex); n < ends.x; n += LOCAL_X * LOCAL_Y) {
    ivec2 cell = ivec2(taps[n].xy) - ivec2(LEFT, TOP);
    grid[(cell.y + rest) * WINDOW_X + cell.x] = taps[n].z;
  }
  vec4 sums[outputs];
  for (int k = 0; k < outputs; ++k) sums[k] = vec4(0.0);
  for (int begin = 0; begin < span; begin += STEPS) {
    int steps = bring(first, begin);
    for (int step = 0; step < steps; ++step) {
      int start = startOf(step);
      int row = (begin + step + rest) * WINDOW_X;
      for (int i = 0; i < WINDOW_X; ++i) {
        vec4 v = tile[start + i];
        for (int k = 0; k < outputs; ++k) {
          float weight = grid[row - k * WINDOW_X + i];
          // Where there is no tap, not even what is no number counts.
          if (weight != 0.0) sums[k] += weight * v;
        }
      }
    }
  }
  for (int k = 0; k < outputs; ++k) results[k] = sums[k];
}
