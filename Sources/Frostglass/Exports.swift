// Types that `import Frostglass` shows besides its own: what asking for a blur takes. Their members come with
// them, so values of other types can be made and passed on. To name these, import their module as well: plans,
// passes, planes and backends are in FrostglassCore, decoders and encoders in FrostglassStills, the choice between
// backends is in FrostglassBackends.
@_exported public import enum FrostglassBackends.BackendChoice
@_exported public import struct FrostglassBackends.BackendOptions
@_exported public import struct FrostglassCore.Color
@_exported public import enum FrostglassCore.EdgeMode
@_exported public import protocol FrostglassCore.Filter
@_exported public import struct FrostglassCore.FilterChain
@_exported public import struct FrostglassCore.Image
@_exported public import struct FrostglassCore.Length
@_exported public import struct FrostglassCore.Mask
@_exported public import struct FrostglassCore.PixelFormat
@_exported public import struct FrostglassCore.PlanOptions
@_exported public import struct FrostglassCore.Rect
@_exported public import struct FrostglassCore.Size
@_exported public import struct FrostglassStills.DecodeOptions
@_exported public import struct FrostglassStills.EncodeOptions
@_exported public import struct FrostglassStills.Resize
@_exported public import enum FrostglassStills.StillFormat
