// A picture that is no texture: how much of each pixel a shape covers. Included once per such picture, with
// these names defined:
//   WHOLE, PART   ivec4, vec4: the sides between the corners' centers, left, top, right, bottom; or the
//                 center twice: whole pixels, and what is left of them to a pixel's center
//   FORM          vec4: radius and growth together, feather, coverage far outside, and more of it inside
//   AXES          vec4: an ellipse's shorter radius, the ratio of the longer to it, whether that is upright
//   IS_ELLIPSE    whether the radii differ
//   LENGTH        the name of a function defined here
//   DISTANCE      the name of another
//   FETCH         the function defined here: a pixel to its coverage
uniform ivec4 WHOLE;
uniform vec4 PART;
uniform vec4 FORM;

// What is precise is so within a function, and `length` need not be.
float LENGTH(vec2 d) {
  PRECISE float square = d.x * d.x + d.y * d.y;
  return sqrt(square);
}

#if IS_ELLIPSE
uniform vec4 AXES;

// From the border, negative inside. The nearest point is found as Outlines.swift does, in units of the shorter
// radius, from where one of the two terms is 1: from there Newton's method has few steps to go.
float DISTANCE(vec2 d) {
  vec2 p = max((AXES.z > 0.0 ? d.yx : d) / AXES.x, vec2(1e-6));
  vec2 radii = vec2(AXES.y, 1.0);
  PRECISE vec2 squares = radii * radii;
  PRECISE float t = max(p.x * radii.x - squares.x, p.y - 1.0);
  for (int k = 0; k < 8; ++k) {
    PRECISE vec2 terms = radii * p / (t + squares);
    terms *= terms;
    PRECISE vec2 slopes = terms / (t + squares);
    t += max(terms.x + terms.y - 1.0, 0.0) / (2.0 * (slopes.x + slopes.y));
  }
  PRECISE float away = t * LENGTH(p / (t + squares)) * AXES.x;
  return away;
}
#else
float DISTANCE(vec2 d) {
  return d.x > 0.0 && d.y > 0.0 ? LENGTH(d) : max(d.x, d.y);
}
#endif

vec4 FETCH(ivec2 p) {
  vec2 low = vec2(WHOLE.xy - p) + PART.xy;
  vec2 high = vec2(p - WHOLE.zw) + PART.zw;
  PRECISE float beyond = DISTANCE(max(low, high)) - FORM.x;
  float t = clamp(beyond / max(FORM.y, 1.0), 0.0, 1.0);
  PRECISE float covered = FORM.y >= 1.0 ? 1.0 - t * t * (3.0 - 2.0 * t) : clamp(0.5 - beyond, 0.0, 1.0);
  covered = FORM.z + FORM.w * covered;
  return vec4(vec3(covered), 1.0);
}
