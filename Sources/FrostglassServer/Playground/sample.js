// A picture to begin with, drawn here: colors, edges and small lights show what a blur does.

const width = 1600
const height = 1066

/** The same numbers every time. */
function numbers(seed) {
  return () => {
    seed = (seed * 1664525 + 1013904223) >>> 0
    return seed / 2 ** 32
  }
}

/** A ridge from left to right: midpoints are moved, ever less. */
function ridge(random, base, height, rough) {
  let points = [base, base - height * (0.4 + random() * 0.6), base - height * 0.2]
  for (let move = height * rough; points.length < 800; move *= 0.52) {
    points = points.flatMap((point, index) =>
      index + 1 < points.length
        ? [point, (point + points[index + 1]) / 2 + (random() - 0.5) * move] : [point])
  }
  return points
}

function fill(pen, points, color) {
  pen.fillStyle = color
  pen.beginPath()
  pen.moveTo(0, height)
  points.forEach((y, index) => pen.lineTo(index / (points.length - 1) * width, y))
  pen.lineTo(width, height)
  pen.fill()
}

function gradient(pen, from, to, stops) {
  const result = pen.createLinearGradient(0, from, 0, to)
  stops.forEach((color, index) => result.addColorStop(index / (stops.length - 1), color))
  return result
}

function lantern(pen, x, y, size, hue) {
  const glow = pen.createRadialGradient(x, y, 0, x, y, size * 3.2)
  glow.addColorStop(0, `hsl(${hue} 100% 62% / 0.5)`)
  glow.addColorStop(1, `hsl(${hue} 100% 60% / 0)`)
  pen.fillStyle = glow
  pen.fillRect(x - size * 4, y - size * 4, size * 8, size * 8)
  pen.fillStyle = gradient(pen, y - size, y + size, [`hsl(${hue} 95% 60%)`, `hsl(${hue + 14} 100% 74%)`])
  pen.beginPath()
  pen.roundRect(x - size * 0.62, y - size, size * 1.24, size * 1.9, size * 0.5)
  pen.fill()
  pen.fillStyle = `hsl(${hue + 20} 100% 90%)`
  pen.fillRect(x - size * 0.34, y + size * 0.72, size * 0.68, size * 0.12)
}

/** An evening at a lake, as a JPEG file. */
export async function lake() {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const pen = canvas.getContext('2d')
  const random = numbers(7)
  const shore = height * 0.68
  pen.fillStyle = gradient(
    pen, 0, shore, ['#10154a', '#3b2a86', '#a6479a', '#ff8a6b', '#ffd694'])
  pen.fillRect(0, 0, width, shore + 1)
  for (let star = 0; star < 160; star++) {
    pen.fillStyle = `rgb(255 255 255 / ${0.2 + random() * 0.7})`
    const size = random() < 0.1 ? 3 : 1.6
    pen.fillRect(random() * width, random() ** 1.6 * shore * 0.6, size, size)
  }
  pen.fillStyle = '#fff0cf'
  pen.beginPath()
  pen.arc(width * 0.64, shore * 0.78, 74, 0, 7)
  pen.fill()
  for (const [base, high, rough, color] of [
    [0.66, 0.34, 0.5, '#7d4a93'], [0.67, 0.27, 0.7, '#56357f'], [0.68, 0.17, 0.9, '#33235f'],
    [0.685, 0.08, 1.2, '#1c1640'],
  ]) {
    fill(pen, ridge(random, height * base, height * high, rough), color)
  }
  // The lake mirrors what is above it, a little squeezed and darker.
  pen.save()
  pen.translate(0, shore * 1.5)
  pen.scale(1, -0.5)
  pen.drawImage(canvas, 0, 0, width, shore, 0, 0, width, shore)
  pen.restore()
  pen.fillStyle = gradient(pen, shore, height, ['#1c164055', '#0b0d2fd0'])
  pen.fillRect(0, shore, width, height - shore)
  for (let wave = 0; wave < 260; wave++) {
    const far = random() ** 1.4
    pen.fillStyle = `rgb(255 ${190 + random() * 50} 190 / ${0.05 + random() * 0.2})`
    const long = 10 + far * 150 * random()
    pen.fillRect(
      width * (0.64 + (random() - 0.5) * (0.16 + far * 0.9)) - long / 2,
      shore + far * (height - shore), long, 1 + far * 2.2)
  }
  for (let light = 0; light < 46; light++) {
    const near = random() ** 2.2
    lantern(
      pen, random() * width, (0.06 + random() * 0.62) * height - near * 40, 5 + near * 40,
      16 + random() * 28)
  }
  return new Promise(done => canvas.toBlob(done, 'image/jpeg', 0.92))
}
