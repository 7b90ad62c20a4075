import { makeFile } from './lib.mjs'
import { readFileSync } from 'node:fs'
import { offload, open } from './ours.ts'
const size = Number(process.argv[2]), file = process.argv[3], n = Number(process.argv[4] ?? 200)
const b = readFileSync(file || makeFile('log', 10))
const s = b.subarray(0, size).latin1Slice()
const st = await open('memory')
const times: number[] = []
for (let i = 0; i < n; i++) {
  const t = performance.now()
  await offload(st, { session: 's', id: 'c' + i, content: [{ type: 'text', text: s }], maxTokens: 2500, previewTokens: 1000 })
  times.push(performance.now() - t)
}
times.sort((a, b) => a - b)
console.log(size, 'min', times[0]!.toFixed(2), 'median', times[n >> 1]!.toFixed(2))
