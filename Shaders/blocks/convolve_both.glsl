// Convolve along rows and then along columns: a group brings all that its targets look at into memory that it
// shares, once. What the first convolution makes is rounded to 65280ths, as if its picture were there.
layout(local_size_x = 16, local_size_y = 8) in;
layout(std140, binding = 0) uniform TapsX { uvec4 tapsX[1024]; };
layout(std140, binding = 1) uniform TapsY { uvec4 tapsY[1024]; };

const int outputs = BLOCK_X * BLOCK_Y / 128;
const int columns = BLOCK_X + 2 * RADIUS_X;
const int lines = BLOCK_Y + 2 * RADIUS_Y;
// Two samples in the halves of a word.
shared uvec2 window[columns * lines];
shared uvec2 convolved[BLOCK_X * lines];
uvec4 results[outputs];

uvec2 paired(uvec4 samples) {
  return samples.rb | samples.ga << 16u;
}

uvec4 apart(uvec2 pairs) {
  return uvec4(pairs.x & 65535u, pairs.x >> 16u, pairs.y & 65535u, pairs.y >> 16u);
}

ivec2 place(int index) {
  int n = int(gl_LocalInvocationIndex) + 128 * index;
  return ivec2(n % BLOCK_X, n / BLOCK_X);
}

void compute(ivec2 first) {
  int id = int(gl_LocalInvocationIndex);
  ivec2 corner = first - ivec2(RADIUS_X, RADIUS_Y);
  for (int n = id; n < columns * lines; n += 128) {
    int line = n / columns;
    window[n] = paired(fetch0(corner + ivec2(n - line * columns, line)));
  }
  memoryBarrierShared();
  barrier();
  for (int n = id; n < BLOCK_X * lines; n += 128) {
    int center = n / BLOCK_X * columns + n % BLOCK_X + RADIUS_X;
    uvec4 sum = tapsX[0].x * apart(window[center]);
    for (int k = 1; k <= RADIUS_X; ++k) {
      sum += tapsX[k >> 2][k & 3] * (apart(window[center - k]) + apart(window[center + k]));
    }
    convolved[n] = paired(stepsOf(READS_PRODUCTS == 1, sum));
  }
  memoryBarrierShared();
  barrier();
  for (int index = 0; index < outputs; ++index) {
    int center = id + 128 * index + RADIUS_Y * BLOCK_X;
    uvec4 sum = tapsY[0].x * apart(convolved[center]);
    for (int k = 1; k <= RADIUS_Y; ++k) {
      sum += tapsY[k >> 2][k & 3]
          * (apart(convolved[center - k * BLOCK_X]) + apart(convolved[center + k * BLOCK_X]));
    }
    results[index] = sum;
  }
}
