// What is asked on the page, as other programs are told it.

function quoted(text) { return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'` }
function swift(text) { return `"${text.replace(/[\\"]/g, '\\$&')}"` }

/** The query of a request, in the words of the API. */
export function query(order) {
  const fields = new URLSearchParams()
  if (order.preset) fields.set('preset', order.preset)
  else {
    fields.set('filter', order.filter)
    if (order.edge !== 'clamp') fields.set('edge', order.edge)
    if (order.linear) fields.set('linear', 'true')
    if (order.scale !== 1) fields.set('scale', order.scale)
    for (const region of order.regions) fields.append('region', region)
    if (order.regions.length > 0 && order.feather > 0) fields.set('feather', `${order.feather}%`)
    if (order.regions.length > 0 && order.invert) fields.set('invert', 'true')
  }
  if (order.format) fields.set('format', order.format)
  // As it can be read: these letters mean nothing in a query.
  return fields.toString().replace(/%2C/g, ',').replace(/%28/g, '(').replace(/%29/g, ')')
    .replace(/%3D/g, '=').replace(/\+/g, '%20')
}

function command(order) {
  const words = ['frostglass', 'blur', quoted(order.name), quoted(order.output)]
  if (order.preset) words.push('--preset', quoted(`${order.preset}.json`))
  else {
    words.push('--filter', quoted(order.filter))
    if (order.edge !== 'clamp') words.push('--edge', order.edge)
    if (order.linear) words.push('--linear')
    if (order.scale !== 1) words.push('--scale', String(order.scale))
    for (const region of order.regions) words.push('--region', quoted(region))
    if (order.regions.length > 0 && order.feather > 0) words.push('--feather', `${order.feather}%`)
    if (order.regions.length > 0 && order.invert) words.push('--invert')
  }
  return [...words, '--strip'].join(' ')
}

function library(order) {
  if (order.preset) {
    return `let preset = try Preset(file: ${swift(`${order.preset}.json`)})\n`
      + `try await Pipeline().blur(\n  ${swift(order.name)}, to: ${swift(order.output)}, preset.chain,\n`
      + '  options: preset.options)'
  }
  const lines = []
  const options = []
  if (order.edge !== 'clamp') options.push(`edge: .${order.edge}`)
  if (order.linear) options.push('linearLight: true')
  if (order.scale !== 1) options.push(`scale: ${order.scale}`)
  if (order.regions.length > 0) {
    const parts = [`try MaskShape.list(text: ${swift(order.regions.join('; '))})`]
    if (order.feather > 0) parts.push(`feather: Length(${order.feather}, .percent)`)
    if (order.invert) parts.push('isInverted: true')
    lines.push(`let mask = Mask(\n  ${parts.join(', ')})`)
    options.push('mask: mask')
  }
  lines.push(
    `let look = try FilterChain(text: ${swift(order.filter)})`,
    `try await Pipeline().blur(\n  ${swift(order.name)}, to: ${swift(order.output)}, look`
      + (options.length > 0 ? `,\n  options: PlanOptions(${options.join(', ')}))` : ')'))
  return lines.join('\n')
}

/** The same in other words: what they are called, the words, and what to know about them. */
export function words(order, facts) {
  const target = new URL(`v1/blur?${query(order)}`, document.baseURI).href
  const picture = new URL(
    `v1/pictures/${encodeURIComponent(order.name)}?${query(order)}`, document.baseURI).href
  const sign = facts.isSigned
    ? ' frostglass sign --keys FILE signs it.' : ''
  return {
    command: { text: command(order), hint: 'Metadata is dropped, as the service does.' },
    curl: {
      text: `curl --data-binary @${quoted(order.name)} ${quoted(target)} `
        + `-o ${quoted(order.output)}`,
      hint: `Run where the picture is.${sign}`,
    },
    url: facts.hasPictures
      ? { text: picture, hint: `For an <img>, if the picture is one of the service's.${sign}` }
      : {
        text: target,
        hint: `The picture is its body. With --pictures DIR the service has addresses for <img>, too.${sign}`,
      },
    swift: { text: library(order), hint: 'After import Frostglass.' },
  }
}
