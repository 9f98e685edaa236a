// CellFill: every pixel gets the sample of its cell.
vec4 pass(ivec2 p) {
  return fetch0(cellOf(p));
}
