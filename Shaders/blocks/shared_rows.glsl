// Rows of a picture in memory that a group shares, as values: those that its targets look at next. Each invocation
// makes OUTPUTS targets below each other, so that a sample once read serves all of them.
layout(local_size_x = LOCAL_X, local_size_y = LOCAL_Y) in;

const int outputs = OUTPUTS;
// Rows from the first that the upper target looks at to the last that the lowest does.
const int span = WINDOW_Y + outputs - 1;
const int columns = LOCAL_X + WINDOW_X - 1;
// What is kept at a time: STEPS of these rows for each invocation.
shared vec4 tile[columns * (outputs * (LOCAL_Y - 1) + STEPS)];
vec4 results[outputs];

ivec2 place(int index) {
  ivec2 id = ivec2(gl_LocalInvocationID.xy);
  return ivec2(id.x, outputs * id.y + index);
}

// Brings the rows from `begin` on; LEFT and TOP are where a target's window begins.
//
// Returns how many there are for each invocation.
int bring(ivec2 first, int begin) {
  int steps = min(STEPS, span - begin);
  ivec2 corner = first + ivec2(LEFT, TOP + begin);
  // Others may still look at what is there.
  barrier();
  int count = columns * (outputs * (LOCAL_Y - 1) + steps);
  for (int n = int(gl_LocalInvocationIndex); n < count; n += LOCAL_X * LOCAL_Y) {
    int row = n / columns;
    tile[n] = fetch0(corner + ivec2(n - row * columns, row));
  }
  memoryBarrierShared();
  barrier();
  return steps;
}

// Where an invocation's first sample in a row of its own lies.
int startOf(int step) {
  return (outputs * int(gl_LocalInvocationID.y) + step) * columns + int(gl_LocalInvocationID.x);
}
