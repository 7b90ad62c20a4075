import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { hasCommand, PEERS } from '../speed/lib.mjs'
import { hasNativeRe2 } from './subjects/native-re2.ts'
import type { SubjectName } from './subjects/open-subject.ts'
import type { CommandName } from './commands.ts'

/** How one run measures, and whom. */
export interface RunOptions {
  /** Small contents and few rounds: shows that everything runs, and proves nothing. */
  readonly isQuick: boolean
  /** Fresh processes of which a first call is the median. */
  readonly rounds: number
  /** The module that is measured as ours. */
  readonly ours: string
  /** Whether one of these is there to be measured. */
  readonly has: (who: SubjectName | CommandName | 'context-mode' | 'sqlite3') => boolean
  /** What is left out of the tables because it is not installed. */
  readonly missing: readonly string[]
}

/** Look for what can be measured here. */
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
