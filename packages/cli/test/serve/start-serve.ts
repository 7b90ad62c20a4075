import { expect, onTestFinished } from 'vitest'
import { BIN, spillway, start, type Ended, type StartOptions } from '../spillway.ts'

/** Milliseconds after which a command that does not stop fails its test. */
const STOP_MS = 60_000

/** A command that listens. */
interface Listening {
  readonly url: string
  /** Stop the command with a signal. Returns how it exited. */
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

/** A running `spillway serve`. */
export interface RunningService extends Listening {
  readonly port: number
  /** Send JSON. Returns the status and the JSON of the answer. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<{ status: number; json: Json }>
}

/** By default, the command runs in this process: no other command can run in this process until the service ends. */
interface ListenSettings extends StartOptions {
  readonly isProcess?: boolean
}

// Each endpoint has other fields.
type Json = Record<string, never> & { readonly success: boolean; readonly answer: string; readonly messages: never[] }

/** Start a command of `spillway`, and wait until it listens. The command ends with the test, with an exit code of 0. */
export async function startListening(
  args: readonly string[],
  { isProcess = false, ...options }: ListenSettings,
): Promise<Listening> {
  const { promise: listening, resolve } = Promise.withResolvers<string>()
  let noted = ''
  const onError = (chunk: Buffer): void => {
    noted += chunk.toString()
    const url = /Listening at (\S+)/.exec(noted)?.[1]
    if (url !== undefined) resolve(url)
  }
  const separate = isProcess ? start(process.execPath, [BIN, ...args], { ...options, onError }) : undefined
  const end = separate?.end ?? spillway(args, { ...options, onError })
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> => {
    if (separate === undefined) process.emit(signal)
    else separate.child.kill(signal)
    return end
  }
  onTestFinished(async () => expect(await stop()).toMatchObject({ code: 0, signal: null }), STOP_MS)
  const ended = end.then(({ stderr }) => {
    throw new Error(`spillway ${args.join(' ')} ended: ${stderr}`)
  })
  const url = await Promise.race([listening, ended])
  void Promise.allSettled([ended])
  return { url, stop }
}

/** Start `spillway serve` on a free port. See {@link startListening}. */
export async function startServe(args: readonly string[], settings: ListenSettings = {}): Promise<RunningService> {
  const service = await startListening(['serve', '--listen', '0', ...args], settings)
  return {
    ...service,
    port: Number(new URL(service.url).port),
    post: async (path, body, headers = {}) => {
      const response = await fetch(service.url + path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      })
      return { status: response.status, json: (await response.json()) as Json }
    },
  }
}
