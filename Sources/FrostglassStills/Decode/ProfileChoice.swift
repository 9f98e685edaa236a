/// What is done with an embedded ICC color profile.
///
/// CMYK and Lab pictures become sRGB under either choice, and so does gray with alpha that carries
/// a gray profile: no `Image` can hold them as they are. A profile that does not fit its picture is
/// ignored. Floating-point pictures are never converted, and keep their profile.
public enum ProfileChoice: Sendable, Hashable, CaseIterable {
  /// Converts the pixels to sRGB through the profile, which is then dropped: a file without a
  /// profile means sRGB. Pixels whose profile already is sRGB, by what it does and not by its
  /// name, stay bit for bit. Gray stays gray.
  case srgb
  /// Leaves the samples alone and embeds the original profile again on saving.
  case keep
}
