// `import Frostglass` gives filters, images, plans and image files without a second import.
@_exported public import FrostglassCore
@_exported public import FrostglassStills
