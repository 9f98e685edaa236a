import Foundation

/// A HEIC smaller than any that libvips writes: 32×32 pixels in blocks of 16, and colors at half that.
///
/// Made with libheif 1.15 and x265, from 64×64 pixels of which its header leaves out three quarters.
package enum TinyHEIC {
  /// All of it can be decoded.
  package static let intact = [UInt8](
    Data(
      base64Encoded: """
        AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAUBtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAA
        AAAAAAAAAAAA5waXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQABAAAAAAFkAAEAAAAAAAABewAAACNpaW5mAAAAAAAB
        AAAAFWluZmUCAAAAAAEAAGh2YzEAAAAAwGlwcnAAAACiaXBjbwAAAHZodmNDAQNwAAAAAAAAAAAAHvAA/P34+AAADw
        MgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQCEAAQAqQgEBA3AAAAMAkAAAAwAAAwAeoEIIWW6W6S5uBAQMCAAA
        AwAIAAADAAhAIgABAAZEAcBxgRIAAAAUaXNwZQAAAAAAAAAgAAAAIAAAABBwaXhpAAAAAAMICAgAAAAWaXBtYQAAAA
        AAAAABAAEDgQKDAAABg21kYXQAAAF3KAGsZif/f/pRcf8UHZFOdKep9Y/QATpv5zKAtCUm0g+ohe2BPuu0GTcQFaKu
        IBlds/kP78c7iNscVcj+EA1F8oDnzFr+QqbQwsVB17x5z61+3pqxRO4d6OSw3HczPrI9sptTrT8H541qqkhazCsjl/
        YxWhlBJM5JkZAeefg9eF5fEBl7uoSxIVKf6mIxf9VbNj/Ag5+80/5EVyLL5BN/AJgSg+ALV6HhelEuKnQ7F4eFlKM/
        vFRfT7XC9WmuSj30J3IEdFfsyUP4CzPKOYh3ph3oFtv5jpvABlv4koKOZOOrVaPlV/+7bSkHRey2Txt0pNtwUIhMWa
        U1smMrBLTsxOjKdTsQw0/yKe/8vuMit7ZGB80yfBBMimWuJJC8NlkULh/rE2/f5XjQhiRTzli1emL795TW/dchu5X3
        BOdoalPvgINhCjzQiMJ/Vrjrq7g4DJhWT9QjD3Bidyw9eOoUFgFV7Aa/HUCKtTbv7fEMR8Gh1+D6Tbx4
        """, options: .ignoreUnknownCharacters) ?? Data())

  /// One byte is another: libde265 decodes a part of the image, and says nothing.
  package static var damaged: [UInt8] {
    var bytes = intact
    bytes[363] = 0x0F
    return bytes
  }
}
