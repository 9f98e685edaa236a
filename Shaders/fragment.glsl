// A pass as a fragment shader: one invocation per texel of the target.
layout(location = 0) out TARGET_TYPE target;

void main() {
  target = encodeTarget(pass(ivec2(gl_FragCoord.xy) + targetOrigin));
}
