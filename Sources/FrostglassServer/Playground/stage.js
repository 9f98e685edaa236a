// The picture, before and after, and the regions on it.
import { make } from './chain.js'

const $ = id => document.getElementById(id)
/** More than this along a side is not kept for showing. */
const longest = 2400

function percent(fraction) { return `${Math.round(fraction * 1000) / 10}%` }
function clamp(value, low, high) { return Math.min(Math.max(value, low), high) }

export class Stage {
  /** `changed` is told when a region is another. */
  constructor(changed) {
    this.changed = changed
    this.regions = []
    this.layer = $('regions')
    $('split').addEventListener('input', () => this.split())
    this.split()
    this.layer.addEventListener('pointerdown', event => this.press(event))
    // The mouse marks regions; it carries nothing away.
    $('stage').addEventListener('dragstart', event => event.preventDefault())
    this.layer.addEventListener('keydown', event => this.key(event))
    $('add-region').addEventListener('click', () => {
      this.regions.push({ shape: 'box', x: 0.3, y: 0.3, width: 0.4, height: 0.4 })
      this.update()
      this.layer.lastElementChild.focus()
    })
  }

  split() {
    const value = Number($('split').value)
    $('stage').style.setProperty('--split', value / 100)
    $('split').setAttribute('aria-valuetext', `${value} % before`)
  }

  /** Shows a bitmap, no larger than it has to be. */
  draw(canvas, bitmap) {
    const factor = Math.min(1, longest / Math.max(bitmap.width, bitmap.height))
    canvas.width = Math.max(1, Math.round(bitmap.width * factor))
    canvas.height = Math.max(1, Math.round(bitmap.height * factor))
    canvas.getContext('2d').drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  }

  /** A new picture, which has no regions yet. */
  open(bitmap, keepsRegions) {
    for (const canvas of [$('before'), $('after')]) this.draw(canvas, bitmap)
    $('stage').style.setProperty('--ratio', bitmap.width / bitmap.height)
    const aura = $('aura')
    aura.getContext('2d').drawImage(bitmap, 0, 0, aura.width, aura.height)
    if (!keepsRegions) this.regions = []
    this.show()
  }

  /** No picture. */
  clear() {
    for (const canvas of [$('before'), $('after'), $('aura')]) {
      canvas.getContext('2d').clearRect(0, 0, canvas.width, canvas.height)
    }
  }

  after(bitmap) { this.draw($('after'), bitmap) }

  /** One of many frames, and what became of it. */
  frame(before, after) {
    const ratio = String(before.width / before.height)
    if ($('stage').style.getPropertyValue('--ratio') !== ratio) this.open(before, true)
    this.draw($('before'), before)
    this.draw($('after'), after)
  }

  // MARK: regions

  /** The regions as text: one for each. */
  get texts() {
    return this.regions.map(({ shape, x, y, width, height }) => {
      const box = [x, y, width, height].map(percent).join(',')
      return shape === 'ellipse' ? `ellipse(${box})` : box
    })
  }

  /** Takes regions as `texts` gives them. */
  set texts(all) {
    this.regions = all.flatMap(text => {
      const numbers = text.match(/[\d.]+(?=%)/g)?.map(number => number / 100)
      if (numbers?.length !== 4) return []
      const [x, y, width, height] = numbers
      return [{ shape: text.startsWith('ellipse') ? 'ellipse' : 'box', x, y, width, height }]
    })
    this.show()
  }

  update() {
    this.show()
    this.changed()
  }

  name(region, index) {
    const { x, y, width, height } = region
    return `Region ${index + 1}: left ${percent(x)}, top ${percent(y)}, width ${percent(width)}, `
      + `height ${percent(height)}. Arrow keys move it, with Shift they size it, Delete removes it.`
  }

  place(element, index) {
    const region = this.regions[index]
    for (const side of ['width', 'height']) element.style[side] = percent(region[side])
    element.style.left = percent(region.x)
    element.style.top = percent(region.y)
    element.classList.toggle('round', region.shape === 'ellipse')
    element.setAttribute('aria-label', this.name(region, index))
  }

  /** Makes elements only where there is another number of them, so that focus stays. */
  show() {
    while (this.layer.children.length > this.regions.length) this.layer.lastElementChild.remove()
    while (this.layer.children.length < this.regions.length) {
      this.layer.append(make(
        'button', { type: 'button', className: 'region' },
        make('span', { className: 'number', 'aria-hidden': 'true' }, String(this.layer.children.length + 1)),
        make('span', { className: 'handle', 'aria-hidden': 'true' })))
    }
    ;[...this.layer.children].forEach((element, index) => this.place(element, index))
    this.rows()
    $('region-options').hidden = this.regions.length === 0
    $('where-hint').textContent = this.regions.length === 0
      ? 'Everywhere. Add a region, or draw one on the picture with the mouse.'
      : 'In percent of the picture. Drag regions to move them, their corner to size them.'
  }

