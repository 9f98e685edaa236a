// Plans and images are what backends are given: one import for both.
@_exported public import FrostglassCore
