/** Writes a log of at least this many bytes, always the same, and exits with this code: `write-log.ts 1000 7`. */
import { writeSync } from 'node:fs'

const LINES_PER_WRITE = 1_000

const [, , size = '0', code = '0'] = process.argv
let line = 0
for (let written = 0; written < Number(size);) {
  const lines: string[] = []
  while (lines.length < LINES_PER_WRITE) {
    line += 1
    const status = line % 5_003 === 0 ? 'ERROR timeout' : 'INFO ok'
    lines.push(
      `2026-01-01T00:00:00Z worker-${line % 13} request=${line.toString(36)} ms=${(line * 7_919) % 997} ${status}\n`,
    )
  }
  const bytes = Buffer.from(lines.join(''))
  for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at)
  written += bytes.length
}
process.exitCode = Number(code)
