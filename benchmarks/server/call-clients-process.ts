/** Clients of one operation, each sending one request after another: `node call-clients-process.ts '{"urls":[…],…}'`. */
import { OPERATION_HEADER, offloadRequest, readRequest, type Operation } from './call-requests.ts'
import { Sender } from './send-request.ts'

/** Orders for the clients. */
export interface CallOptions {
  /** Of processes over one storage, which clients take in turns. */
  readonly urls: readonly string[]
  readonly operation: Operation
  readonly clients: number
  readonly milliseconds: number
  /** The number of the first result, since results of former runs stay. */
  readonly first: number
  /** References of the results from 0 on, to read. */
  readonly references: readonly string[]
}

/** Results of all clients. */
export interface CallFigures {
  readonly seconds: number
  /** Milliseconds of each request. */
  readonly latencies: number[]
  /** Requests that got another answer than they should. */
  failed: number
  /** Each stored result: its number and its reference. */
  readonly stored: [number, string][]
  /** An answer. */
  sample: string
}

const { urls, operation, clients, milliseconds, first, references } = JSON.parse(process.argv[2] ?? '') as CallOptions
const sender = new Sender(clients)
const figures: CallFigures = { seconds: 0, latencies: [], failed: 0, stored: [], sample: '' }
let count = 0

const urlOf = (number: number): string => urls[number % urls.length] ?? ''

async function client(end: number): Promise<void> {
  while (performance.now() < end) {
    const number = first + count++
    const reference = references[number % references.length] ?? ''
    const isOffload = operation === 'inline' || operation === 'offload'
    const call = isOffload ? offloadRequest(operation, number) : readRequest(operation, reference)
    const begin = performance.now()
    const { status, body } = await sender.send(urlOf(number), {
      ...call,
      headers: { ...call.headers, [OPERATION_HEADER]: operation },
    })
    figures.latencies.push(performance.now() - begin)
    if (status !== (operation === 'range' ? 206 : 200)) figures.failed += 1
    else if (operation === 'offload') {
      const stored = /"reference":"(\w+)"/.exec(body.toString())?.[1]
      if (stored === undefined) figures.failed += 1
      else figures.stored.push([number, stored])
    }
    if (figures.sample === '') figures.sample = body.toString()
  }
}

const begin = performance.now()
await Promise.all(Array.from({ length: clients }, () => client(begin + milliseconds)))
const seconds = (performance.now() - begin) / 1_000
sender.close()
console.log(JSON.stringify({ ...figures, seconds }))
