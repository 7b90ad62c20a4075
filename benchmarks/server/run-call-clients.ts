import { OPERATION_HEADER, offloadRequest, readRequest, type Operation } from './call-requests.ts'
import { Sender } from './send-request.ts'

/** Options of the clients. */
export interface CallOptions {
  /** URLs of processes with one storage. Clients take turns among them. */
  readonly urls: readonly string[]
  readonly operation: Operation
  readonly clients: number
  readonly milliseconds: number
  /** The number of the first result, because results of earlier runs remain. */
  readonly first: number
  /** References of the results to read, from number 0 on. */
  readonly references: readonly string[]
}

/** Figures of all clients. */
export interface CallFigures {
  readonly seconds: number
  /** Milliseconds of each request. */
  readonly latencies: readonly number[]
  /** Requests with an unexpected answer. */
  readonly failed: number
  /** Number and reference of each stored result. */
  readonly stored: readonly [number, string][]
  /** An answer. */
  readonly sample: string
}

/** Let clients of one operation send requests one after another. */
export async function runCallClients(options: CallOptions): Promise<CallFigures> {
  const { urls, operation, clients, milliseconds, first, references } = options
  const sender = new Sender(clients)
  const latencies: number[] = []
  const stored: [number, string][] = []
  let failed = 0
  let sample = ''
  let count = 0

  const client = async (end: number): Promise<void> => {
    while (performance.now() < end) {
      const number = first + count++
      const reference = references[number % references.length] ?? ''
      const isOffload = operation === 'inline' || operation === 'offload'
      const call = isOffload ? offloadRequest(operation, number) : readRequest(operation, reference)
      const begin = performance.now()
      const { status, body } = await sender.send(urls[number % urls.length] ?? '', {
        ...call,
        headers: { ...call.headers, [OPERATION_HEADER]: operation },
      })
      latencies.push(performance.now() - begin)
      if (status !== (operation === 'range' ? 206 : 200)) failed += 1
      else if (operation === 'offload') {
        const name = /"reference":"(\w+)"/.exec(body.toString())?.[1]
        if (name === undefined) failed += 1
        else stored.push([number, name])
      }
      if (sample === '') sample = body.toString()
    }
  }

  const begin = performance.now()
  await Promise.all(Array.from({ length: clients }, () => client(begin + milliseconds)))
  const seconds = (performance.now() - begin) / 1_000
  sender.close()
  return { seconds, latencies, failed, stored, sample }
}
