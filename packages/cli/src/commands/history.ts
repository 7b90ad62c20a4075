import type { CommandSpec } from './command.ts'
import { COMPACTION_OPTIONS, OUTPUT_OPTIONS, TRANSCRIPT_OPTIONS } from './options.ts'

const FILE = [
  '<file>',
  'a JSON array or document with messages, messages on lines, or a session of Claude Code',
] as const

const compactCommand: CommandSpec = {
  name: 'compact',
  summary: 'replace large results by references, and summarise what remains too much',
  description:
    'Say what compacting a transcript comes to: its tokens before and after, and what is in the way ' +
    'where it does not fit. With --output the originals go to the store and the smaller transcript to a file.',
  argument: FILE,
  options: [...TRANSCRIPT_OPTIONS, ...OUTPUT_OPTIONS, ...COMPACTION_OPTIONS],
  help: `
Examples:
  $ spillway history compact session.jsonl
  $ spillway history compact session.jsonl --max-total-tokens 100000 --output smaller.jsonl
  $ spillway history compact request.json --model gpt-5-mini --output -

Exit codes: 0 it fits the limit, 1 it does not, 2 wrong use or a file that cannot be read as messages, 3 the store failed.`,
  load: async () => (await import('../actions/history.ts')).historyCompact,
}

const expandCommand: CommandSpec = {
  name: 'expand',
  summary: 'put back what was stored of a transcript',
  description: 'Put back what a transcript names: results, arguments, and the messages that a summary stands for.',
  argument: FILE,
  options: [...TRANSCRIPT_OPTIONS, ...OUTPUT_OPTIONS],
  help: `
Examples:
  $ spillway history expand smaller.jsonl --output whole.jsonl

Exit codes: 0 all is back, 1 something is gone, 2 wrong use or a file that cannot be read as messages, 3 the store failed.`,
  load: async () => (await import('../actions/history.ts')).historyExpand,
}

export const historyCommand: CommandSpec = {
  name: 'history',
  summary: 'make transcripts of agents smaller, and whole again',
  description: 'For transcripts on disk: requests, lists of messages, and sessions of Claude Code.',
  commands: [compactCommand, expandCommand],
}
