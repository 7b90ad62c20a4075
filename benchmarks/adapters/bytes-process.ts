/** Measures allocations in a separate process, started with `MEMORY_FLAGS`. Prints them as JSON. */
import { allocatedBytes } from './measure-bytes.ts'
import { HISTORIES, type ByteRow } from './overhead.ts'
import { directCases, loopCases, SHOWN_RESULT, smallResults } from './overhead-cases.ts'
import type { OverheadCase } from './overhead/overhead-case.ts'

const DIRECT_RESULTS = 2_000
/** Results that are measured in one run: with a long history, some frameworks allocate 40 MB per result. */
const LOOP_RESULTS = 10

const result = smallResults()[SHOWN_RESULT] as string
const rows: ByteRow[] = []
for (const one of directCases(result))
  rows.push({ name: one.name, history: undefined, ...(await measure(one, DIRECT_RESULTS)) })
for (const history of HISTORIES)
  for (const one of loopCases(history, result))
    rows.push({ name: one.name, history, ...(await measure(one, LOOP_RESULTS)) })
console.log(JSON.stringify(rows))

async function measure(one: OverheadCase, results: number): Promise<Pick<ByteRow, 'plain' | 'wrapped'>> {
  const { plain, wrapped } = one.allocating ?? one
  return { plain: await allocatedBytes(plain, results), wrapped: await allocatedBytes(wrapped, results) }
}
