// Cells that cover the plane, in units of half a pixel; Tiling.swift says how.

// Pixels between centers along x and y; half pixels that odd rows are moved right, and that a cell
// reaches above and below its center.
uniform ivec4 tiling;
// The center of cell (0, 0) in half pixels: x, y.
uniform ivec4 center;

// The column of the nearest center in a row of cells, and the square of its distance.
ivec2 nearestCenter(ivec2 p, int row) {
  int along = p.x - (row & 1) * tiling.z;
  int column = floorDivide(along + tiling.x, 2 * tiling.x);
  ivec2 d = ivec2(along - 2 * tiling.x * column, p.y - 2 * tiling.y * row);
  return ivec2(column, d.x * d.x + d.y * d.y);
}

// The column and row of the cell that a pixel belongs to.
ivec2 cellOf(ivec2 pixel) {
  ivec2 p = 2 * pixel + 1 - center.xy;
  int above = floorDivide(p.y, 2 * tiling.y);
  ivec2 upper = nearestCenter(p, above);
  ivec2 lower = nearestCenter(p, above + 1);
  return lower.y <= upper.y ? ivec2(lower.x, above + 1) : ivec2(upper.x, above);
}
