import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { hasCommand, PEERS } from '../speed/lib.mjs'
import { hasNativeRe2 } from './subjects/native-re2.ts'
import type { SubjectName } from './subjects/open-subject.ts'
import type { CommandName } from './commands.ts'

/** Settings of a run, and the measured implementations. */
export interface RunOptions {
  /** Whether contents are small and rounds few. This checks only that everything runs. */
  readonly isQuick: boolean
  /** Number of fresh processes for the median of a first call. */
  readonly rounds: number
  /** The module that is measured as ours. */
  readonly ours: string
  /** Whether an implementation can be measured. */
  readonly has: (who: SubjectName | CommandName | 'context-mode' | 'sqlite3') => boolean
  /** Implementations that are missing in the tables because they are not installed. */
  readonly missing: readonly string[]
}

/** Find the implementations that can be measured on this machine. */
export function runOptions(isQuick: boolean, ours: string): RunOptions {
  const strands = existsSync(join(PEERS, 'node_modules/@strands-agents/sdk'))
  const present: Readonly<Record<string, boolean>> = {
    'GNU grep': hasCommand('grep'),
    ripgrep: hasCommand('rg'),
    sed: hasCommand('sed'),
    'head, tail': hasCommand('tail'),
    sqlite3: hasCommand('sqlite3'),
    'Strands, file': strands,
    'Strands, memory': strands,
    'native re2': hasNativeRe2(),
    'context-mode': existsSync(join(PEERS, 'cm/node_modules/context-mode')),
  }
  const missing = Object.keys(present).filter((name) => !present[name])
  return { isQuick, rounds: isQuick ? 1 : 5, ours, has: (who) => present[who] ?? true, missing }
}
