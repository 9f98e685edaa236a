// The playground: what is on the page becomes questions to the service, first about a reduced picture.
import { Chain, make, read } from './chain.js'
import { Live } from './live.js'
import { Looks, recipes } from './looks.js'
import { decoded, taken } from './pictures.js'
import { ask, bytes } from './requests.js'
import { lake } from './sample.js'
import { Scenes } from './scenes.js'
import { Stage } from './stage.js'
import { query, words } from './words.js'

const $ = id => document.getElementById(id)
/** Milliseconds from a change to its preview, and without a change before the whole picture. */
const previewPause = 40
const fullPause = 450
/** Milliseconds after which a preview is given up for the next one. */
const patience = 250

let facts = { isSigned: false, presetsOnly: false, hasPictures: false, mostBytes: Infinity, formats: [] }
let catalog = []
let presets = []
let preset = null
/** As `taken` gives it. */
let picture = null
/** The whole result: `{blob, query}`. */
let whole = null
/** What is said beside a good result: what ended the frames before it. */
let trouble = ''
let running = new AbortController()
let timer = 0

// MARK: what is asked

function order() {
  const extension = $('format').value
    || facts.formats.find(one => one.type === picture?.blob.type)?.extensions[0] || 'jpg'
  return {
    preset, filter: chain.text(), regions: stage.texts, feather: number('feather', 0),
    invert: $('invert').checked, edge: $('edge').value, linear: $('linear').checked,
    scale: number('scale', 1), format: $('format').value,
    name: picture?.name ?? 'photo.jpg', output: `frosted.${extension}`,
  }
}

/** What a field says; where it says nothing that may be, what is usual. */
function number(id, usual) {
  const value = $(id).valueAsNumber
  return Number.isNaN(value) || !$(id).validity.valid ? usual : value
}

