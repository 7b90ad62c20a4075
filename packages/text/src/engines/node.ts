/** Engines of Node.js: patterns in workers, codecs, ciphers. `web.ts` exports the same names for other runtimes. */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import { locateSqlite } from '#platform'
import type Zlib from 'node:zlib'
import type { CompressCallback, ZlibOptions, ZstdOptions } from 'node:zlib'
import {
  IsolationError,
  LONG_LINE_LENGTH,
  noWorkers,
  PatternError,
  type IsolatedProgram,
  type PatternFlags,
  type PatternLimits,
  type PatternMatcher,
} from '../platform/platform.ts'
import { TAG_BYTES, type Aes256Gcm } from './aes-256-gcm.ts'
import type { BlockCodec } from './block-codec.ts'
import { createWorkerPool } from './node-worker-pool.ts'
import { nodeSqlEngine } from './node-sql-engine.ts'
import type { SqlEngine } from './sql-engine.ts'

/** Load zlib only on demand. Few programs need it, and loading takes a millisecond. */
const zlib = (): typeof Zlib => process.getBuiltinModule('node:zlib')
/** Size of a chunk of output. The default of 16 KB would cause too many messages between threads. */
const CHUNK_BYTES = 65_536
/**
 * Largest block that this thread processes. Processing it takes about 0.2 ms, less than a message to another thread.
 */
const MAX_BYTES_IN_PLACE = 65_536
const MAX_LEVEL_IN_PLACE = 9

export const gzip: BlockCodec = {
  async compress(bytes, level) {
    const options: ZlibOptions = { level: Math.min(9, level), chunkSize: CHUNK_BYTES }
    if (isSmall(bytes)) return plain(zlib().gzipSync(bytes, options))
    return await settled((callback) => zlib().gzip(bytes, options, callback))
  },
  decompress: (bytes, maxBytes) =>
    unlessDamaged(async () => {
      const options: ZlibOptions = limited(maxBytes)
      if (maxBytes <= MAX_BYTES_IN_PLACE) return plain(zlib().gunzipSync(bytes, options))
      return await settled((callback) => zlib().gunzip(bytes, options, callback))
    }),
}

export const zstd: BlockCodec | undefined =
  process.versions['zstd'] === undefined
    ? undefined
    : {
        async compress(bytes, level) {
          const { ZSTD_c_compressionLevel, ZSTD_c_checksumFlag } = zlib().constants
          const params = { [ZSTD_c_compressionLevel]: level, [ZSTD_c_checksumFlag]: 1 }
          const options: ZstdOptions = { params, chunkSize: CHUNK_BYTES }
          if (isSmall(bytes) && level <= MAX_LEVEL_IN_PLACE) return plain(zlib().zstdCompressSync(bytes, options))
          return await settled((callback) => zlib().zstdCompress(bytes, options, callback))
        },
        decompress: (bytes, maxBytes) =>
          unlessDamaged(async () => {
            const options: ZstdOptions = limited(maxBytes)
            if (maxBytes <= MAX_BYTES_IN_PLACE) return plain(zlib().zstdDecompressSync(bytes, options))
            return await settled((callback) => zlib().zstdDecompress(bytes, options, callback))
          }),
      }

const isSmall = ({ byteLength }: Uint8Array): boolean => byteLength <= MAX_BYTES_IN_PLACE

const limited = (maxBytes: number): { readonly chunkSize: number; readonly maxOutputLength: number } => ({
  chunkSize: Math.max(64, maxBytes),
  maxOutputLength: Math.max(1, maxBytes),
})

const plain = ({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

function settled(run: (callback: CompressCallback) => void): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    run((error, result) => {
      if (error === null) resolve(plain(result))
      else reject(error)
    })
  })
}

/** Error codes of zlib for damaged bytes, too large output, and too little memory. */
const REFUSED = /^(?:Z_|ZSTD_|ERR_BUFFER_TOO_LARGE$|ERR_OUT_OF_RANGE$|ERR_MEMORY_ALLOCATION_FAILED$)/
/** Message of V8 if there is too little memory. The error has no code. */
const NO_MEMORY = 'Array buffer allocation failed'

async function unlessDamaged(run: () => Promise<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return await run()
  } catch (error) {
    const { code = '', message } = error as Error & { readonly code?: string }
    if (REFUSED.test(code) || message === NO_MEMORY) return undefined
    throw error
  }
}

export function createAes256Gcm(key: Uint8Array): Aes256Gcm {
  const secret = createSecretKey(key)
  return {
    async seal(nonce, bytes) {
      const cipher = createCipheriv('aes-256-gcm', secret, nonce)
      const sealed = new Uint8Array(bytes.byteLength + TAG_BYTES)
      sealed.set(cipher.update(bytes))
      cipher.final()
      sealed.set(cipher.getAuthTag(), bytes.byteLength)
      return sealed
    },
    async open(nonce, sealed) {
      const length = sealed.byteLength - TAG_BYTES
      if (length < 0) return undefined
      const decipher = createDecipheriv('aes-256-gcm', secret, nonce, { authTagLength: TAG_BYTES })
      decipher.setAuthTag(sealed.subarray(length))
      const opened = decipher.update(sealed.subarray(0, length))
      try {
        decipher.final()
      } catch (error) {
        // OpenSSL throws a plain error if the tag does not match.
        if (error instanceof Error) return undefined
        throw error
      }
      return new Uint8Array(opened.buffer, opened.byteOffset, opened.byteLength)
    },
  }
}

