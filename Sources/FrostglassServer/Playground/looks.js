// Looks to begin with: presets of the operator's, chains of filters, and the catalog's styles.
import { make } from './chain.js'

/** Chains to begin with, beside the catalog's styles. */
export const recipes = [
  ['Frost', 'blur(2.5%) saturate(180%) tint(white, 0.25)'], ['Soft', 'gaussian(1%)'],
  ['Glass', 'glass(width=80%, height=44%, dispersion=0.3)'], ['Miniature', 'tilt-shift(2%) saturate(130%)'],
  ['Lens', 'lens(2%)'], ['Mosaic', 'pixelate(3%, hexagon)'], ['Rush', 'zoom(amount=0.2)'],
  ['Film', 'sepia(35%) contrast(110%) grain(0.06)'],
]

function capital(text) { return text.charAt(0).toUpperCase() + text.slice(1).replaceAll('-', ' ') }

/** What there is to take: `{title, filter, name, help}` with either a chain or a preset's name. */
function all(presets, catalog, facts) {
  const own = presets.map(one => ({ title: one.title || one.name, name: one.name, help: one.description }))
  if (facts.presetsOnly) return own
  return [
    ...own, ...recipes.map(([title, filter]) => ({ title, filter })),
    ...catalog.filter(one => one.isStyle)
      .map(one => ({ title: capital(one.name), filter: `${one.name}()`, help: one.summary })),
  ]
}

/** Buttons with thumbnails, which are made as they come into sight, one after another. */
export class Looks {
  #picture = null
  #last = Promise.resolve()

  /** `render` makes a thumbnail's file, `take` is told what was chosen. */
  constructor(list, render, take) {
    this.list = list
    this.render = render
    this.take = take
    this.seen = new IntersectionObserver(entries => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting || !this.#picture) continue
        this.seen.unobserve(target)
        const picture = this.#picture
        this.#last = this.#last.then(() => this.thumbnail(target, picture))
      }
    }, { rootMargin: '0px 120px' })
    // Browsers take what is in view in part for seen. A look that is clicked stays under the mouse.
    list.addEventListener('focusin', ({ target }) => {
      if (target.matches(':focus-visible')) target.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    })
  }

  show(presets, catalog, facts) {
    this.list.replaceChildren(...all(presets, catalog, facts).map(look => {
      const button = make(
        'button', {
          type: 'button', className: 'look', title: look.help ?? look.filter ?? '', 'aria-pressed': 'false',
          onclick: () => this.take(look),
        },
        make('img', { alt: '', hidden: true }), make('span', {}, look.title))
      button.look = look
      this.seen.observe(button)
      return make('li', {}, button)
    }))
  }

  set picture(picture) {
    this.#picture = picture
    for (const button of this.list.querySelectorAll('.look')) {
      button.querySelector('img').hidden = true
      this.seen.unobserve(button)
      this.seen.observe(button)
    }
  }

  /** Shows which one was taken. */
  press({ filter, name }) {
    for (const button of this.list.querySelectorAll('.look')) {
      button.setAttribute('aria-pressed', String(button.look.filter === filter && button.look.name === name))
    }
  }

  async thumbnail(button, picture) {
    if (picture !== this.#picture) return
    const image = button.querySelector('img')
    try {
      const blob = await this.render(button.look, picture)
      if (picture !== this.#picture) return
      URL.revokeObjectURL(image.src)
      image.src = URL.createObjectURL(blob)
      image.hidden = false
    } catch {
      // A look without a thumbnail is still one; what is wrong is said when it is taken.
    }
  }
}