  rows() {
    const list = $('region-list')
    const row = index => {
      const field = (word, key) => make(
        'label', {}, word, make('input', {
          type: 'number', min: 0, max: 100, step: 0.5, 'data-key': key,
          'aria-label': `${word} of region ${index + 1}, %`,
          oninput: event => {
            const value = event.target.valueAsNumber
            if (Number.isNaN(value)) return
            this.regions[index][key] = clamp(value / 100, key === 'x' || key === 'y' ? 0 : 0.01, 1)
            this.place(this.layer.children[index], index)
            this.changed()
          },
        }))
      return make(
        'li', { className: 'card' },
        make(
          'div', { className: 'card-head' },
          make('select', {
            'aria-label': `Shape of region ${index + 1}`,
            oninput: event => {
              this.regions[index].shape = event.target.value
              this.update()
            },
          }, new Option('Box', 'box'), new Option('Ellipse', 'ellipse')),
          make('button', {
            type: 'button', className: 'sign remove', 'aria-label': `Remove region ${index + 1}`,
            onclick: () => this.remove(index),
          }, '×')),
        make(
          'div', { className: 'four' }, field('Left', 'x'), field('Top', 'y'),
          field('Width', 'width'), field('Height', 'height')))
    }
    while (list.children.length > this.regions.length) list.lastElementChild.remove()
    while (list.children.length < this.regions.length) list.append(row(list.children.length))
    this.regions.forEach((region, index) => {
      const item = list.children[index]
      item.querySelector('select').value = region.shape
      for (const input of item.querySelectorAll('input')) {
        if (input !== document.activeElement) input.value = Math.round(region[input.dataset.key] * 1000) / 10
      }
    })
  }

  remove(index) {
    this.regions.splice(index, 1)
    this.update()
    const next = $('region-list').children[Math.min(index, this.regions.length - 1)]
    ;(next?.querySelector('.remove') ?? $('add-region')).focus()
  }

  key(event) {
    const index = [...this.layer.children].indexOf(event.target)
    const region = this.regions[index]
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key]
    if (region && way) {
      const [right, down] = way.map(one => one * 0.01)
      if (event.shiftKey) {
        region.width = clamp(region.width + right, 0.01, 1 - region.x)
        region.height = clamp(region.height + down, 0.01, 1 - region.y)
      } else {
        region.x = clamp(region.x + right, 0, 1 - region.width)
        region.y = clamp(region.y + down, 0, 1 - region.height)
      }
    } else if (region && (event.key === 'Delete' || event.key === 'Backspace')) {
      this.remove(index)
    } else return
    event.preventDefault()
    this.update()
  }

  // MARK: pointers

  press(event) {
    if (event.button !== 0 || this.isLocked) return
    const area = this.layer.getBoundingClientRect()
    const at = event => ({
      x: clamp((event.clientX - area.left) / area.width, 0, 1),
      y: clamp((event.clientY - area.top) / area.height, 0, 1),
    })
    const from = at(event)
    const index = [...this.layer.children].indexOf(event.target.closest('.region'))
    // A finger on the bare picture scrolls the page.
    if (index < 0 && event.pointerType === 'touch') return
    const isSizing = event.target.classList.contains('handle')
    let region = this.regions[index]
    const old = region && { ...region }
    const move = event => {
      const to = at(event)
      if (!region) {
        // A click is no region.
        if (Math.abs(to.x - from.x) < 0.01 || Math.abs(to.y - from.y) < 0.01) return
        region = { shape: 'box' }
        this.regions.push(region)
      }
      if (!old || isSizing) {
        const start = old ?? from
        region.x = Math.min(start.x, to.x)
        region.y = Math.min(start.y, to.y)
        region.width = Math.max(Math.abs(to.x - start.x), 0.01)
        region.height = Math.max(Math.abs(to.y - start.y), 0.01)
      } else {
        region.x = clamp(old.x + to.x - from.x, 0, 1 - old.width)
        region.y = clamp(old.y + to.y - from.y, 0, 1 - old.height)
      }
      this.update()
    }
    const end = () => {
      this.layer.removeEventListener('pointermove', move)
      for (const kind of ['pointerup', 'pointercancel']) this.layer.removeEventListener(kind, end)
    }
    this.layer.setPointerCapture(event.pointerId)
    this.layer.addEventListener('pointermove', move)
    for (const kind of ['pointerup', 'pointercancel']) this.layer.addEventListener(kind, end)
  }
}
