// A chain of filters: controls made from the catalog's table of parameters, and the text they come to.

/** Makes an element. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (name in element) element[name] = value
    else element.setAttribute(name, value)
  }
  element.append(...children)
  return element
}

/** A number and its unit; `null` where it is none of that, such as `pillow:10`. */
function split(text) {
  const parts = /^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*([a-z%]*)\s*$/i.exec(text ?? '')
  return parts && { number: Number(parts[1]), unit: parts[2] }
}

function short(number) { return String(Math.round(number * 1000) / 1000) }

/** What a slider spans: where one usually looks, which is less than what is accepted. */
function span(parameter, unit) {
  const own = split(parameter.default) ?? { number: 0, unit: '' }
  const standard = Math.abs(own.number)
  const low = split(parameter.minimum)?.number ?? 0
  const high = split(parameter.maximum)?.number ?? Infinity
  switch (parameter.kind) {
    case 'sigma':
    case 'length': {
      const most = unit === '%'
        ? (standard >= 25 && own.unit === '%' ? 100 : 10)
        : Math.min(high, Math.max(3 * (own.unit === '%' ? 10 : standard), 40))
      return { low: low < 0 ? -most : unit === own.unit ? low : 0, high: most, step: most > 60 ? 0.5 : 0.1 }
    }
    case 'angle': {
      const turn = { rad: 6.28, grad: 400, turn: 1 }[unit] ?? 360
      return { low: -turn / 2, high: turn / 2, step: turn / 360 }
    }
    case 'integer':
      return { low, high: Math.min(high, Math.max(20, 5 * standard)), step: 1 }
    case 'factor': {
      const times = unit === '%' ? 100 : 1
      const wide = high - low > 4
      const least = wide ? Math.max(low, 0) : low
      const most = wide ? Math.min(high, Math.max(3, 4 * standard)) : high
      return { low: least * times, high: most * times, step: (most > 3 ? 0.1 : 0.01) * times }
    }
  }
  return null
}

/** As `<input type=color>` takes a color. */
function hex(color) {
  const pen = document.createElement('canvas').getContext('2d')
  pen.fillStyle = '#000000'
  pen.fillStyle = color
  const digits = /^#[0-9a-f]{6}$/.exec(pen.fillStyle)
  if (digits) return pen.fillStyle
  const parts = (pen.fillStyle.match(/[\d.]+/g) ?? [0, 0, 0]).slice(0, 3)
  return '#' + parts.map(part => Math.round(part).toString(16).padStart(2, '0')).join('')
}

let names = 0

/** The controls of one parameter. `changed` is told its new text. */
function control(parameter, value, changed) {
  const id = `p${++names}`
  const help = make('span', { className: 'hint', id: `${id}-help` }, parameter.help)
  const label = make('label', { htmlFor: id }, parameter.name)
  const described = { 'aria-describedby': help.id }
  if (parameter.kind === 'choice') {
    const list = make('select', { id, ...described, oninput: () => changed(list.value) })
    if (parameter.default === null) list.append(new Option('default', ''))
    list.append(...parameter.choices.map(word => new Option(word)))
    list.value = value ?? parameter.default ?? ''
    return make('div', { className: 'parameter' }, label, list, help)
  }
  const text = make('input', {
    id, ...described, type: 'text', value: value ?? parameter.default ?? '', autocomplete: 'off',
    spellcheck: false, placeholder: 'default', className: 'value',
  })
  if (parameter.kind === 'color') {
    const swatch = make('input', {
      type: 'color', 'aria-label': `${parameter.name}, from a palette`, value: hex(text.value),
      oninput: () => {
        text.value = swatch.value
        changed(text.value)
      },
    })
    text.addEventListener('input', () => {
      swatch.value = hex(text.value)
      changed(text.value)
    })
    return make('div', { className: 'parameter' }, label, make('div', { className: 'color' }, swatch, text), help)
  }
  const slider = make('input', { type: 'range', 'aria-label': `${parameter.name}, slider`, ...described })
  const show = () => {
    const now = split(text.value) ?? split(parameter.default) ?? { number: 0, unit: parameter.units[0] ?? '' }
    const range = span(parameter, now.unit)
    slider.min = short(range.low)
    slider.max = short(Math.max(range.high, now.number))
    slider.step = short(range.step) === '0' ? 'any' : short(range.step)
    slider.value = now.number
    slider.setAttribute('aria-valuetext', text.value || 'default')
    slider.style.setProperty('--part', (slider.value - slider.min) / (slider.max - slider.min || 1))
  }
  slider.addEventListener('input', () => {
    const unit = (split(text.value) ?? split(parameter.default))?.unit ?? parameter.units[0] ?? ''
    text.value = short(slider.value) + unit
    show()
    changed(text.value)
  })
  text.addEventListener('input', () => {
    show()
    changed(text.value)
  })
  show()
  return make('div', { className: 'parameter number' }, label, text, slider, help)
}

/** Parameters in pixels that carry no unit. */
const pixels = ['radius', 'blur-radius-in-pixels', 'texel-spacing']

