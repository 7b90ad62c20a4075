import { RETRIEVAL_TOOL_NAME } from '@spillway/core'

/** A message that the model got, independent of the framework: all its text, including arguments of calls. */
export interface SeenMessage {
  readonly role: string
  readonly text: string
}

/** The prompt of one model call. */
export type SeenPrompt = readonly SeenMessage[]

/** The action of the model: call a tool, or end with a text. */
export type Turn = { readonly name: string; readonly input: Readonly<Record<string, unknown>> } | string

/** A scripted model: returns the action of the call with this index. */
export type Script = (index: number, prompt: SeenPrompt) => Turn

/** The result of a conversation. */
export interface Conversation {
  /** The prompt of each model call. */
  readonly prompts: readonly SeenPrompt[]
  /** All messages as JSON, which a program would save and continue. */
  readonly history: readonly unknown[]
}

/**
 * Run a conversation in which the tool `read_log` returns `log`.
 *
 * @param past - The history of an earlier conversation to continue.
 */
export type Converse = (log: string, script: Script, past?: readonly unknown[]) => Promise<Conversation>

/** Return the message of the user: a question at first, and a request to continue later. */
export const question = (past: readonly unknown[]): string => (past.length === 0 ? 'Why did orders fail?' : 'Go on.')

const ANSWER = 'The database refused connections.'
const READ_LOG: Turn = { name: 'read_log', input: {} }
const PATTERN = 'ERROR'
const FIRST_LINE = 1_201
const LAST_LINE = 1_240
const REFERENCE = /\[Stored references:\]\s+(\w+)/

/** Reads the log once. If the whole log is in the prompt, nothing has to be retrieved. */
export const readOnce: Script = (index) => (index === 0 ? READ_LOG : ANSWER)

/** Reads the log again for each of two questions, because results were removed from the prompt. */
export const readAgain: Script = (index) => (index < 3 ? READ_LOG : ANSWER)

/** Reads the log, searches it, and reads a range of lines, with the retrieval tool. */
export const retrieve: Script = (index, prompt) => [() => READ_LOG, search, readSpan][index]?.(prompt) ?? ANSWER

/** The same script in two rounds: the user sends a message before the lines are read. */
export const retrieveInRounds: readonly Script[] = [
  (index, prompt) => [() => READ_LOG, search][index]?.(prompt) ?? 'There are errors.',
  (index, prompt) => [readSpan][index]?.(prompt) ?? ANSWER,
]

const search = (prompt: SeenPrompt): Turn => ({
  name: RETRIEVAL_TOOL_NAME,
  input: { reference: found(prompt, REFERENCE), pattern: PATTERN },
})

const readSpan = (prompt: SeenPrompt): Turn => ({
  name: RETRIEVAL_TOOL_NAME,
  input: { reference: found(prompt, REFERENCE), line_range: { start: FIRST_LINE, end: LAST_LINE } },
})

/** The same with the file tools of deepagents, which has moved the log to a file. */
export const useFiles: Script = (index, prompt) => {
  const path = () => found(prompt, /(\/large_tool_results\/[\w.-]*\w)/)
  if (index === 0) return READ_LOG
  if (index === 1) return { name: 'grep', input: { pattern: PATTERN, path: path(), output_mode: 'content' } }
  if (index === 2) {
    const limit = LAST_LINE - FIRST_LINE + 1
    return { name: 'read_file', input: { file_path: path(), offset: FIRST_LINE - 1, limit } }
  }
  return ANSWER
}

function found(prompt: SeenPrompt, pattern: RegExp): string {
  for (const { role, text } of prompt) {
    const match = role === 'tool' ? pattern.exec(text)?.[1] : undefined
    if (match !== undefined) return match
  }
  throw new Error(`No tool result has ${pattern}: the log was not moved out of the prompt.`)
}
