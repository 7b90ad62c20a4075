import type { CommandSpec } from './command.ts'
import { COMPACTION_OPTIONS, OUTPUT_OPTIONS, TRANSCRIPT_OPTIONS } from './options.ts'

const FILE = [
  '<file>',
  'a JSON array or document with messages, one message per line, or a session of Claude Code',
] as const

const compactCommand: CommandSpec = {
  name: 'compact',
  summary: 'replace large results with references, and summarize if that is not enough',
  description:
    'Report the tokens of a transcript before and after compacting, and the messages that keep it over its ' +
    'limit. With --output, the originals are stored and the smaller transcript is written to a file.',
  argument: FILE,
  options: [...TRANSCRIPT_OPTIONS, ...OUTPUT_OPTIONS, ...COMPACTION_OPTIONS],
  help: `
Examples:
  $ spillway history compact session.jsonl
  $ spillway history compact session.jsonl --max-total-tokens 100000 --output smaller.jsonl
  $ spillway history compact request.json --model gpt-5-mini --output -

Exit codes: 0 within the limit, 1 over the limit, 2 wrong options or an unreadable transcript, 3 the store failed.`,
  load: async () => (await import('../actions/history.ts')).historyCompact,
}

const expandCommand: CommandSpec = {
  name: 'expand',
  summary: 'restore the originals of a transcript',
  description: 'Restore the originals that a transcript names: results, arguments, and messages replaced by a summary.',
  argument: FILE,
  options: [...TRANSCRIPT_OPTIONS, ...OUTPUT_OPTIONS],
  help: `
Examples:
  $ spillway history expand smaller.jsonl --output whole.jsonl

Exit codes: 0 all restored, 1 an entry is missing, 2 wrong options or an unreadable transcript, 3 the store failed.`,
  load: async () => (await import('../actions/history.ts')).historyExpand,
}

export const historyCommand: CommandSpec = {
  name: 'history',
  summary: 'make transcripts of agents smaller, and restore them',
  description: 'For transcripts on disk: requests, lists of messages, and sessions of Claude Code.',
  commands: [compactCommand, expandCommand],
}
