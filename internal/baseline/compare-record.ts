import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RECORDED_FOLDERS, type RecordedFile } from './record-baseline.ts'

/** Compare files with a recorded folder. Each yielded difference names a file, and the first line that differs. */
export async function* compareRecord(folder: string, files: AsyncIterable<RecordedFile>): AsyncGenerator<string> {
  const recorded = globSync(`{${RECORDED_FOLDERS.join(',')}}/**`, { cwd: folder, withFileTypes: true })
  const missing = new Set(
    recorded
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(folder.length + 1)
          .replaceAll('\\', '/'),
      ),
  )
  if (missing.size === 0) throw new Error(`There is no record in ${folder}.`)
  for await (const { path, text } of files) {
    if (!missing.delete(path)) yield `${path}: is not in the record`
    else {
      const before = readFileSync(join(folder, path), 'utf8')
      if (before !== text) yield firstDifference(path, before, text)
    }
  }
  for (const path of missing) yield `${path}: is only in the record`
}

function firstDifference(path: string, before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const index = now.findIndex((line, at) => line !== old[at])
  const line = index === -1 ? now.length : index
  return `${path}:${line + 1}\n  - ${shown(old[line])}\n  + ${shown(now[line])}`
}

const shown = (line: string | undefined): string => (line === undefined ? '(no line)' : line.slice(0, 200))