/** The same of a picture that is smaller, in a format that is made fast. */
function reducedOrder(small, filter) {
  const full = order()
  // What can become transparent needs a format that can be.
  const text = filter ?? chain.text(small.factor)
  const isOpaque = picture.isOpaque && !/opacity|transparent|shadow|rgba|over\(/.test(text + full.edge)
  return { ...full, filter: text, scale: full.scale * small.factor, format: isOpaque ? 'jpg' : 'webp' }
}

// MARK: what is said

/** `more` is for where there is room; what passes is not read aloud. */
function say(text, more = '', passes = false) {
  $('status').setAttribute('aria-busy', String(passes))
  $('status').replaceChildren(text, make('span', { className: 'more' }, more))
}

function complain(text) {
  $('error').hidden = !text
  $('error').textContent = text
  if (text) say('')
}

/** The same elsewhere, and in the address of this page. */
function describe() {
  const now = order()
  const tab = document.querySelector('[role=tab][aria-selected=true]').id.slice('tab-'.length)
  const { text, hint } = words(now, facts)[tab]
  $('words').textContent = text
  $('words-hint').textContent = hint
  history.replaceState(null, '', '#' + query(now))
}

// MARK: previews, then all of it

/** One preview at a time: what changes meanwhile is looked at next, unless the present one takes long. */
let isStale = false
let isBusy = false
let isSoon = false
let asking = new AbortController()
let began = 0

function soon() {
  describe()
  whole = null
  trouble = ''
  running.abort()
  clearTimeout(timer)
  // The next frame is asked for so.
  if (!picture || facts.isSigned || live.isOn) return
  isStale = true
  if (!isBusy) {
    if (!isSoon) setTimeout(preview, previewPause)
    isSoon = true
  } else if (performance.now() - began > patience) asking.abort()
}

async function preview() {
  isSoon = false
  isBusy = true
  let isGood = true
  while (isStale) {
    isStale = false
    asking = new AbortController()
    began = performance.now()
    isGood = await reduced(picture, asking.signal).catch(error => {
      if (!isStale) refused(error)
    })
  }
  isBusy = false
  if (!isGood) return
  running = new AbortController()
  const { signal } = running
  timer = setTimeout(
    () => full(signal).catch(refused), preset || picture.small.factor === 1 ? 0 : fullPause)
}

/** Shows the filters on a reduced picture. A preset's lengths cannot be made smaller from here. */
async function reduced(made, signal) {
  if (preset || made.small.factor === 1) return true
  const answer = await ask(`v1/blur?${query(reducedOrder(made.small))}`, made.small.blob, signal)
  const bitmap = await createImageBitmap(await answer.blob())
  if (made !== picture) return false
  stage.after(bitmap)
  complain(trouble)
  const time = document.body.dataset.preview = Math.round(performance.now() - began)
  say(`Preview in ${time} ms, now in full size…`, '', true)
  return true
}

function refused(error) {
  if (error.name === 'AbortError') return
  document.body.dataset.state = 'refused'
  complain(error.message)
}

/** The whole picture, which the download is. */
async function full(signal) {
  const fields = query(order())
  if (whole?.query === fields) return whole
  const start = performance.now()
  const answer = await ask(`v1/blur?${fields}`, picture.blob, signal)
  const blob = await answer.blob()
  const bound = Number(answer.headers.get('x-frostglass-certified-error'))
  const time = performance.now() - start
  const bitmap = await createImageBitmap(blob).catch(() => null)
  signal.throwIfAborted()
  let size = `${picture.width}×${picture.height}`
  if (bitmap) stage.after(bitmap)
  else size += ', a format that browsers do not show'
  whole = { blob, query: fields }
  complain(trouble)
  document.body.dataset.state = 'whole'
  say(`Full size: ${size}, ${bytes(blob.size)}, ${Math.round(time)} ms`,
    bound > 0 ? `, within ${bound.toFixed(2)} of 255 levels of the truth` : '')
  return whole
}

async function download() {
  if (!picture || facts.isSigned) return
  clearTimeout(timer)
  running.abort()
  running = new AbortController()
  try {
    if (!whole) say('Blurring in full size…')
    const { blob } = await full(running.signal)
    const link = make('a', { href: URL.createObjectURL(blob), download: order().output })
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
  } catch (error) {
    refused(error)
  }
}

// MARK: pictures

/** Counts what was asked to be opened: of several, the last one is shown, whichever is ready first. */
let opening = 0

async function open(blob, name, keepsRegions = false, said = '') {
  const own = ++opening
  live.stop()
  showLive()
  if (blob.type.startsWith('video/') && !facts.isSigned) return play(() => live.film(blob, name))
  if (blob.size > facts.mostBytes) {
    return unopened(`${name} has ${bytes(blob.size)}; this service takes ${bytes(facts.mostBytes)} at most.`)
  }
  try {
    say(`Opening ${name}…`)
    const bitmap = await decoded(blob, facts)
    const made = await taken(blob, name, bitmap)
    if (own !== opening) return bitmap.close()
    picture = made
    complain(said)
    isFrame = false
    stage.open(bitmap, keepsRegions)
    bitmap.close()
    $('after').setAttribute('aria-label', `${name} with the filters`)
    say(`${name}, ${picture.width}×${picture.height}`)
    if (!facts.isSigned) scenes.picture = looks.picture = picture
    soon()
    trouble = said
  } catch (error) {
    if (own === opening) unopened(`${name}: ${error.message}`)
  }
}

/** Says why something was not opened; what is shown is not a frame of what was shown before it. */
function unopened(text) {
  return isFrame ? back(text) : complain(text)
}

async function sample(name, keepsRegions) {
  const own = ++opening
  const blob = name === 'lake' ? await lake() : await (await fetch(`playground/${name}.webp`)).blob()
  if (own !== opening) return
  return open(blob, name === 'lake' ? 'lake.jpg' : `${name}.webp`, keepsRegions)
}

// MARK: frames that come

/** Whether a frame is shown, of what may have ended. */
let isFrame = false

/** A camera, or a film, until another picture is opened; the last frame is one. */
function play(begin) {
  ++opening
  clearTimeout(timer)
  running.abort()
  asking.abort()
  isStale = false
  complain('')
  say('Waiting for the first frame…')
  delete document.body.dataset.live
  const ended = begin()
  showLive()
  return ended
}

function showLive() {
  $('camera').textContent = live.isOn ? 'Stop' : 'Camera'
  $('camera').setAttribute('aria-pressed', String(live.isOn))
}

async function toggleCamera() {
  if (!live.isOn) return play(() => live.camera())
  const frame = await live.stop()
  await (frame ? open(frame, 'frame.jpg', true) : back())
}

/** Shows the picture again that was there before the frames, with the regions of now, and what ended them. */
function back(said = '') {
  showLive()
  complain(said)
  if (picture) return open(picture.blob, picture.name, true, said)
  isFrame = false
  stage.clear()
  if (!said) say('')
}

// MARK: looks

/** Takes a look: filters into the chain, a preset of the operator's as it is. */
function take(look) {
  preset = look.filter ? null : look.name
  chain.set(look.filter ? read(look.filter, catalog) ?? [] : [])
  looks.press(look)
}

async function thumbnail({ filter, name }, { thumb }) {
  const small = new Chain(null, () => {})
  small.steps = filter ? read(filter, catalog) ?? [] : []
  const now = {
    ...reducedOrder(thumb, small.text(thumb.factor)), preset: filter ? null : name, regions: [],
    edge: 'clamp', linear: false,
  }
  return (await ask(`v1/blur?${query(now)}`, thumb.blob)).blob()
}

function showCatalog() {
  const groups = new Map()
  for (const filter of catalog) {
    const group = filter.isStyle ? 'Looks' : filter.name.startsWith('gpuimage-') ? 'GPUImage'
      : filter.summary.startsWith('CSS ') ? 'CSS' : 'Blurs, colors, pixels'
    if (!groups.has(group)) groups.set(group, make('optgroup', { label: group }))
    groups.get(group).append(new Option(filter.name))
  }
  $('add').replaceChildren(...groups.values())
  $('add').value = 'saturate'
}

// MARK: the page

const stage = new Stage(soon)
const chain = new Chain($('chain'), () => {
  $('chain-empty').hidden = chain.steps.length > 0
  if (chain.steps.length > 0) preset = null
  soon()
})
const looks = new Looks($('look-list'), thumbnail, take)
const live = new Live({
  address: factor => `v1/blur?${query(liveOrder(factor))}`,
  show(frame, result) {
    isFrame = true
    stage.frame(frame, result)
    document.body.dataset.live = Number(document.body.dataset.live ?? 0) + 1
  },
  tell({ rate, age, out }) {
    say(`${rate.toFixed(1)} frames a second, each after ${Math.round(age)} ms`, `, ${out} left out`, true)
  },
  fail: error => back(error.message),
})

/** What is asked of a frame that was made smaller. */
function liveOrder(factor) {
  const now = order()
  return preset ? { ...now, format: 'jpg' }
    : { ...now, filter: chain.text(factor), scale: now.scale * factor, format: 'jpg' }
}
const scenes = new Scenes($('scene-list'))

$('add-button').addEventListener('click', () => chain.add(catalog.find(one => one.name === $('add').value)))
for (const id of ['edge', 'scale', 'linear', 'feather', 'invert', 'format']) $(id).addEventListener('input', soon)
$('controls').addEventListener('submit', event => {
  event.preventDefault()
  // Enter in a field is for the field.
  if (event.submitter === $('download')) download()
})
$('controls').addEventListener('keydown', event => {
  if (event.key === 'Enter' && event.target.matches('input:not([type=checkbox])')) event.preventDefault()
})
$('file').addEventListener('change', () => {
  const [file] = $('file').files
  if (file) open(file, file.name)
  // The same file again is another choice.
  $('file').value = ''
})
$('camera').addEventListener('click', toggleCamera)
for (const button of document.querySelectorAll('[data-sample]')) {
  button.addEventListener('click', () => sample(button.dataset.sample))
}
addEventListener('dragover', event => {
  event.preventDefault()
  document.body.classList.add('dragging')
})
addEventListener('dragleave', event => {
  if (!event.relatedTarget) document.body.classList.remove('dragging')
})
addEventListener('drop', event => {
  event.preventDefault()
  document.body.classList.remove('dragging')
  const [file] = event.dataTransfer.files
  if (file) open(file, file.name)
  else complain('What was dropped is no file.')
})
addEventListener('paste', event => {
  const [file] = event.clipboardData?.files ?? []
  if (file) open(file, file.name || 'pasted.png')
})

const tabs = [...document.querySelectorAll('[role=tab]')]
function choose(tab) {
  for (const one of tabs) {
    one.setAttribute('aria-selected', String(one === tab))
    one.tabIndex = one === tab ? 0 : -1
  }
  $('code').setAttribute('aria-labelledby', tab.id)
  describe()
}
for (const [index, tab] of tabs.entries()) {
  tab.addEventListener('click', () => choose(tab))
  tab.addEventListener('keydown', event => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!by) return
    event.preventDefault()
    const next = tabs.at((index + by) % tabs.length)
    choose(next)
    next.focus()
  })
}
$('copy').addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText($('words').textContent)
    say('Copied.')
  } catch {
    // Browsers lend the clipboard to secure pages only: it is marked then, for Ctrl-C.
    getSelection().selectAllChildren($('words'))
    say('Marked; copy it with Ctrl-C.')
  }
})