/** A value for a picture that is smaller by a factor. */
function reduced(parameter, text, factor) {
  const value = split(text)
  if (!value) return text
  if (parameter.units.includes('px') && (value.unit === 'px' || value.unit === '')) {
    const least = split(parameter.minimum)?.number ?? 0
    return short(Math.max(value.number * factor, Math.min(least, value.number))) + 'px'
  }
  if (pixels.includes(parameter.name) && value.unit === '') {
    const number = value.number * factor
    return parameter.kind === 'integer'
      ? String(Math.max(value.number > 0 ? 1 : 0, Math.round(number))) : short(number)
  }
  return text
}

/** The filters of a text: `[{name, values}]`. `null` where it cannot be read here. */
export function read(text, catalog) {
  const steps = []
  const end = /\s*/y
  for (let place = 0; place < text.length;) {
    const head = /\s*([a-z0-9-]+)\(/iy
    head.lastIndex = place
    const name = head.exec(text)?.[1]
    const filter = catalog.find(one => one.name === name)
    if (!filter) return null
    const values = []
    let part = ''
    let depth = 1
    for (place = head.lastIndex; depth > 0; place++) {
      const letter = text[place]
      if (letter === undefined) return null
      if (letter === '(') depth++
      if (letter === ')') depth--
      if (depth === 0 || (letter === ',' && depth === 1)) {
        values.push(part.trim())
        part = ''
      } else part += letter
    }
    const step = { filter, values: {} }
    for (const [index, value] of values.entries()) {
      if (value === '') continue
      const named = /^([a-z0-9-]+)\s*=\s*(.*)$/is.exec(value)
      const parameter = filter.parameters.find(one => one.name === (named?.[1] ?? filter.parameters[index]?.name))
      if (!parameter) return null
      step.values[parameter.name] = named?.[2] ?? value
    }
    steps.push(step)
    end.lastIndex = place
    end.exec(text)
    place = end.lastIndex
  }
  return steps
}

/** The chain as it is on the page. */
export class Chain {
  constructor(list, changed) {
    this.list = list
    this.changed = changed
    this.steps = []
  }

  set(steps) {
    this.steps = steps
    this.show()
    this.changed()
  }

  add(filter) {
    this.set([...this.steps, { filter, values: {} }])
    this.list.lastElementChild.querySelector('input, select, button')?.focus()
  }

  /** As text; with `factor`, for a picture smaller by it. */
  text(factor = 1) {
    if (this.steps.length === 0) return 'none'
    return this.steps.map(({ filter, values }) => {
      const words = []
      for (const parameter of filter.parameters) {
        const given = values[parameter.name]?.trim() || parameter.default
        if (given === null) continue
        const value = factor === 1 ? given : reduced(parameter, given, factor)
        if (value !== parameter.default) words.push(`${parameter.name}=${value}`)
      }
      return `${filter.name}(${words.join(', ')})`
    }).join(' ')
  }

  show() {
    this.list.replaceChildren(...this.steps.map((step, index) => this.card(step, index)))
  }

  move(index, by) {
    const steps = [...this.steps]
    steps.splice(index + by, 0, ...steps.splice(index, 1))
    this.set(steps)
    const card = this.list.children[index + by]
    const again = card.querySelector(by < 0 ? '.up' : '.down')
    ;(again.disabled ? card.querySelector(by < 0 ? '.down' : '.up') : again).focus()
  }

  remove(index) {
    this.set(this.steps.filter((_, place) => place !== index))
    const next = this.list.children[Math.min(index, this.list.children.length - 1)]
    ;(next?.querySelector('.remove') ?? document.getElementById('add')).focus()
  }

  card(step, index) {
    const { filter, values } = step
    const button = (word, sign, isOff, act) => make('button', {
      type: 'button', className: `sign ${word.split(' ')[0].toLowerCase()}`,
      'aria-label': `${word} ${filter.name}`, title: word, disabled: isOff, onclick: act,
    }, sign)
    const controls = filter.parameters.map(parameter => control(
      parameter, values[parameter.name], value => {
        values[parameter.name] = value
        this.changed()
      }))
    const body = make('div', { className: 'parameters' }, ...controls.slice(0, 4))
    if (controls.length > 4) {
      body.append(make(
        'details', { open: step.isOpen ?? false, ontoggle: event => { step.isOpen = event.target.open } },
        make('summary', {}, `${controls.length - 4} more`),
        make('div', { className: 'parameters' }, ...controls.slice(4))))
    }
    return make(
      'li', { className: 'card' },
      make(
        'div', { className: 'card-head' }, make('h3', {}, filter.name),
        make(
          'div', { className: 'signs' },
          button('Up', '↑', index === 0, () => this.move(index, -1)),
          button('Down', '↓', index === this.steps.length - 1, () => this.move(index, 1)),
          button('Remove', '×', false, () => this.remove(index)))),
      make('p', { className: 'hint' }, filter.summary), body)
  }
}
