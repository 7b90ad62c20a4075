/** Loaded with `--import` before a program: writes its peak memory, in bytes, to the file in `PEAK_MEMORY_FILE`. */
import { writeFileSync } from 'node:fs'

const { PEAK_MEMORY_FILE } = process.env
if (PEAK_MEMORY_FILE !== undefined) {
  process.on('exit', () => writeFileSync(PEAK_MEMORY_FILE, String(process.resourceUsage().maxRSS * 1024)))
}
