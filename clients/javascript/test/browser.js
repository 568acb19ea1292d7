// Drives a headless Chromium through its debugging pipe, on which messages of JSON end with a zero byte.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const chromium = [process.env.CHROMIUM, 'chromium', 'chromium-browser'].find(
  name => name && spawnSync(name, ['--version']).status === 0)

export class Browser {
  #process
  #folder = mkdtempSync(join(tmpdir(), 'browser-'))
  #pending = new Map()
  #last = 0
  #ended
  #errors = ''

  constructor() {
    this.#process = spawn(chromium, [
      '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--remote-debugging-pipe',
      `--user-data-dir=${this.#folder}`, 'about:blank'
    ], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'], detached: true, env: { ...process.env, TMPDIR: this.#folder }
    })
    this.#ended = once(this.#process, 'exit')
    this.#process.stderr.setEncoding('utf8').on('data', data => { this.#errors += data })
    // Writing to a browser that has ended fails; then there is no reply.
    this.#process.stdio[3].on('error', () => {})

    let received = ''
    this.#process.stdio[4].setEncoding('utf8').on('data', data => {
      const messages = (received + data).split('\0')
      received = messages.pop()
      for (const { id, result, error } of messages.map(JSON.parse)) {
        const pending = this.#pending.get(id)
        this.#pending.delete(id)
        if (error) pending?.reject(new Error(error.message))
        else pending?.resolve(result)
      }
    })
  }

  async send(method, params = {}, sessionId = undefined) {
    const id = ++this.#last
    const reply = new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }))
    const timer = setTimeout(
      () => this.#pending.get(id)?.reject(new Error(`no reply to ${method}: ${this.#errors}`)), 60000)

    this.#process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    try {
      return await reply
    } finally {
      clearTimeout(timer)
    }
  }

  /** Opens a page. Returns functions that evaluate an expression in it, and that type text. */
  async open(url) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true })

    // Typing needs the focus, which only the tab in front has.
    await this.send('Emulation.setFocusEmulationEnabled', { enabled: true }, sessionId)
    // Returns when about:blank is gone, so that no expression is evaluated in it.
    await this.send('Page.navigate', { url }, sessionId)
    return {
      evaluate: async expression => {
        const { result, exceptionDetails } =
          await this.send('Runtime.evaluate', { expression, returnByValue: true }, sessionId)
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
        return result.value
      },
      type: text => this.send('Input.insertText', { text }, sessionId)
    }
  }

  async close() {
    // The group of the detached process: its children write to the folder, too.
    process.kill(-this.#process.pid, 'SIGKILL')
    await this.#ended
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}
