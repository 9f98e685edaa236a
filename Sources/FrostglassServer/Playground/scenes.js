// Interfaces over the picture: scenes that the service renders.
import { make } from './chain.js'
import { ask } from './requests.js'

const canvas = { width: 300, height: 400 }
const rate = 20

function title(text, color = 'black') {
  return {
    id: 'title', text, font: 'Inter Semi-Bold', size: 17, color, align: 'center', left: 0,
    right: 'bar.right', bottom: 'bar.bottom - 10', height: 24,
  }
}

const pages = { images: ['picture', 'picture', 'picture'] }

/** What can be played. */
const all = [
  {
    title: 'A bar that shrinks', at: 1.3,
    help: 'Chrome glass over what scrolls; a pull brings it back.',
    scene: {
      canvas, duration: 3.4, content: { ...pages, topInset: 96 },
      scroll: {
        gestures: [
          { at: 0.5, drag: 260, duration: 0.5 }, { at: 2.0, drag: -200, duration: 0.4, velocity: 0 },
        ],
      },
      layers: [{
        kind: 'bar', id: 'bar', min: 44, max: 96, behavior: 'reveal', snap: [[0, 0.5, 0], [0.5, 1, 1]],
        material: 'ultra-thin-light(10pt)',
        items: [{
          ...title('Pictures'), font: 'Inter Bold', size: 26, bottom: 'bar.bottom - 6', height: 32,
          keyframes: [{ progress: 0 }, { progress: 1, transform: { scale: 0.65 } }],
        }],
      }],
    },
  },
  {
    title: 'A sheet of dark glass', at: 1.2,
    help: 'Drops down, and sees what moves behind it.',
    scene: {
      canvas, duration: 3.4, content: pages,
      scroll: { gestures: [{ at: 1.0, scrollTo: 240, duration: 1.6 }] },
      layers: [{
        kind: 'backdrop', id: 'sheet', frame: [16, 60, 268, 150], cornerRadius: 28, live: true,
        material: 'thin-dark(12pt)', arrivalDuration: 0.4,
        events: [{ at: 0.3, shown: true }, { at: 2.9, shown: false }],
        items: [
          { text: 'Now playing', size: 13, color: '#ffffffb3', left: 24, width: 220, top: 22, height: 18 },
          { text: 'Evening at the lake', font: 'Inter Semi-Bold', size: 21, color: 'white', left: 24,
            width: 236, top: 44, height: 30 },
          { fill: '#ffffff4d', left: 24, width: 220, top: 98, height: 4, cornerRadius: 2 },
          { fill: 'white', left: 24, width: 92, top: 98, height: 4, cornerRadius: 2 },
        ],
      }],
    },
  },
  {
    title: 'A magnifier of frost', at: 1.6,
    help: 'A round pane that wanders over the picture.',
    scene: {
      canvas, duration: 4, layers: [
        { id: 'wall', image: 'picture' },
        {
          kind: 'backdrop', id: 'pane', frame: [20, 40, 120, 120], cornerRadius: 60, arrival: 'fixed',
          live: true, material: 'blur(9pt) saturate(180%)', color: '#ffffff2e',
          events: [
            { at: 0, frame: [160, 110, 120, 120], duration: 1 },
            { at: 1, frame: [110, 250, 120, 120], duration: 1 },
            { at: 2, frame: [20, 180, 120, 120], duration: 1 },
            { at: 3, frame: [20, 40, 120, 120], duration: 1 },
          ],
        },
      ],
    },
  },
]

/** Draws the picture as wide as scenes are; content is as high as it comes out. */
async function slice(picture, scale) {
  const bitmap = await createImageBitmap(picture.blob).catch(() => createImageBitmap(picture.small.blob))
  const width = Math.round(canvas.width * scale)
  const height = Math.round(canvas.height * scale)
  const factor = Math.max(width / bitmap.width, height / bitmap.height)
  const paper = make('canvas', { width, height })
  paper.getContext('2d').drawImage(
    bitmap, (width - bitmap.width * factor) / 2, (height - bitmap.height * factor) / 2,
    bitmap.width * factor, bitmap.height * factor)
  bitmap.close()
  return new Promise(done => paper.toBlob(done, 'image/jpeg', 0.9))
}

export class Scenes {
  #picture = null

  constructor(list) {
    this.figures = all.map(entry => this.figure(entry))
    list.append(...this.figures.map(figure => figure.item))
    this.seen = new IntersectionObserver(entries => {
      for (const { isIntersecting, target } of entries) {
        if (isIntersecting) this.still(this.figures.find(figure => figure.item === target))
      }
    })
  }

  set picture(picture) {
    this.#picture = picture
    for (const figure of this.figures) {
      this.stop(figure)
      this.seen.unobserve(figure.item)
      this.seen.observe(figure.item)
    }
  }

  figure(entry) {
    const image = make('img', { alt: '', width: canvas.width, height: canvas.height })
    const play = make('button', { type: 'button', 'aria-label': `Play: ${entry.title}` }, 'Play')
    const note = make('p', { className: 'hint', role: 'status' }, entry.help)
    const item = make(
      'li', {}, make('div', { className: 'screen' }, image), make('h3', {}, entry.title), note, play)
    const figure = { entry, image, play, note, item, isPlaying: false }
    play.addEventListener('click', () => figure.isPlaying ? this.stop(figure, true) : this.play(figure))
    return figure
  }

  async render({ entry }, fields, scale) {
    const form = new FormData()
    const scene = structuredClone(entry.scene)
    scene.canvas.scale = scale
    form.append('scene', new Blob([JSON.stringify(scene)], { type: 'application/json' }), 'scene.json')
    form.append('picture', await slice(this.#picture, scale), 'picture')
    const answer = await ask(`v1/scene?${fields}`, form)
    return URL.createObjectURL(await answer.blob())
  }

  show(figure, address) {
    if (figure.image.src) URL.revokeObjectURL(figure.image.src)
    figure.image.src = address
  }

  async still(figure) {
    if (!this.#picture || figure.isPlaying || figure.still === this.#picture) return
    const picture = figure.still = this.#picture
    try {
      const address = await this.render(figure, `time=${figure.entry.at}&format=jpg&output-quality=88`, 2)
      if (picture === this.#picture && !figure.isPlaying) this.show(figure, address)
    } catch (error) {
      figure.note.textContent = error.message
    }
  }

  async play(figure) {
    if (!this.#picture) return
    figure.isPlaying = true
    figure.play.textContent = 'Stop'
    figure.note.textContent = `Rendering ${Math.round(figure.entry.scene.duration * rate)} frames…`
    try {
      const picture = this.#picture
      const address = await this.render(figure, `fps=${rate}&format=webp`, 1)
      if (!figure.isPlaying || picture !== this.#picture) return
      this.show(figure, address)
      figure.note.textContent = figure.entry.help
    } catch (error) {
      figure.note.textContent = error.message
      figure.isPlaying = false
      figure.play.textContent = 'Play'
    }
  }

  stop(figure, isAsked = false) {
    figure.isPlaying = false
    figure.still = null
    figure.play.textContent = 'Play'
    figure.note.textContent = figure.entry.help
    if (isAsked) this.still(figure)
  }
}
