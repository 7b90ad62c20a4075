import type { Command } from 'commander'
import { action } from '../action.ts'
import {
  addCompactionOptions,
  addOnlyOption,
  addOutputOptions,
  addTranscriptOptions,
} from '../history/history-options.ts'

export function addHistoryCommand(program: Command): void {
  const history = program
    .command('history')
    .summary('make transcripts of agents smaller, and whole again')
    .description('For transcripts on disk: requests, lists of messages, and sessions of Claude Code.')
    .helpCommand(false)
  addCompact(history)
  addExpand(history)
  addReferences(history)
}

function addCompact(history: Command): void {
  const command = history
    .command('compact')
    .summary('replace large results by references, and summarise what remains too much')
    .description(
      'Say what compacting a transcript comes to: a table of its messages before and after, and what is in the way ' +
        'where it does not fit. With --output the originals go to the store and the smaller transcript to a file.',
    )
  addTranscriptOptions(command)
  addOutputOptions(command)
  addCompactionOptions(command)
  command.addHelpText(
    'after',
    `
Examples:
  $ spillway history compact session.jsonl
  $ spillway history compact session.jsonl --max-total-tokens 100000 --output smaller.jsonl
  $ spillway history compact request.json --model gpt-5-mini --output -

Exit codes: 0 it fits the limit, 1 it does not, 2 wrong use or a file that cannot be read as messages, 3 the store failed.`,
  )
  action(command, async () => (await import('../actions/history.ts')).historyCompact)
}

function addExpand(history: Command): void {
  const command = history
    .command('expand')
    .summary('put back what was stored of a transcript')
    .description('Put back what a transcript names: results, arguments, and the messages that a summary stands for.')
  addTranscriptOptions(command)
  addOutputOptions(command)
  addOnlyOption(command)
  command.addHelpText(
    'after',
    `
Examples:
  $ spillway history expand smaller.jsonl --output whole.jsonl
  $ spillway history expand smaller.jsonl --only call_1_0_4tq… --output -

Exit codes: 0 all is back, 1 something is gone, 2 wrong use or a file that cannot be read as messages, 3 the store failed.`,
  )
  action(command, async () => (await import('../actions/history.ts')).historyExpand)
}

function addReferences(history: Command): void {
  const command = history
    .command('references')
    .summary('list what a transcript names that is stored')
    .description(
      'List what a transcript names that is stored, also inside of its summary: the message, its line and tool, the kind, ' +
        'bytes, whether it is still there, and the reference. Into a pipe: columns parted by tabs.',
    )
  addTranscriptOptions(command)
  command.addHelpText('after', '\nExit codes: 0 all of it is there, 1 something is gone, or nothing is named.')
  action(command, async () => (await import('../actions/history.ts')).historyReferences)
}