/** What the address of the page says, if it does. */
function restore() {
  const fields = new URLSearchParams(location.hash.slice(1))
  const steps = fields.has('filter') ? read(fields.get('filter').replace(/^none$/, ''), catalog) : null
  $('format').value = fields.get('format') ?? ''
  $('edge').value = fields.get('edge') ?? 'clamp'
  $('linear').checked = fields.has('linear')
  $('scale').value = fields.get('scale') ?? '1'
  $('feather').value = parseFloat(fields.get('feather') ?? '0')
  $('invert').checked = fields.has('invert')
  stage.texts = fields.getAll('region')
  const named = presets.find(one => one.name === fields.get('preset')) ?? (facts.presetsOnly ? presets[0] : null)
  if (named) take({ name: named.name })
  else if (steps) chain.set(steps)
  else take({ filter: recipes[0][1] })
}

function showFacts() {
  $('version').textContent = facts.version
  for (const { name, extensions } of facts.formats) $('format').append(new Option(name, extensions[0]))
  // Browsers lend cameras to secure pages only.
  $('camera').hidden = facts.isSigned || !navigator.mediaDevices
  $('file').accept = ['image/*', 'video/*', ...facts.formats.flatMap(one => one.extensions.map(word => `.${word}`))].join()
  const notices = []
  if (facts.isSigned) {
    notices.push(
      'This service takes signed addresses only, so nothing can be blurred from this page. It still '
      + 'writes the commands below; an operator signs addresses with frostglass sign.')
    $('download').disabled = true
    $('scenes').hidden = true
    $('looks').hidden = !presets.length && facts.presetsOnly
  }
  if (facts.presetsOnly) {
    notices.push(
      presets.length > 0
        ? 'This service takes its operator’s presets only: choose one under Looks. Filters and regions '
          + 'are not taken.'
        : 'This service takes its operator’s presets only, and there are none.')
    for (const id of ['filters', 'where', 'scenes']) $(id).hidden = true
    stage.isLocked = true
    $('stage-help').textContent = ''
  }
  $('notice').textContent = notices.join(' ')
  $('notice').hidden = notices.length === 0
}

async function begin() {
  try {
    const answers = await Promise.all(
      ['playground/service.json', 'v1/filters', 'v1/presets'].map(path => fetch(path)))
    ;[facts, catalog, presets] = await Promise.all(answers.map(answer => answer.json()))
    presets = presets.filter(one => one.operation === 'blur')
  } catch {
    return complain('The service does not answer. Is it still running?')
  }
  showFacts()
  showCatalog()
  looks.show(presets, catalog, facts)
  restore()
  await sample('lake', true)
}
begin()
