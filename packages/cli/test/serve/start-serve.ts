import { onTestFinished } from 'vitest'
import { BIN, start, type Ended, type StartOptions } from '../spillway.ts'

/** A running `spillway serve`. */
export interface RunningService {
  readonly url: string
  readonly port: number
  /** Send JSON. Returns the status and the JSON of the answer. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<{ status: number; json: Json }>
  /** Stop the service with a signal. Returns how it exited. */
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

// Each endpoint has other fields.
type Json = Record<string, never> & { readonly success: boolean; readonly answer: string; readonly messages: never[] }

/** Start `spillway serve` on a free port, and wait until it listens. The service ends with the test. */
export async function startServe(args: readonly string[], options: StartOptions = {}): Promise<RunningService> {
  const { child, end } = start(process.execPath, [BIN, 'serve', '--listen', '0', ...args], options)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await end
  })
  const { promise: listening, resolve } = Promise.withResolvers<string>()
  let noted = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    noted += chunk.toString()
    const url = /Listening at (\S+)/.exec(noted)?.[1]
    if (url !== undefined) resolve(url)
  })
  const ended = end.then(({ stderr }) => {
    throw new Error(`spillway serve ended: ${stderr}`)
  })
  const url = await Promise.race([listening, ended])
  void Promise.allSettled([ended])
  return {
    url,
    port: Number(new URL(url).port),
    post: async (path, body, headers = {}) => {
      const response = await fetch(url + path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      })
      return { status: response.status, json: (await response.json()) as Json }
    },
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal)
      return await end
    },
  }
}
