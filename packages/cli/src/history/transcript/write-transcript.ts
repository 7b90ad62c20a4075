import { realpath, stat, writeFile } from 'node:fs/promises'
import { CliError, EXIT_CODE, usageError } from '../../cli-error.ts'
import { print } from '../../output.ts'
import { replaceFile } from '../../replace-file.ts'
import type { OutputOptions } from '../../commands/options.ts'
import { parseJson, readingFile, type Conversation, type Transcript, type TranscriptLayout } from './transcript.ts'

interface TranscriptOutput {
  readonly path: string
  readonly overwrites: boolean
}

/** Return the output that the options of a command name; `undefined` if no option names an output. */
export function outputOf({
  output,
  force = false,
  json = false,
}: OutputOptions & { readonly json?: boolean }): TranscriptOutput | undefined {
  if (output === '-' && json) throw usageError('--output - and --json both write standard output.')
  return output === undefined ? undefined : { path: output, overwrites: force }
}

/** Throw if the output exists and `--force` is missing. */
export async function assertOutput({ path, overwrites }: TranscriptOutput): Promise<void> {
  const place = path === '-' || overwrites ? 'nothing' : await readingFile(path, () => placeOf(path))
  if (place === 'nothing' || place === 'stream') return
  throw new CliError('exists', EXIT_CODE.usage, `${path} already exists. To replace it, add --force.`)
}

/** Write a transcript atomically. Unchanged lines keep their bytes. Throws a {@link CliError} if the file changed. */
export async function writeTranscript(
  transcript: Transcript,
  conversation: Conversation,
  output: TranscriptOutput,
): Promise<void> {
  const text = writtenText(transcript, conversation)
  const { size, mtimeMs } = await readingFile(transcript.path, () => stat(transcript.path))
  if (size !== transcript.size || mtimeMs !== transcript.mtimeMs)
    throw new CliError('changed', EXIT_CODE.nothing, `${transcript.path} was changed by another program. Try again.`)
  if (output.path === '-') return await print(text)
  await readingFile(output.path, async () => {
    const { path } = output
    const place = await placeOf(path)
    if (place === 'stream') return await writeFile(path, text)
    // A link stays a link, and an existing file keeps its permissions.
    const target = place === 'file' ? await realpath(path) : path
    const permissions = place === 'file' ? (await stat(target)).mode : transcript.mode | 0o600
    return await replaceFile(target, permissions, text, () => assertOutput(output))
  })
}

/** Return the kind of the output. Pipes and devices are written, not replaced. */
async function placeOf(path: string): Promise<'nothing' | 'file' | 'stream'> {
  try {
    const found = await stat(path)
    return found.isFile() || found.isDirectory() ? 'file' : 'stream'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'nothing'
    throw error
  }
}

/** Throws a `TypeError` if the transcript cannot hold a new message or a system prompt. */
function writtenText(transcript: Transcript, { system, messages }: Conversation): string {
  const { layout, messages: before } = transcript
  if (layout.kind === 'document') return documentText(layout, system, messages)
  if (system !== undefined) throw new TypeError('This kind of transcript cannot contain a system prompt.')
  const { texts } = layout
  if (messages.length === before.length) {
    const lines = [...texts]
    for (const [index, { value, line }] of before.entries())
      if (messages[index] !== value) lines[line! - 1] = changedLine(texts[line! - 1]!, messages[index], layout.kind)
    return lines.join('\n')
  }
  if (layout.kind === 'session')
    throw new TypeError(
      'The number of messages in a session transcript cannot change. Use a transcript that contains only messages.',
    )
  const known = new Map(before.map(({ value, line }) => [value, texts[line! - 1]!]))
  const end = texts.at(-1) === '' ? [''] : []
  return [...messages.map((message) => known.get(message) ?? JSON.stringify(message)), ...end].join('\n')
}

/** Replace the message in a line. Blanks and a byte order mark around the JSON do not change. */
function changedLine(text: string, message: unknown, kind: 'lines' | 'session'): string {
  const json = text.trim()
  const written = JSON.stringify(kind === 'lines' ? message : { ...(parseJson(json) as object), message })
  const start = text.indexOf(json)
  return text.slice(0, start) + written + text.slice(start + json.length)
}

function documentText(
  { root, listKey, systemKey, indent, end }: Extract<TranscriptLayout, { kind: 'document' }>,
  system: unknown,
  messages: readonly unknown[],
): string {
  if (system !== undefined && systemKey === undefined)
    throw new TypeError('This kind of transcript cannot contain a system prompt.')
  const prompt = systemKey === undefined ? {} : { [systemKey]: system }
  const document = root === undefined ? messages : { ...root, ...prompt, [listKey!]: messages }
  return JSON.stringify(document, undefined, indent) + end
}
