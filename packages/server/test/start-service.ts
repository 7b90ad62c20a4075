import { EventEmitter, once } from 'node:events'
import { ContextOffloader, type ContextOffloaderOptions, type ManagedStorage } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { onTestFinished } from 'vitest'
import type { LogRecord } from '../src/index.ts'
import { pause } from './raw-request.ts'
import { AnswerValidator } from './validate-answer.ts'
import { serve, type ServeOptions, type Service } from '../src/node/index.ts'

/** A service that ends with its test. */
export interface TestService extends Service {
  readonly storage: ManagedStorage
  readonly log: LogRecord[]
  readonly port: number
  /** Resolves when this many requests are in the log. */
  logged(count: number): Promise<void>
  /** Resolves when this many requests are in progress. */
  inFlight(count: number, headers?: Record<string, string>): Promise<void>
  /** Return the bytes that the service reserves for requests and responses. */
  heldBytes(): Promise<number>
  /** Send JSON. Returns the status and the JSON of the answer. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Send a GET request. Returns the status and the JSON of the answer. */
  get(path: string, headers?: Record<string, string>): Promise<Answer>
}

/** An answer of the service. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  // Each endpoint has other fields.
  readonly json: Record<string, never> & AnswerFields
}

interface AnswerFields {
  readonly success: boolean
  readonly answer: string
  readonly messages: Record<string, never>[]
  readonly metadata: Record<string, never> & { readonly write_file_dict: Record<string, string> }
  readonly error: { readonly code: string; readonly message: string; readonly retryable: boolean }
}

/** Validators by the text of their OpenAPI document: compiling a schema takes longer than most requests. */
const validators = new Map<string, AnswerValidator>()

function validatorOf(document: string): AnswerValidator {
  const validator = validators.get(document) ?? new AnswerValidator(JSON.parse(document))
  validators.set(document, validator)
  return validator
}

/** Start a service on a free port, by default with a storage in memory. All its answers are validated. */
export async function startService({
  storage = new InMemoryStorage({ evictAfterTurns: null }),
  offloader = {},
  ...options
}: ServeOptions & {
  readonly storage?: ManagedStorage
  readonly offloader?: Partial<ContextOffloaderOptions>
} = {}): Promise<TestService> {
  const log: LogRecord[] = []
  const logged = new EventEmitter()
  const service = await serve(new ContextOffloader({ storage, ...offloader }), {
    port: 0,
    log: (record) => {
      log.push(record)
      logged.emit('record')
    },
    ...options,
  })
  onTestFinished(() => service.close({ graceMs: 0 }))
  const validator = validatorOf(await (await fetch(`${service.url}/openapi.json`)).text())
  log.length = 0
  const metric = async (name: string, headers: Record<string, string> = {}): Promise<number> => {
    const text = await (await fetch(`${service.url}/metrics`, { headers })).text()
    const [, value] = new RegExp(String.raw`^${name} (\d+)$`, 'm').exec(text) ?? []
    if (value === undefined) throw new Error(`No metric ${name} in:\n${text}`)
    return Number(value)
  }
  const request = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(service.url + path, init)
    const text = await response.text()
    const json = text === '' ? {} : JSON.parse(text)
    // Every answer of every test must match the OpenAPI document.
    validator.check(init.method ?? 'GET', path, response.status, json)
    return { status: response.status, headers: response.headers, json }
  }
  return {
    ...service,
    storage,
    log,
    port: Number(new URL(service.url).port),
    logged: async (count) => {
      while (log.filter(({ type }) => type === 'request').length < count) await once(logged, 'record')
    },
    inFlight: async (count, headers) => {
      // The request for the metrics is in progress, too.
      while ((await metric('spillway_http_requests_in_flight', headers)) <= count) await pause(10)
    },
    heldBytes: () => metric('spillway_work_memory_bytes'),
    post: (path, body, headers = {}) =>
      request(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    get: (path, headers = {}) => request(path, { headers }),
  }
}
