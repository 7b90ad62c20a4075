/** Run the conformance suite's kill script, read from stdin, on a server; print the references acknowledged. */
import { text } from 'node:stream/consumers'
import { runKillScript } from '@spillway/core/conformance'
import { RedisStorage } from '../../src/index.ts'

interface Entry {
  readonly key: string
  readonly contentType: string
  readonly content: string
}

const [url = '', prefix = ''] = process.argv.slice(2)
const script = JSON.parse(await text(process.stdin)) as { acknowledged: Entry[]; unfinished: Entry }
const decoded = (entry: Entry) => ({ ...entry, content: new Uint8Array(Buffer.from(entry.content, 'base64')) })
await runKillScript(
  // Small pieces, so that some of the unfinished entry have been sent.
  new RedisStorage(url, { prefix, chunkBytes: 65_536 }),
  { acknowledged: script.acknowledged.map(decoded), unfinished: decoded(script.unfinished) },
  (references) => {
    console.log(JSON.stringify(references))
    // Nothing else keeps the process alive until it is killed.
    setInterval(() => {}, 1_000)
  },
)
