import type { KillScript } from '@spillway/core/conformance'
import { scriptArgument, type Backend } from './backend.ts'
import { ended, ownScript, startScript } from './run-script.ts'

/** An entry in the form in which it is sent to another process. */
export interface EncodedEntry {
  readonly key: string
  readonly contentType: string
  /** The content in Base64. */
  readonly content: string
}

/**
 * Run a script of the conformance suite in a separate process, and kill the process halfway through the last entry.
 * Returns the acknowledged references. Implements the suite's power `kill`.
 */
export async function killConformanceWriter<Config>(
  backend: Backend<Config>,
  { acknowledged, unfinished }: KillScript,
): Promise<readonly string[]> {
  const references = Promise.withResolvers<readonly string[]>()
  const writer = startScript(ownScript('conformance-writer.ts'), [scriptArgument(backend, {})], (line) => {
    references.resolve(JSON.parse(line) as string[])
    writer.kill('SIGKILL')
  })
  const encoded = (entry: KillScript['unfinished']): EncodedEntry => ({
    ...entry,
    content: Buffer.from(entry.content).toString('base64'),
  })
  writer.stdin?.end(JSON.stringify({ acknowledged: acknowledged.map(encoded), unfinished: encoded(unfinished) }))
  const outcome = await ended(writer)
  if (outcome !== 'SIGKILL') throw new Error(`The writer ended by itself with ${outcome}.`)
  return references.promise
}
