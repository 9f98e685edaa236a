// Convolve from shared memory: the samples that a block of targets is summed from are fetched once,
// and each invocation makes four neighbors along the axis, whose windows overlap.
// The sums are those of passes/convolve.glsl, term by term.
layout(std140, binding = 0) uniform Taps { vec4 taps[1024]; };

const int outputs = 4;
// Targets of a block along the axis, and beside it.
const int targets = AXIS_X == 1 ? 128 : 32;
const int lines = AXIS_X == 1 ? 4 : 16;
const int samples = targets + 2 * RADIUS;

#if AXIS_X
layout(local_size_x = 32, local_size_y = 4) in;
// A gap after every fourth sample, so that neighbors do not meet in one bank of the memory.
shared vec4 tile[lines * (samples + samples / 4)];

int address(int sampleIndex, int line) {
  return line * (samples + samples / 4) + sampleIndex + (sampleIndex >> 2);
}
#else
layout(local_size_x = 16, local_size_y = 8) in;
shared vec4 tile[lines * samples];

int address(int sampleIndex, int line) {
  return sampleIndex * lines + line;
}
#endif

vec4 results[outputs];

float tap(int k) {
  return taps[k >> 2][k & 3];
}

// Which target of the block an invocation's result belongs to: x along the axis, y beside it.
ivec2 own(int index) {
  ivec2 id = ivec2(gl_LocalInvocationID.xy);
  return AXIS_X == 1 ? ivec2(4 * id.x + index, id.y) : ivec2(4 * id.y + index, id.x);
}

ivec2 place(int index) {
  return AXIS_X == 1 ? own(index) : own(index).yx;
}

void fill(ivec2 first) {
  for (int n = int(gl_LocalInvocationIndex); n < samples * lines; n += 128) {
#if AXIS_X
    int line = n / samples;
    int sampleIndex = n - line * samples;
    ivec2 p = first + ivec2(sampleIndex - RADIUS, line);
#else
    int sampleIndex = n / lines;
    int line = n - sampleIndex * lines;
    ivec2 p = first + ivec2(line, sampleIndex - RADIUS);
#endif
    tile[address(sampleIndex, line)] = fetch0(p);
  }
}

void compute(ivec2 first) {
  fill(first);
  memoryBarrierShared();
  barrier();
  ivec2 start = own(0);
  // The samples at distance k before and after each of the four; both move by one as k falls.
  vec4 before[outputs];
  vec4 after[outputs];
  PRECISE vec4 sums[outputs];
  for (int j = 0; j < outputs; ++j) {
    sums[j] = vec4(0.0);
    before[j] = tile[address(start.x + j, start.y)];
    after[j] = tile[address(start.x + j + 2 * RADIUS, start.y)];
  }
  for (int k = RADIUS; k > 0; --k) {
    for (int j = 0; j < outputs; ++j) sums[j] += tap(k) * (before[j] + after[j]);
    for (int j = 0; j < outputs - 1; ++j) before[j] = before[j + 1];
    for (int j = outputs - 1; j > 0; --j) after[j] = after[j - 1];
    before[outputs - 1] = tile[address(start.x + outputs + RADIUS - k, start.y)];
    after[0] = tile[address(start.x + RADIUS + k - 1, start.y)];
  }
  for (int j = 0; j < outputs; ++j) {
    sums[j] += tap(0) * before[j];
    results[j] = sums[j];
  }
}
