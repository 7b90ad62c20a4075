/** Checks whether systems write the same bytes in a second process, as prompt caches require. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { AnswerCase, ToolResult } from './answer-case.ts'
import { ablations, allSystems } from './systems/all-systems.ts'

const MOST_RESULTS = 10

/** Results and systems for a second process. */
interface Task {
  readonly results: readonly { readonly result: ToolResult; readonly question: string }[]
  readonly systems: readonly string[]
}

/** For some cases, return by system whether replacements and answers are equal in two processes. */
export async function sameInSecondProcess(
  cases: readonly AnswerCase[],
  systems: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  const every = Math.ceil(cases.length / MOST_RESULTS)
  const asked = cases.filter((_, index) => index % every === 0)
  const results = asked.flatMap((one) => one.results.map((result) => ({ result, question: one.question })))
  // Both processes get only text, because the previewer of a result cannot be sent.
  const task = JSON.stringify({ results, systems })
  const child = promisify(execFile)(process.execPath, [import.meta.filename])
  child.child.stdin?.end(task)
  const second = JSON.parse((await child).stdout) as Readonly<Record<string, string>>
  const first = await digestSystems(JSON.parse(task) as Task)
  return new Map(systems.map((name) => [name, first[name] !== undefined && first[name] === second[name]]))
}

/** Return a digest of everything that each system shows. */
async function digestSystems({ results, systems }: Task): Promise<Readonly<Record<string, string>>> {
  const digests: Record<string, string> = {}
  for (const system of [...allSystems(), ...ablations().slice(1)]) {
    if (!systems.includes(system.name)) continue
    const hash = createHash('sha256')
    for (const { result, question } of results) {
      const session = await system.open(result, question)
      const call = session.plan({ want: 'lines', first: 100, last: 120 })
      hash.update(session.shown).update(call === undefined ? '' : await session.run(call))
      session.close()
    }
    await system.close?.()
    digests[system.name] = hash.digest('hex')
  }
  return digests
}

if (process.argv[1] === import.meta.filename) {
  console.log(JSON.stringify(await digestSystems((await json(process.stdin)) as Task)))
}
