// Frames of a camera or a film, blurred as they come: the newest is next, and those before it are left out.
import { make } from './chain.js'
import { ask } from './requests.js'

/** The longer side of frames that are sent. */
const longest = 640

export class Live {
  /**
   * `address` gives the question for frames that were made smaller by a factor, `show` gets a frame and its
   * result, `tell` how it goes, each second, and `fail` what ended it.
   */
  constructor({ address, show, tell, fail }) {
    Object.assign(this, { address, show, tell, fail })
    this.running = null
  }

  get isOn() { return this.running !== null }

  async camera() {
    this.stop()
    const own = this.running = new AbortController()
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ video: true, audio: false })
      const end = () => stream.getTracks().forEach(track => track.stop())
      own.signal.addEventListener('abort', end)
      if (own.signal.aborted) return end()
      // Unplugged, it has no more frames to wait for.
      const gone = () => this.end(own, new Error('The camera is no longer there.'))
      stream.getTracks().forEach(track => track.addEventListener('ended', gone))
      await this.play(make('video', { srcObject: stream, muted: true, playsInline: true }), own)
    } catch (error) {
      this.end(own, error.name === 'NotAllowedError' ? new Error('The camera was not allowed.') : error)
    }
  }

  /** Plays a film over and over. */
  async film(blob, name) {
    this.stop()
    const own = this.running = new AbortController()
    const src = URL.createObjectURL(blob)
    own.signal.addEventListener('abort', () => URL.revokeObjectURL(src))
    try {
      await this.play(make('video', { src, muted: true, loop: true, playsInline: true }), own)
    } catch (error) {
      this.end(
        own, error.name === 'NotSupportedError' ? new Error(`${name}: the browser cannot play it.`) : error)
    }
  }

  /** Gives the last frame in full size, if there was one. */
  async stop() {
    const { running, video } = this
    this.running = this.video = null
    const canvas = video?.videoWidth && make('canvas', { width: video.videoWidth, height: video.videoHeight })
    if (canvas) canvas.getContext('2d').drawImage(video, 0, 0)
    running?.abort()
    video?.pause()
    return canvas ? new Promise(done => canvas.toBlob(done, 'image/jpeg', 0.95)) : null
  }

  /** What was stopped meanwhile has nothing more to say. */
  end(own, error) {
    if (this.running !== own) return
    this.stop()
    this.fail(error)
  }

  async play(video, own) {
    await video.play()
    own.signal.throwIfAborted()
    this.video = video
    const canvas = make('canvas', {})
    const pen = canvas.getContext('2d')
    let [last, since, out, ages] = [0, performance.now(), 0, []]
    while (!own.signal.aborted) {
      const { presentedFrames } = await new Promise(done =>
        video.requestVideoFrameCallback((_, told) => done(told)))
      own.signal.throwIfAborted()
      if (last) out += presentedFrames - last - 1
      last = presentedFrames
      const factor = Math.min(1, longest / Math.max(video.videoWidth, video.videoHeight))
      canvas.width = Math.max(1, Math.round(video.videoWidth * factor))
      canvas.height = Math.max(1, Math.round(video.videoHeight * factor))
      const began = performance.now()
      pen.drawImage(video, 0, 0, canvas.width, canvas.height)
      const blob = await new Promise(done => canvas.toBlob(done, 'image/jpeg', 0.9))
      const answer = await ask(this.address(factor), blob, own.signal)
      const bitmap = await createImageBitmap(await answer.blob())
      own.signal.throwIfAborted()
      this.show(canvas, bitmap)
      const now = performance.now()
      ages.push(now - began)
      if (now - since < 1000) continue
      ages.sort((one, other) => one - other)
      this.tell({ rate: ages.length * 1000 / (now - since), age: ages[ages.length >> 1], out })
      ;[since, out, ages] = [now, 0, []]
    }
  }
}
