// `import Frostglass` gives filters, images and plans without a second import.
@_exported public import FrostglassCore