export async function hkdfSha256(
  key: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
  length: number,
): Promise<Uint8Array> {
  return new Uint8Array(hkdfSync('sha256', key, salt, info, length))
}

export async function hmacSha256(key: Uint8Array, bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(createHmac('sha256', key).update(bytes).digest())
}

/** Run a program in workers that end after a timeout or above `maxMemoryMb`. The program must answer each message. */
export function isolate(source: string, maxMemoryMb: number): IsolatedProgram | undefined {
  return createWorkerPool(source, { maxMemoryMb })
}

let engine: SqlEngine | undefined

export function sqlEngine(): SqlEngine | undefined {
  const address = engine === undefined ? locateSqlite() : undefined
  if (address !== undefined) engine = nodeSqlEngine(address)
  return engine
}

/** Milliseconds after which a pattern counts as long and may have to wait for others. */
const SHORT_MS = 250

/**
 * Source of the pattern worker. The source is a string, so that bundlers, loaders and test runners need no file. The
 * worker first sends the message `ready`. The source uses `import()`, which works in scripts and in modules.
 */
const PATTERN_WORKER_SOURCE: string = `
import('node:worker_threads').then(({ parentPort }) => {
  let key, regex
  function nextMatch(line, { index, 0: { length } }) {
    if (line.length <= ${LONG_LINE_LENGTH}) return null
    for (let from = Math.max(index + length, index + 1); from <= line.length; from++) {
      regex.lastIndex = from
      const match = regex.exec(line)
      if (match === null || match[0] !== '') return match
      from = match.index
    }
    return null
  }
  parentPort.on('message', ({ pattern, flags, text, from }) => {
    const begin = performance.now()
    const hits = []
    try {
      if (key !== flags + pattern) {
        regex = new RegExp(pattern, flags + 'g')
        key = flags + pattern
      }
      for (let start = 0, index = 0; start < text.length; index++) {
        let end = text.indexOf('\\n', start)
        const next = end < 0 ? text.length : end + 1
        if (end < 0) end = text.length
        else if (end > start && text.charCodeAt(end - 1) === 13) end--
        const line = text.slice(start, end)
        regex.lastIndex = index === 0 ? from : 0
        for (let match = regex.exec(line); match !== null; match = nextMatch(line, match)) {
          hits.push(index, match.index, match.index + match[0].length)
        }
        start = next
      }
    } catch (error) {
      parentPort.postMessage({ error: String(error) })
      return
    }
    const answer = Uint32Array.from(hits)
    parentPort.postMessage({ hits: answer, milliseconds: performance.now() - begin }, [answer.buffer])
  })
  parentPort.postMessage('ready')
})
`

const pool = createWorkerPool(PATTERN_WORKER_SOURCE, { shortMs: SHORT_MS, saysReady: true })

/** Additional milliseconds per million units of text, so that ordinary patterns have time to search a large text. */
const MS_PER_MILLION_UNITS = 20

/** Create a matcher that runs a pattern in a worker. The worker is terminated at the deadline. */
export function createPatternMatcher(
  pattern: string,
  flags: PatternFlags,
  { deadlineMs, caller }: PatternLimits,
): PatternMatcher {
  let leftMs = deadlineMs
  const timeout = (): PatternError => new PatternError('timeout', 'The pattern took too long and was stopped.')
  return {
    async match(text, from = 0, signal) {
      if (leftMs <= 0) throw timeout()
      leftMs += (text.length / 1e6) * MS_PER_MILLION_UNITS
      const timeoutMs = leftMs
      try {
        const question = { pattern, flags: javascriptFlags(flags), text, from }
        const answer = (await pool.run(question, timeoutMs, { signal, caller })) as WorkerAnswer
        leftMs -= answer.milliseconds ?? 0
        return hitsOf(answer)
      } catch (error) {
        if (!(error instanceof IsolationError)) throw error
        if (error.code === 'unavailable') throw noWorkers(error)
        if (error.code === 'ended')
          throw new PatternError('too-complex', 'The pattern takes too much memory.', { cause: error })
        leftMs -= timeoutMs
        throw timeout()
      }
    },
  }
}

/** Return the flags for JavaScript. The worker matches single lines, so a dot may match any character, even CR. */
function javascriptFlags({ ignoreCase, unicode }: PatternFlags): string {
  return `s${ignoreCase ? 'i' : ''}${unicode ? 'u' : ''}`
}

function hitsOf({ hits, error }: WorkerAnswer): Uint32Array {
  if (hits !== undefined) return hits
  throw new PatternError('too-complex', `The regular expression engine gave up (${error ?? 'no reason given'}).`)
}

interface WorkerAnswer {
  readonly hits?: Uint32Array
  readonly milliseconds?: number
  readonly error?: string
}
