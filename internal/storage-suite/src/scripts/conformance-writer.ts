/** Runs the kill script of the conformance suite from stdin, prints acknowledged references, and waits to be killed. */
import { text } from 'node:stream/consumers'
import { runKillScript } from '@spillway/core/conformance'
import { readScriptArgument } from '../backend.ts'
import type { EncodedEntry } from '../kill-conformance-writer.ts'

const { open } = await readScriptArgument()
const script = JSON.parse(await text(process.stdin)) as {
  acknowledged: EncodedEntry[]
  unfinished: EncodedEntry & { isOpen?: boolean }
}
const decoded = <Entry extends EncodedEntry>(entry: Entry) => ({
  ...entry,
  content: new Uint8Array(Buffer.from(entry.content, 'base64')),
})
await runKillScript(
  await open({}),
  { acknowledged: script.acknowledged.map(decoded), unfinished: decoded(script.unfinished) },
  (references) => {
    console.log(JSON.stringify(references))
    // Only this timer keeps the process alive until it is killed.
    setInterval(() => {}, 1_000)
  },
)
