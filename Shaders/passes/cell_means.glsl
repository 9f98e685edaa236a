// CellMeans: the mean of each cell's pixels in the picture.

// The picture: left, top, width, height.
uniform ivec4 picture;

vec4 pass(ivec2 p) {
  ivec2 middle = 2 * tiling.xy * p + center.xy;
  ivec2 low = middle - tiling.xw;
  ivec2 high = middle + ivec2(tiling.x + tiling.z, tiling.w);
  low = max(ivec2(floorDivide(low.x, 2), floorDivide(low.y, 2)), picture.xy);
  high = min(ivec2(floorDivide(high.x, 2), floorDivide(high.y, 2)), picture.xy + picture.zw);
  vec4 sum = vec4(0.0);
  int count = 0;
  for (int y = low.y; y < high.y; ++y) {
    vec4 rowSum = vec4(0.0);
    for (int x = low.x; x < high.x; ++x) {
      if (cellOf(ivec2(x, y)) == p) {
        rowSum += fetch0(ivec2(x, y));
        ++count;
      }
    }
    sum += rowSum;
  }
  return sum / float(max(count, 1));
}
