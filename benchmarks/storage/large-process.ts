/** Stores one large content as a stream, or reads a part of it. */
import { countRead, peakMB, resetPeak } from '../speed/lib.mjs'
import { makeContent, streamContent } from './content.ts'
import { openStorage } from './open-storage.ts'
import type { Place } from './place.ts'
import { serve } from './remote.ts'

/** Figures of storing a stream. */
export interface StreamFigures {
  readonly reference: string
  readonly seconds: number
  /** Peak memory above the resident memory before, in megabytes. */
  readonly added: number
}

/** Figures of reading a part for the first time in a process. */
export interface PieceFigures {
  readonly ms: number
  /** Milliseconds of reading the same part again. */
  readonly againMs: number
  /** Bytes that the process received from files and sockets. */
  readonly bytes: number
}

/** Tasks of this process. */
export interface LargeTasks {
  store(input: { readonly place: Place; readonly bytes: number }): Promise<StreamFigures>
  read(input: {
    readonly place: Place
    readonly reference: string
    readonly offset: number
    readonly length: number
  }): Promise<PieceFigures>
  clear(input: { readonly place: Place }): Promise<void>
}

const SMALL_BYTES = 4_096

const tasks: LargeTasks = {
  store: async ({ place, bytes }) => {
    const scope = (await warmStorage(place)).scope('tenant', 'session')
    const base = resetPeak()
    const start = performance.now()
    const reference = await scope.storeStream('call_1_0', streamContent(bytes))
    const seconds = (performance.now() - start) / 1_000
    return { reference, seconds, added: peakMB() - base }
  },
  read: async ({ place, reference, offset, length }) => {
    const scope = (await warmStorage(place)).scope('tenant', 'session')
    const read = async (): Promise<number> => {
      const start = performance.now()
      const { content } = await scope.retrieveRange(reference, { offset, length })
      if (content.length !== length) throw new Error(`The storage returned ${content.length} bytes.`)
      return performance.now() - start
    }
    const { result: ms, bytes } = await countRead(read)
    return { ms, againMs: await read(), bytes }
  },
  clear: async ({ place }) => {
    await (await openStorage(place)).clear()
  },
}

/** Open a storage that is connected and has its code loaded: another entry was stored and read before. */
async function warmStorage(place: Place): ReturnType<typeof openStorage> {
  const storage = await openStorage(place)
  const other = storage.scope('other')
  const reference = await other.store('call_0_0', makeContent(SMALL_BYTES, 0))
  await other.storeStream('call_0_1', streamContent(SMALL_BYTES))
  await other.retrieveRange(reference, { offset: 1, length: 10 })
  return storage
}

serve({ ...tasks })
