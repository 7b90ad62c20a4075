import { compareTimes } from './measure-time.ts'
import { allocatedBytes } from './measure-bytes.ts'
import { directCases, loopCases, smallResults, SHOWN_RESULT } from './overhead-cases.ts'
const mode = process.argv[2]
if (mode === 'time') {
  for (const [result, output] of Object.entries(smallResults())) for (const { name, plain, wrapped } of directCases(output)) if (name.startsWith('Mastra')) { const t = await compareTimes(plain, wrapped, { batches: 60, batchMs: 1 }); console.log(name, result, t.plain.toFixed(1), t.wrapped.toFixed(1), 'added', (t.wrapped - t.plain).toFixed(1)) }
} else if (mode === 'loops') {
  for (const history of [10, 100, 1000]) for (const { name, plain, wrapped } of loopCases(history, smallResults()[SHOWN_RESULT] as string)) if (name.startsWith('Mastra')) { const t = await compareTimes(plain, wrapped, { batches: 10, batchMs: 1 }); console.log(name, history, t.plain.toFixed(1), t.wrapped.toFixed(1), 'added', (t.wrapped - t.plain).toFixed(1)) }
} else {
  const rows: Record<string, number[]> = {}
  for (const history of [10, 1000]) for (const { name, plain, wrapped } of loopCases(history, smallResults()[SHOWN_RESULT] as string)) if (name.startsWith('Mastra')) { const p = await allocatedBytes(plain, 20), w = await allocatedBytes(wrapped, 20); console.log(name, history, p, w, w - p); (rows[name] ??= []).push(w - p) }
  for (const [n, [a, b]] of Object.entries(rows)) console.log(n, 'bytes per message', ((b as number) - (a as number)) / 990)
}
