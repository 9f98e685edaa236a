// Questions to the service, and its refusals in words.

/** Bytes as people say them. */
export function bytes(count) {
  return count < 1 << 20 ? `${Math.ceil(count / 1024)} KB` : `${(count / (1 << 20)).toFixed(1)} MB`
}

/**
 * Posts a body and gives the answer. Where the service is busy it asks once more.
 * @throws what is wrong, as a sentence.
 */
export async function ask(path, body, signal, mayWait = true) {
  let answer
  try {
    answer = await fetch(path, { method: 'POST', body, signal })
  } catch (error) {
    if (error.name === 'AbortError') throw error
    throw new Error('The service does not answer. Is it still running?')
  }
  if (answer.ok) return answer
  if ([429, 503].includes(answer.status) && mayWait) {
    const seconds = Number(answer.headers.get('retry-after')) || 1
    await new Promise(done => setTimeout(done, Math.min(seconds, 5) * 1000))
    signal?.throwIfAborted()
    return ask(path, body, signal, false)
  }
  const isProblem = answer.headers.get('content-type')?.startsWith('application/problem+json')
  const detail = isProblem ? (await answer.json()).detail : `the service answered ${answer.status}`
  throw new Error(detail.charAt(0).toUpperCase() + detail.slice(1) + '.')
}
