// `import Frostglass` gives filters, images, plans and image files without a second import.
@_exported public import FrostglassCore
@_exported public import FrostglassStills
// Backends and the choice between them, without codecs: programs that need no files link it alone.
@_exported public import FrostglassBackends
