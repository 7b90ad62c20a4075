import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DATA } from '../speed/lib.mjs'
import type { RunOptions } from './run-options.ts'
import type { SubjectName } from './subjects/open-subject.ts'
import { inProcess, type Target } from './tasks.ts'

/** Generated content, and its stored copies. */
export interface Content {
  readonly file: string
  readonly bytes: number
  /** Store the content for one implementation, in a separate process. */
  target(subject: SubjectName): Promise<Target>
  /** Remove stored copies of these implementations, or all copies if none is named. */
  forget(...subjects: readonly SubjectName[]): void
}

/** Folder for the copies that implementations store in this run. */
const STORED = join(DATA, `retrieval-${process.pid}`)
/** Size limit of content that is kept for later runs. Each run generates larger content again. */
const MOST_KEPT_BYTES = 200 * 1_048_576

const largest = new Set<string>()

/** Remove the stored copies of the run, and the largest content. */
export function cleanUp(): void {
  rmSync(STORED, { recursive: true, force: true })
  for (const file of largest) rmSync(file, { force: true })
}

/** Generate content of a kind. Throws if the content cannot be stored. */
export async function makeContent(kind: string, megabytes: number, { ours }: RunOptions): Promise<Content> {
  const file = await inProcess('make', { kind, megabytes })
  const bytes = statSync(file).size
  if (bytes > MOST_KEPT_BYTES) largest.add(file)
  const stored = join(STORED, `${kind}-${megabytes}`)
  const directoryOf = (subject: SubjectName): string => join(stored, subject.replaceAll(/\W+/g, '-'))
  const contentType = kind === 'json1' ? 'application/json' : 'text/plain'
  const targets = new Map<SubjectName, Target>()
  return {
    file,
    bytes,
    target: async (subject) => {
      const known = targets.get(subject)
      if (known !== undefined) return known
      const directory = directoryOf(subject)
      mkdirSync(directory, { recursive: true })
      const target: Target = { subject, place: { file, directory, reference: '', ours }, contentType }
      const { reference } = await inProcess('store', target)
      const ready = { ...target, place: { ...target.place, reference } }
      targets.set(subject, ready)
      return ready
    },
    forget: (...subjects) => {
      for (const subject of subjects.length > 0 ? subjects : [...targets.keys()]) {
        rmSync(directoryOf(subject), { recursive: true, force: true })
        targets.delete(subject)
      }
    },
  }
}
