import { setTimeout as sleep } from 'node:timers/promises'
import { JSON_TYPE } from './call-requests.ts'
import { historyBody, MARK, nameOf, numbered, SIZES } from './request-bodies.ts'
import { Sender } from './send-request.ts'

/** Behavior of the clients. */
export interface ClientOptions {
  readonly clients: number
  readonly seconds: number
  /** Whether they also search and read. */
  readonly readsToo: boolean
}

/** Counts and times of the requests of all clients. */
export interface ClientFigures {
  answered: number
  /** Refused requests with a time for a retry. */
  refused: number
  /** Refused requests without a time for a retry. */
  refusedWithoutWait: number
  /** All other failures, by status or code. */
  readonly failed: Record<string, number>
  /** Bytes of the bodies of answered requests. */
  bytes: number
  /** Milliseconds of answered requests, by kind. */
  readonly latencies: Record<string, number[]>
}

interface NextRequest {
  readonly number: number
  readonly name: string
  readonly path: string
  readonly body: Buffer
}

/** Let clients send requests one after another. */
export async function runLoadClients(
  url: string,
  { clients, seconds, readsToo }: ClientOptions,
): Promise<ClientFigures> {
  const sender = new Sender(clients)
  const bodies = SIZES.map(({ bytes, share }) => ({ share, bytes, body: historyBody(bytes) }))
  const figures: ClientFigures = { answered: 0, refused: 0, refusedWithoutWait: 0, failed: {}, bytes: 0, latencies: {} }
  let count = 0
  /** Numbers of answered histories, whose files can be read. */
  const stored: number[] = []

  /** Choose the next request: mostly a history, and sometimes a search or a read, like agents. */
  function nextRequest(random: number): NextRequest {
    const number = ++count
    if (readsToo && random < 10) {
      const body = {
        pattern: `request ${number % 500} `,
        path: '/workspace/load',
        limit: 10,
        glob: `tool_call_call_4_n${String(Math.floor(number / 100)).padStart(8, '0')}*.txt`,
      }
      return { number, name: 'grep', path: '/grep', body: Buffer.from(JSON.stringify(body)) }
    }
    const known = stored[(random * 7_919 + number) % Math.max(1, stored.length)]
    if (readsToo && random < 30 && known !== undefined) {
      const name = nameOf(`call_0_${MARK}`, known)
      const body = { absolute_path: `/workspace/load/tool_call_${name}.txt`, offset: 10, limit: 100 }
      return { number, name: 'read_file', path: '/read_file', body: Buffer.from(JSON.stringify(body)) }
    }
    let left = (random * 7_919) % 100
    const chosen = bodies.find(({ share }) => (left -= share) < 0)!
    return {
      number,
      name: `history, ${chosen.bytes / 1_000} KB`,
      path: '/context_offload',
      body: numbered(chosen.body, number),
    }
  }

  async function client(seed: number, end: number): Promise<void> {
    let state = seed
    while (performance.now() < end) {
      // The generator of Numerical Recipes gives the same requests in each run.
      state = (state * 1_664_525 + 1_013_904_223) >>> 0
      const { number, name, path, body } = nextRequest(state % 100)
      const begin = performance.now()
      try {
        const { status, headers } = await sender.send(url, { method: 'POST', path, headers: JSON_TYPE, body })
        if (status === 200) {
          if (path === '/context_offload') stored.push(number)
          figures.answered += 1
          figures.bytes += body.length
          ;(figures.latencies[name] ??= []).push(performance.now() - begin)
        } else if (status === 429 || status === 503) {
          figures.refused += 1
          const retryAfter = headers['retry-after']
          if (retryAfter === undefined) figures.refusedWithoutWait += 1
          await sleep(Math.min(Number(retryAfter ?? 1), 5) * 1_000)
        } else figures.failed[`status ${status}`] = (figures.failed[`status ${status}`] ?? 0) + 1
      } catch (error) {
        const { code = 'unknown' } = error as NodeJS.ErrnoException
        figures.failed[code] = (figures.failed[code] ?? 0) + 1
      }
    }
  }

  const end = performance.now() + seconds * 1_000
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index + 1, end)))
  sender.close()
  return figures
}
