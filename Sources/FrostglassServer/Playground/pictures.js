// Pictures that are opened, and smaller ones of them.
import { make } from './chain.js'
import { ask } from './requests.js'

/** The longer side of the picture that is blurred while one tries things out. */
const previewSide = 720
const thumbSide = 160

async function shrunk(bitmap, side) {
  const factor = Math.min(1, side / Math.max(bitmap.width, bitmap.height))
  const canvas = make('canvas', {
    width: Math.max(1, Math.round(bitmap.width * factor)),
    height: Math.max(1, Math.round(bitmap.height * factor)),
  })
  const pen = canvas.getContext('2d', { willReadFrequently: true })
  pen.imageSmoothingQuality = 'high'
  pen.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  const { data } = pen.getImageData(0, 0, canvas.width, canvas.height)
  let isOpaque = true
  for (let index = 3; index < data.length && isOpaque; index += 4) isOpaque = data[index] === 255
  const type = isOpaque ? 'image/jpeg' : 'image/png'
  const blob = await new Promise(done => canvas.toBlob(done, type, 0.92))
  return { blob, factor, isOpaque }
}

/** A picture as a browser shows it; what it cannot read the service may. */
export async function decoded(blob, facts) {
  try { return await createImageBitmap(blob) } catch {
    if (facts.isSigned || facts.presetsOnly) throw new Error('This is no picture that the browser can read.')
    const answer = await ask('v1/blur?filter=none&format=png', blob)
    return createImageBitmap(await answer.blob())
  }
}

/** `{blob, name, width, height, small, thumb, isOpaque}`; small pictures are `{blob, factor, isOpaque}`. */
export async function taken(blob, name, bitmap) {
  const [small, thumb] = [await shrunk(bitmap, previewSide), await shrunk(bitmap, thumbSide)]
  return {
    blob, name, width: bitmap.width, height: bitmap.height, small, thumb, isOpaque: small.isOpaque,
  }
}
